import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { model, place } from "./scene.ts";
import { hasTmux, openPane, type Pane } from "./tmux.ts";

if (!hasTmux) console.log("skipped: escape sequences in a real terminal (tmux is not installed)");

/** What a source would like the terminal to do, between letters that must stay. */
const ATTACKS = [
  "\u001b]0;owned\u0007", // window title
  "\u001b]8;;http://evil.example/\u001b\\link\u001b]8;;\u001b\\",
  "\u001b]52;c;aGk=\u0007", // clipboard
  "\u001b[2J\u001b[77A\u001b[31;45m",
  "\u009b77A\u0090q\u009c\u009d0;owned\u009c",
  "\u001bPq#0\u001b\\", // a device control string
  "over\rwrite\b\b",
  "\u202eabc\u2066def\u200f",
];
const evil = (name: string): string => `${name}<${ATTACKS.join("|")}>${name}`;

/** What smith itself writes to a terminal, and nothing else does. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const OURS = /\u001b\[(?:[0-9;]*m|\?(?:2026|2004|25)[hl]|\d{1,2}[ABC]|2K|J)|\u001b[78]|\r(?=\r?\n|\u001b)/g;
/** What it asks the terminal as it opens. */
const ASKED = "\u001b]11;?\u001b\\";
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FOREIGN = /[^\P{Control}\n\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]|\u001b\[77A|\u001b\[31;45m/gu;

function foreignIn(pane: Pane): readonly string[] {
  const text = Buffer.from(pane.bytes(), "latin1").toString();
  const explicit = ["\u001b[77A", "\u001b[31;45m", "\u001b[2J"].filter((each) => text.includes(each));
  return [
    ...explicit,
    ...[...text.replaceAll(ASKED, "").replaceAll(OURS, "").matchAll(FOREIGN)].map(({ 0: found }) =>
      JSON.stringify(found),
    ),
  ];
}

const isEchoed = (rows: readonly string[], text: string) => rows.some((row) => row.includes(`▸ ${text}`));

/** Sends a line and waits until what it began is over. */
async function line(pane: Pane, text: string): Promise<void> {
  const drawn = /^[ -~]*/.exec(text)?.[0] ?? "";
  pane.type(text);
  pane.press("Enter");
  await pane.see((rows) => /^$/.test(rows.at(-2) ?? "-") && /▸$/.test(rows.at(-1) ?? "") && isEchoed(rows, drawn));
}

describe.skipIf(!hasTmux)("B68 fault 217 nothing from elsewhere reaches the terminal raw", () => {
  test("B68 model text, reasoning, tool names, arguments, outputs, file names, tasks, reports, errors", async () => {
    const path = `name-${ATTACKS.join("")}.txt`;
    const task = evil("task");
    const steps: readonly Step[] = [
      {
        ...{
          reasoning: `${evil("reason")}\n`,
          say: `# ${evil("say")}\n\n\`${evil("code")}\` [${evil("text")}](http://x/)\n`,
        },
        call: [
          { id: "a", name: "bash", args: { command: `printf '%s' '${evil("output")}'; exit 3` } },
          { id: "b", name: "write", args: { path, content: `${evil("content")}\n` } },
          { id: "c", name: "read", args: { path: evil("absent").replaceAll("/", "") } },
          { id: "d", name: "dispatch", args: { target_role: "explorer", task } },
        ],
      },
      { call: [{ id: "e", name: evil("tool"), args: {} }] },
      { say: `\`\`\`ts\n${evil("fence")}\n\`\`\`\n` },
      { status: 400, body: { error: { message: evil("refused"), code: evil("code") } } },
    ];
    const report = { id: "r", name: "report", args: { status: "ok", summary: evil("summary") } };
    const llm = await model({ direct: steps, explorer: [{ call: [report] }] }, { strict: false });
    const pane = await openPane(place({ config: llm.config, git: true }), { rows: 50 });
    await line(pane, "go");
    await line(pane, "once more");
    expect(foreignIn(pane)).toEqual([]);
    const shown = pane.all().join("\n");
    for (const name of [
      "reason",
      "say",
      "code",
      "text",
      "output",
      "name-",
      "content",
      "absent",
      "task",
      "fence",
      "refused",
    ]) {
      expect([name, shown.includes(name)]).toEqual([name, true]); // what people can read stays
    }
  });

  test("B68 what was typed or pasted, its completion, names of sessions, folders, repositories, models, values of the configuration", async () => {
    const llm = await model([{ say: "Well." }, { say: "No." }], { strict: false });
    const config = { ...llm.config, default_model: evil("model"), models: { worker: evil("worker") } };
    const here = place({ config, git: true });
    const cwd = join(here.cwd, "folder-\u001b]0;owned\u0007\u009b77A\u202e");
    mkdirSync(cwd);
    for (const name of ["pick-one", "pick-two"]) writeFileSync(join(cwd, `${name}-${ATTACKS[3]}\u009b77A`), "");
    execFileSync("git", ["remote", "add", "origin", `https://h/\u001b]0;owned\u0007/x.git`], { cwd: here.cwd });
    const pane = await openPane(here, { args: ["--cwd", cwd], columns: 100, rows: 50 });
    pane.type("see @pick");
    pane.press("Tab");
    await pane.see("@pick-");
    pane.press("Tab");
    await pane.see("pick-two");
    pane.press("C-u");
    pane.paste(evil("pasted"));
    await pane.see("pasted");
    pane.press("Enter");
    await pane.see("Well.");
    for (const command of [
      "/sessions list",
      "/config get models.worker",
      "/config explain default_model",
      "/model",
      "/nope",
    ]) {
      await line(pane, command);
    }
    await line(pane, `@absent-\u009b77A\u202e`);
    pane.press("C-r");
    pane.type("pasted");
    await pane.see("(search: pasted)");
    expect(foreignIn(pane)).toEqual([]);
  });
});
