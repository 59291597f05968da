import fc from "fast-check";
import { expect, test } from "vitest";
import {
  costText,
  createTheme,
  elapsedText,
  levelOf,
  type PromptFacts,
  promptLine,
  shortCount,
  spinnerFrame,
  width,
} from "../src/index.ts";

const theme = createTheme({ colour: false, kind: "none" });
const facts: PromptFacts = {
  role: "direct",
  mode: "full",
  model: "big-model",
  path: "/home/u/code/project",
  home: "/home/u",
  context: { tokens: 1234, window: 2700 },
  cost_usd: 0.031,
};

test("U9 the prompt line names role, model, mode, path, context and cost", () => {
  const view = { columns: 80, theme };
  expect(promptLine(facts, view)).toBe("[Smith:big-model] full ~/code/project (1.2k 45% $0.03) ▸ ");
  expect(promptLine({ ...facts, role: "orchestrator", mode: "plan", cost_usd: 0 }, view)).toBe(
    "[Tank:big-model] plan ~/code/project (1.2k 45%) ▸ ",
  );
  const bare = { ...facts, model: null, context: null, cost_usd: null, path: "/home/u" };
  expect(promptLine(bare, { ...view, unicode: false })).toBe("[Smith] full ~ > ");
  expect(promptLine({ ...bare, context: { tokens: 900, window: null } }, view)).toBe("[Smith] full ~ (900) ▸ ");
  expect(promptLine({ ...bare, path: "/home/user2" }, view)).toBe("[Smith] full /home/user2 ▸ ");
});

test("U9 what does not fit is left out in order: cost, path, tokens, model, role, mode", () => {
  const forms = [57, 56, 50, 49, 46, 38, 37, 34, 22, 21, 14, 13, 6, 2, 1, 0].map((columns) =>
    promptLine(facts, { columns, theme }),
  );
  expect([...new Set(forms)]).toEqual([
    "[Smith:big-model] full ~/code/project (1.2k 45% $0.03) ▸ ",
    "[Smith:big-model] full ~/code/project (1.2k 45%) ▸ ",
    "[Smith:big-model] full …/project (1.2k 45%) ▸ ",
    "[Smith:big-model] full …/project ▸ ",
    "[Smith:big-model] full ▸ ",
    "[Smith] full ▸ ",
    "full ▸ ",
    "▸ ",
    "▸",
    "",
  ]);
});

test("U9 B68 no prompt line is wider than its columns or holds a control character, whatever is in it", () => {
  const any = fc.string({ unit: "binary", maxLength: 12 });
  fc.assert(
    fc.property(any, any, fc.nat(60), (model, name, columns) => {
      const line = promptLine({ ...facts, role: name, mode: model, model, path: `/${name}` }, { columns, theme });
      expect(width(line)).toBeLessThanOrEqual(columns);
      expect([...line].filter((char) => char < " " || (char >= "\u007f" && char <= "\u009f"))).toEqual([]);
    }),
  );
});

test("U10 the context's use is coloured above 70 and above 90 percent", () => {
  expect([0, 70, 70.1, 90, 90.1, 140].map(levelOf)).toEqual(["calm", "calm", "high", "high", "critical", "critical"]);
  const coloured = createTheme({ colour: true, kind: "dark" });
  const used = (tokens: number) =>
    promptLine({ ...facts, context: { tokens, window: 100 } }, { columns: 80, theme: coloured });
  expect(used(70)).toContain(coloured.prompt.calm("70 70%"));
  expect(used(71)).toContain(coloured.prompt.high("71 71%"));
  expect(used(91)).toContain(coloured.prompt.critical("91 91%"));
});

test("U9 counts, costs and times are short", () => {
  expect([0, 999, 1000, 1234, 999_949, 999_950, 3_400_000].map(shortCount)).toEqual([
    "0",
    "999",
    "1.0k",
    "1.2k",
    "999.9k",
    "1.0M",
    "3.4M",
  ]);
  expect([null, -1, 0, 0.00042, 0.0042, 0.031, 12.5].map(costText)).toEqual([
    "$0.00",
    "$0.00",
    "$0.00",
    "$0.0004",
    "$0.004",
    "$0.03",
    "$12.50",
  ]);
  expect([-5, 999, 4200, 125_000, 3_720_000].map(elapsedText)).toEqual(["0s", "0s", "4s", "2m05s", "1h02m"]);
});

test("U6 the spinner has ten frames a second, in braille or in ASCII", () => {
  expect([0, 99, 100, 950, 1000].map((ms) => spinnerFrame(ms, true))).toEqual(["⠋", "⠋", "⠙", "⠏", "⠋"]);
  expect([0, 100, 200, 300, 400].map((ms) => spinnerFrame(ms, false))).toEqual(["-", "\\", "|", "/", "-"]);
});
