import fc from "fast-check";
import { expect, test } from "vitest";
import {
  applyCompletion,
  clearText,
  createEditor,
  type EditorState,
  edit,
  type Key,
  renderEditor,
  textIn,
  width,
} from "../src/index.ts";
import { graphemes } from "../src/line-editor-text.ts";

/** Keys as words in angle brackets, letters as they are: `ab<left>c`. */
const keysOf = (script: string): readonly Key[] =>
  Array.from(script.matchAll(/<([^<>]+)>|([^<>]+)/g), ([, name, text]) =>
    name === undefined ? { type: "text", text: text ?? "" } : { type: "key", name },
  );
const press = (script: string, state: EditorState = createEditor()): EditorState => keysOf(script).reduce(edit, state);
const paste = (text: string, state: EditorState = createEditor()): EditorState => edit(state, { type: "paste", text });
/** The text with a bar where the cursor is. */
const shown = ({ text, cursor }: EditorState): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

test("U35 the keys people expect move and change the text", () => {
  const table: readonly (readonly [string, string])[] = [
    ["abc<left><left>X", "aX|bc"],
    ["abc<home>X<end>Y", "XabcY|"],
    ["abc<ctrl-a>X<ctrl-e>Y<ctrl-b><ctrl-b><ctrl-f>Z", "XabcZ|Y"],
    ["one two<ctrl-w>", "one |"],
    ["one two-three<alt-backspace>", "one two-|"],
    ["a/b c/d<ctrl-w>", "a/b |"],
    ["one two<alt-b><alt-b>X", "X|one two"],
    ["one two<home><alt-f>X", "oneX| two"],
    ["one two<home><alt-d>", "| two"],
    ["one two<alt-b><ctrl-k>", "one |"],
    ["one two<alt-b><ctrl-u>", "|two"],
    ["one two<ctrl-w><ctrl-w><ctrl-y>!", "one two!|"],
    ["one two<home><alt-d><alt-d><ctrl-y>", "one two|"],
    ["abc<ctrl-t>", "acb|"],
    ["abc<left><left><ctrl-t>", "ba|c"],
    ["a<backspace><backspace>b", "b|"],
    ["abc<home><delete><ctrl-d>", "|c"],
    ["ab<ctrl-k>c", "abc|"],
    ["a<alt-enter>b<ctrl-j>c", "a\nb\nc|"],
    ["a\\<enter>b", "a\nb|"],
    ["a<ctrl-j>b<up><ctrl-k>c", "ac|b"],
    ["a<ctrl-j>b<home><ctrl-u>", "a|b"],
    ["abc<ctrl-j>d<ctrl-j>efg<up><up>X", "abcX|\nd\nefg"],
    ["a<ctrl-j>b<ctrl-home>X<ctrl-end>Y", "Xa\nbY|"],
  ];
  expect(table.map(([script]) => shown(press(script)))).toEqual(table.map(([, text]) => text));
});

test("B66 the cursor moves by whole characters, and backspace takes a whole one", () => {
  const table: readonly (readonly [string, string])[] = [
    ["你好ab<left><left>X", "你好X|ab"],
    ["👨‍👩‍👧x<left><left>y", "y|👨‍👩‍👧x"],
    ["e\u0301x<left><backspace>", "|x"],
    ["🇩🇪🇫🇷<backspace>", "🇩🇪|"],
    ["a👨‍👩‍👧<backspace>", "a|"],
    ["你好世界<alt-b>", "|你好世界"],
  ];
  expect(table.map(([script]) => shown(press(script)))).toEqual(table.map(([, text]) => text));
});

test("U35 Enter submits all of the text wherever the cursor is, and leaves an empty editor", () => {
  const state = press("one<ctrl-j>two<up><home><enter>");
  expect(state).toEqual({
    ...createEditor(["one\ntwo"]),
    effect: { type: "submit", text: "one\ntwo" },
  });
  expect(press("a\\\\<enter>").effect).toEqual({ type: "submit", text: "a\\\\" });
});

test("U11 U12 what the editor has no use for is told as an effect", () => {
  const effects = ["<ctrl-c>", "<escape>", "<ctrl-d>", "<ctrl-l>", "<alt-h>", "/x<tab>", "/x<left><tab>", "a<ctrl-d>"];
  expect(effects.map((script) => press(script).effect)).toEqual([
    { type: "interrupt" },
    { type: "escape" },
    { type: "eof" },
    { type: "clear_screen" },
    { type: "unbound", name: "alt-h" },
    { type: "complete", text: "/x" },
    null,
    null,
  ]);
  expect([press("abc<ctrl-c>").text, clearText(press("abc")).text]).toEqual(["abc", ""]);
  expect(press("<toString>").effect).toEqual({ type: "unbound", name: "toString" });
});

test("U35 undo takes back words, kills and pastes one by one", () => {
  let state = press("o", createEditor());
  for (const char of "ne two") state = press(char, state);
  state = press("<ctrl-w>", paste("X\nY", state));
  const steps: string[] = [shown(state)];
  for (let step = 0; step < 5; step++) {
    state = press("<ctrl-_>", state);
    steps.push(shown(state));
  }
  expect(steps).toEqual(["one twoX\n|", "one twoX\nY|", "one two|", "one|", "|", "|"]);
});

test("U34 up and down walk the history from the first and last line, and the draft is kept", () => {
  const before = createEditor(["first", "two\nlines", "last"]);
  const steps = ["dra<left>", "<up>", "<up>", "<up>", "<up>", "<up>", "<down>", "<down>", "<down>", "<down>", "<down>"];
  let state = before;
  const seen = steps.map((step) => {
    state = press(step, state);
    return shown(state);
  });
  expect(seen).toEqual([
    "dr|a",
    "last|",
    "two\nlines|",
    "two|\nlines",
    "first|",
    "first|",
    "two\nlines|",
    "last|",
    "dr|a",
    "dr|a",
    "dr|a",
  ]);
});

test("U34 Ctrl-R finds the newest entry that holds what is typed, then older ones; Esc gives the draft back", () => {
  const state = press("draft<ctrl-r>", createEditor(["git push", "npm test", "Git pull", "ls"]));
  const view = { columns: 40, prompt: "> " };
  expect(renderEditor(press("git", state), view).lines).toEqual(["(search: git) Git pull"]);
  expect(renderEditor(press("git<ctrl-r>", state), view).lines).toEqual(["(search: git) git push"]);
  expect(renderEditor(press("git<ctrl-r><ctrl-r>", state), view).lines).toEqual(["(search: git) git push"]);
  expect(renderEditor(press("Git", state), view).lines).toEqual(["(search: Git) Git pull"]);
  expect(renderEditor(press("gitx", state), view).lines).toEqual(["(not found: gitx) draft"]);
  expect(shown(press("git<escape>", state))).toBe("draft|");
  expect(shown(press("gitx<enter>", state))).toBe("draft|");
  expect(shown(press("git<home>X", state))).toBe("X|Git pull");
  expect(press("npm<enter>", state).effect).toEqual({ type: "submit", text: "npm test" });
  expect(shown(press("pu<backspace><backspace><tab>", state))).toBe("draft|");
});

test("U35 a large paste is drawn as one placeholder, moved over as one character, and submitted whole", () => {
  const large = `${"row\n".repeat(1233)}row`;
  const pasted = press("!", paste(large, press("see see ")));
  const view = { columns: 60, prompt: "> " };
  expect(renderEditor(pasted, view)).toEqual({
    lines: ["> see see [pasted 1,234 lines]!"],
    cursor: { row: 0, column: 31 },
  });
  expect(textIn(pasted)).toBe(`see see ${large}!`);
  expect(press("<enter>", pasted).effect).toEqual({ type: "submit", text: `see see ${large}!` });
  expect(textIn(press("<left><left>x", pasted))).toBe(`see see x${large}!`);
  expect(textIn(press("<left><backspace>", pasted))).toBe("see see !");
  expect(textIn(press("<ctrl-u><ctrl-y><ctrl-y>", pasted))).toBe(`see see ${large}!see see ${large}!`);
  expect(textIn(press("<up>", press("<enter>", pasted)))).toBe(`see see ${large}!`);
  expect(renderEditor(paste("x".repeat(2001)), view).lines).toEqual(["> [pasted 2,001 characters]"]);
  expect(paste("x".repeat(2000)).held).toEqual([]);
});

test("U35 nothing of a paste is collapsed: blanks, tabs and line ends stay", () => {
  const text = "  a\t\tb   c\n\n\n    d  \n";
  expect(press("<enter>", paste(text)).effect).toEqual({ type: "submit", text });
  expect(press("<enter>", paste("a\r\nb\rc")).effect).toEqual({ type: "submit", text: "a\nb\nc" });
});

test("U26 Tab puts in what the candidates have in common, then offers them", () => {
  const state = press("/co");
  const text = "/co";
  const apply = (words: readonly string[]) => applyCompletion(state, { text, typed: "/co", words });
  expect(shown(apply(["/config"]))).toBe("/config |");
  expect(shown(apply(["/config", "/configure"]))).toBe("/config|");
  expect(apply(["/cost", "/config"]).offered).toEqual(["/cost", "/config"]);
  expect(apply([]).text).toBe("/co");
  expect(applyCompletion(press("x", state), { text, typed: "/co", words: ["/config"] }).text).toBe("/cox");
  const file = applyCompletion(press("see @rd"), { text: "see @rd", typed: "@rd", words: ["@docs/README.md"] });
  expect(shown(file)).toBe("see @docs/README.md |");
  const offered = apply(["/cost", "/config"]);
  expect(renderEditor(offered, { columns: 30, prompt: "> " }).lines).toEqual(["> /co", "/cost    /config"]);
  expect([press("<escape>", offered).effect, press("<escape>", offered).offered]).toEqual([null, []]);
});

test("B66 the cursor's column counts cells: behind `你好ab` it is the prompt and six", () => {
  const view = { columns: 20, prompt: "▸ " };
  expect(renderEditor(press("你好ab"), view)).toEqual({ lines: ["▸ 你好ab"], cursor: { row: 0, column: 8 } });
  expect(renderEditor(press("你好ab<left><left>X"), view)).toEqual({
    lines: ["▸ 你好Xab"],
    cursor: { row: 0, column: 7 },
  });
  expect(renderEditor(press("你".repeat(15)), { ...view, prompt: "> x" })).toEqual({
    lines: [`> x${"你".repeat(8)}`, "你".repeat(7)],
    cursor: { row: 1, column: 14 },
  });
  expect(renderEditor(press("x".repeat(18)), view)).toEqual({
    lines: [`▸ ${"x".repeat(18)}`, ""],
    cursor: { row: 1, column: 0 },
  });
  expect(renderEditor(press("e\u0301👨‍👩‍👧"), view)).toEqual({
    lines: ["▸ e\u0301👨‍👩‍👧"],
    cursor: { row: 0, column: 5 },
  });
});

test("B68 control characters and marks that reorder text are drawn as signs, and submitted as they are", () => {
  const text = "a\u001b[2Jb\u0007\u202ec\u009b";
  expect(renderEditor(paste(text), { columns: 40, prompt: "> " }).lines).toEqual(["> a^[[2Jb^G\ufffdc\ufffd"]);
  expect(press("<enter>", paste(text)).effect).toEqual({ type: "submit", text });
});

test("U27 a hint is drawn only behind the end of the text", () => {
  const view = { columns: 20, prompt: "> ", hint: "st " };
  expect(renderEditor(press("/li"), view)).toEqual({ lines: ["> /list"], cursor: { row: 0, column: 5 } });
  expect(renderEditor(press("/li<left>"), view).lines).toEqual(["> /li"]);
});

const names =
  "left right up down home end backspace delete enter ctrl-j ctrl-k ctrl-u ctrl-w ctrl-y ctrl-t ctrl-_ ctrl-r ctrl-g alt-b alt-f alt-d tab escape ctrl-c ctrl-p ctrl-n ctrl-home";
const unit = fc.constantFrom(
  "a",
  "B",
  " ",
  "\\",
  "你",
  "\u0301",
  "👩",
  "\u200d",
  "🇩",
  "\t",
  "\u{100000}",
  "\ud800",
  "✓",
);
const letters = fc.string({ unit, minLength: 1, maxLength: 4 });
const anyKey: fc.Arbitrary<Key> = fc.oneof(
  fc.constantFrom(...names.split(" ")).map((name): Key => ({ type: "key", name })),
  letters.map((text): Key => ({ type: "text", text })),
  fc.string({ unit: fc.oneof(unit, fc.constant("\n")), maxLength: 60 }).map((text): Key => ({ type: "paste", text })),
);

test("B66 whatever keys come, the cursor stays on a boundary within the text and on the rows that are drawn", () => {
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (keys, columns) => {
      let state = createEditor(["one", "two\nlines", "你好"]);
      for (const key of keys) {
        state = edit(state, key);
        expect(boundaries(state.text)).toContain(state.cursor);
        const { lines, cursor } = renderEditor(state, { columns, prompt: "你> " });
        expect(lines.every((line) => width(line) <= columns)).toBe(true);
        expect([cursor.row < lines.length, cursor.column < columns]).toEqual([true, true]);
      }
    }),
    { numRuns: 300 },
  );
});

function boundaries(text: string): readonly number[] {
  let at = 0;
  return [0, ...graphemes(text).map((char) => (at += char.length))];
}

test("B66 what is submitted is what was typed and pasted, in order", () => {
  const typed = fc.oneof(letters, fc.string({ unit: "binary", maxLength: 10 }), fc.constantFrom("x\n".repeat(30)));
  fc.assert(
    fc.property(fc.array(fc.tuple(typed, fc.boolean()), { maxLength: 12 }), (parts) => {
      const keys = parts.map(([text, isPaste]): Key => ({ type: isPaste ? "paste" : "text", text }));
      const whole = parts.map(([text, isPaste]) => (isPaste ? text.replace(/\r\n?/g, "\n") : text)).join("");
      const state = keys.reduce(edit, createEditor());
      expect(textIn(state)).toBe(whole);
    }),
    { numRuns: 500 },
  );
});

test("B66 characters are parted as the segmenter parts them, and their sum is the text", () => {
  const any = fc.string({
    unit: fc.oneof(unit, fc.constantFrom("é", "が", "か", "\u3099", "한", "ก", "\u0e33", "Ж", "\n")),
  });
  fc.assert(
    fc.property(any, (text) => {
      const segments = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
      expect(graphemes(text)).toEqual(segments);
    }),
    { numRuns: 1000 },
  );
});

test("U35 a key in a long text of wide letters is answered at once", () => {
  const state = press("你好世界".repeat(495));
  const started = performance.now();
  for (let times = 0; times < 20; times++) renderEditor(press("<left>", state), { columns: 80, prompt: "> " });
  expect((performance.now() - started) / 20).toBeLessThan(50);
});
