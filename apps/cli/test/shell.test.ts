import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { conversationIn, model, type Place, place } from "./scene.ts";
import { expectCapture } from "./shell-capture.ts";
import { hasTmux, openPane, type Pane } from "./tmux.ts";

if (!hasTmux) console.log("skipped: the scenes of the shell in a real terminal (tmux is not installed)");

/** The same figures in each run: a request's bytes depend on the folder's name. */
const usage = { prompt_tokens: 1200, completion_tokens: 34, total_tokens: 1234 };
const bash = (command: string, id = "c1") => ({ id, name: "bash", args: { command } });
/** A command that runs until the test lets it end. */
const UNTIL_GO = "touch begun; until [ -e go ]; do sleep 0.02; done; echo gone";
const letGo = (here: Place) => writeFileSync(join(here.cwd, "go"), "");

async function ask(pane: Pane, text: string): Promise<void> {
  pane.type(text);
  pane.press("Enter");
  await pane.see((rows) => rows.some((row) => row.includes("▸ ") && row.endsWith(text)));
}

/** The prompt stands alone on the last row, below an empty one: whatever ran has ended. */
const settled = (pane: Pane, last = "") =>
  pane.see((rows) => /^$/.test(rows.at(-2) ?? "-") && /▸$/.test(rows.at(-1) ?? "") && rows.join("\n").includes(last));

/** Pieces of an answer, each held back until the test asks for it. */
function heldAnswer(pieces: readonly string[]) {
  const release: (() => void)[] = [];
  const gates = pieces.map(() => new Promise<void>((resolve) => void release.push(resolve)));
  const event = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
  const raw = async function* () {
    for (const [at, content] of pieces.entries()) {
      await gates[at];
      yield event({ delta: { content }, finish_reason: null });
    }
    yield event({ delta: {}, finish_reason: "stop" });
    yield `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;
  };
  return { step: { raw: raw() } satisfies Step, next: () => release.shift()?.() };
}

const ANSWER = `# Done

The timeout is now **30 s** (\`src/wait.ts\`):

1. it was *5 s*,
2. nothing else reads it.

| file | lines |
|---|---:|
| wait.ts | 1 |

\`\`\`ts
export const TIMEOUT = 30_000; // ms
\`\`\`
`;

describe.skipIf(!hasTmux)("the shell's scenes", () => {
  test("U1 U3 U8 U9 U32 U36 a turn: reasoning, answer, a row for each call with its diff, Markdown, the prompt with context use", async () => {
    const edit = { path: "src/wait.ts", old_string: "5_000", new_string: "30_000" };
    const llm = await model([
      {
        ...{ reasoning: "The timeout is in wait.ts.\nI change it.", say: "I'll raise it.", usage },
        call: [bash("grep -rn TIMEOUT src"), { id: "c2", name: "edit", args: edit }],
      },
      { call: [{ id: "c3", name: "read", args: { path: "src/nope.ts" } }], usage },
      { say: ANSWER, usage },
    ]);
    const here = place({ config: llm.config, files: { "src/wait.ts": "export const TIMEOUT = 5_000;\n" }, git: true });
    const pane = await openPane(here, { rows: 32 });
    await ask(pane, "raise the timeout to 30 s");
    await settled(pane, "TIMEOUT = 30_000; // ms");
    expectCapture("turn", pane.rows());
    expect(pane.spans("The timeout is in").map(({ look }) => look)).toEqual(["dim"]);
    expect(pane.spans("grep -rn")).toEqual([
      { column: 0, text: "•", look: "green" },
      { column: 1, text: " ", look: "plain" },
      { column: 2, text: "bash", look: "bold" },
      { column: 6, text: " grep -rn TIMEOUT src  ", look: "plain" },
      { column: 29, text: "exit 0 (44 B)", look: "dim" },
    ]);
    expect(pane.spans("-export")).toEqual([
      { column: 0, text: "  ", look: "plain" },
      { column: 2, text: "-export const TIMEOUT = 5_000;", look: "bright red" },
    ]);
    expect(pane.spans("+export")[1]?.look).toBe("green");
    expect(pane.spans("nope.ts").map(({ look }) => look)).toEqual([
      "bright red",
      "plain",
      "bold",
      "plain",
      "bright red",
    ]);
    expect(pane.spans("Done")).toEqual([{ column: 0, text: "Done", look: "bold underline cyan" }]);
    expect(pane.spans("The timeout is now").map(({ text, look }) => [text, look])).toEqual([
      ["The timeout is now ", "plain"],
      ["30 s", "bold"],
      [" (", "plain"],
      ["src/wait.ts", "yellow"],
      ["):", "plain"],
    ]);
  });

  test("U32 an edit of many lines is told by their number, a file that is no text not at all", async () => {
    const write = (id: string, path: string, content: string) => ({ id, name: "write", args: { path, content } });
    const long = "line\n".repeat(21);
    const llm = await model([
      { call: [write("a", "long.txt", long), write("b", "short.txt", "one\n"), write("c", "blob", "a\0b\n")], usage },
      { say: "Written.", usage },
    ]);
    const pane = await openPane(place({ config: llm.config, files: { "long.txt": "old\n" }, git: true }));
    await ask(pane, "write");
    const rows = await settled(pane, "Written.");
    expect(rows.slice(3, 9)).toEqual([
      "• write  long.txt (105 B)",
      "  +21 -1 lines",
      "• write  short.txt (4 B)",
      "  +one",
      "• write  blob (4 B)",
      "",
    ]);
  });

  test("U1 U4 U5 an answer streams: whole blocks stay as they are, the open one and the status below change in place", async () => {
    const { step, next } = heldAnswer(["# Title\n\nThe first ", "paragraph.\n\nThe second **par", "agraph**."]);
    const llm = await model([step]);
    const pane = await openPane(place({ config: llm.config }));
    await ask(pane, "tell");
    await pane.see("thinking");
    next();
    await pane.see("The first");
    next();
    await pane.see("The second **par");
    await pane.see("streaming");
    expectCapture("streaming", pane.rows());
    expect(pane.spans("streaming").map(({ look }) => look)).toEqual(["plain", "cyan", "plain", "dim"]);
    const before = pane.bytes().split("paragraph.").length;
    next();
    await settled(pane, "The second paragraph.");
    expect(pane.bytes().split("The first paragraph.").length).toBe(before); // finished blocks are never drawn again
    expect(pane.all().filter((row) => row === "The first paragraph.").length).toBe(1);
  });

  test("T24 U11 E18 a turn cancelled in a tool, by Esc, Ctrl-C or the configured key: its row, the account in two lines, and what was typed ahead back in the editor", async () => {
    const write = { id: "c0", name: "write", args: { path: "notes.txt", content: "one\ntwo\n" } };
    for (const [key, reason] of [
      ["Escape", "escape"],
      ["C-c", "ctrl-c"],
      ["C-x", "ctrl-x"],
    ] as const) {
      const llm = await model([
        { call: [write, bash("touch begun; sleep 60")], usage },
        { say: "Here.", usage },
      ]);
      const here = place({ config: { ...llm.config, ui: { keys: { cancel: "ctrl-x" } } }, git: true });
      const pane = await openPane(here);
      await ask(pane, "do it");
      await pane.see(() => existsSync(join(here.cwd, "begun")));
      pane.type("then this");
      pane.press("Enter");
      await pane.see("⋯ then this");
      pane.press(key);
      await pane.see(`cancelled (${reason})`);
      await pane.see((rows) => rows.at(-1)?.endsWith("▸ then this") === true && pane.cursor().column > 30);
      if (key === "Escape") {
        expectCapture("cancelled", pane.rows());
        expect(pane.spans("◦ bash").map(({ look }) => look)).toEqual(["yellow", "plain", "bold", "plain", "yellow"]);
        expect(pane.spans("cancelled (escape)")[0]?.look).toBe("yellow");
      }
      expect((await pane.leftBehind()).filter((each) => each.includes("sleep"))).toEqual([]);
      pane.press("Enter");
      await settled(pane, "Here.");
      expect(conversationIn(llm.requests[1]).at(-1)?.content).toBe("then this");
    }
  });

  test("B19 T25 a line that begins with > goes into the running turn, others wait and are shown, a command is answered at once; a tool that reads gets none of the keys", async () => {
    const reading = bash(`${UNTIL_GO}; cat; read x; echo "[$x]"`);
    const llm = await model([
      { call: [reading], usage },
      { say: "Steered.", usage },
      { say: "Next.", usage },
    ]);
    const here = place({ config: llm.config, git: true });
    const pane = await openPane(here);
    await ask(pane, "work");
    await pane.see("running bash");
    pane.type("> only in src");
    pane.press("Enter");
    await pane.see("→ only in src");
    pane.type("and the tests?");
    pane.press("Enter");
    await pane.see("⋯ and the tests?");
    pane.type("/mode");
    pane.press("Enter");
    await pane.see("mode full (full, ask, plan)");
    pane.type("half a li");
    await pane.see("▸ half a li");
    expectCapture("steering", pane.rows());
    expect([pane.spans("→ only"), pane.spans("⋯ and")].map((spans) => spans[0]?.look)).toEqual(["dim", "dim"]);
    letGo(here);
    await pane.see("Next.");
    expect(conversationIn(llm.requests[1])[2]?.content).toMatch(/^gone\n\[\]\n/);
    const said = (at: number) => conversationIn(llm.requests[at]).filter(({ role }) => role === "user");
    expect(said(1).map(({ content }) => content)).toEqual(["work", "only in src"]);
    expect(said(2).map(({ content }) => content)).toEqual(["work", "only in src", "and the tests?"]);
    await pane.see("▸ half a li");
  });

  test("U3 U6 four children side by side: a tree with role, task, tool and time that changes in place, then a row for each", async () => {
    const roles = ["explorer", "worker", "explorer", "worker"];
    const tasks = [
      "Find who calls wait().",
      "Write the tests of wait.",
      "Read the docs of wait.",
      "Mend the types of wait.",
    ];
    const call = roles.map((target_role, n) => ({
      id: `d${n}`,
      name: "dispatch",
      args: { target_role, task: tasks[n] },
    }));
    const child = (id: string): Step => ({ call: [bash(UNTIL_GO, id)], usage });
    const report = (id: string, summary: string): Step => ({
      ...{ call: [{ id, name: "report", args: { status: "ok", summary } }], usage },
    });
    const two = (name: string) => [child("a"), child("b"), report("r", `${name} one.`), report("s", `${name} two.`)];
    const llm = await model({
      direct: [
        { call, usage },
        { say: "All four are back.", usage },
      ],
      ...{ explorer: two("Found"), worker: two("Done") },
    });
    const here = place({ config: llm.config, git: true });
    const pane = await openPane(here);
    await ask(pane, "share the work");
    await pane.see((rows) => rows.filter((row) => row.includes("· running bash ·")).length === 4);
    expectCapture("children", pane.rows());
    expect(pane.spans("Mend the types")).toEqual([
      { column: 0, text: "└─ ", look: "dim" },
      { column: 3, text: "Niobe", look: "bold yellow" },
      { column: 8, text: " Mend the types of wait. ", look: "plain" },
      { column: 33, text: expect.stringMatching(/^· running bash · \ds · 1\.2k tokens$/), look: "dim" },
    ]);
    letGo(here);
    const rows = await settled(pane, "All four are back.");
    const ends = rows.filter((row) => row.startsWith("◂")).map((row) => row.replace(/\d+s$/, "Ns"));
    const names = ["Link", "Niobe", "Link", "Niobe"];
    expect(ends.toSorted()).toEqual(tasks.map((task, n) => `◂ ${names[n]} ok  ${task}  Ns`).toSorted());
    expect(rows.filter((row) => /report|├|└/.test(row))).toEqual([]);
  });

  test("fault 214 the window is made smaller and larger while an answer streams: all of it is there once", async () => {
    const lines = Array.from({ length: 6 }, (_, n) => `Line ${n} says a word or two more than forty columns hold.\n\n`);
    const sizes = [
      [40, 24],
      [20, 12],
      [100, 30],
      [30, 9],
      [60, 10],
      [80, 24],
    ] as const;
    const { step, next } = heldAnswer([...lines, "The", " end."]);
    const llm = await model([step]);
    const pane = await openPane(place({ config: llm.config }));
    await ask(pane, "tell");
    for (const [at, size] of sizes.entries()) {
      next();
      await pane.find(`Line ${at} says`);
      await pane.resize(size[0], size[1]);
    }
    next();
    await pane.see("The");
    // A row more where the machine was so busy that something was drawn before it was told of the new size.
    expect(pane.all().filter((row) => row.includes("streaming")).length).toBeLessThanOrEqual(2);
    pane.storm([...sizes, ...sizes, [1, 1], ...sizes]);
    next();
    await settled(pane, "(1.2k");
    const told = pane.all().join("\n");
    expect(lines.map((_, n) => told.split(`Line ${n} says`).length - 1)).toEqual(lines.map(() => 1));
    expect(pane.rows().at(-1)).toMatch(/^\[Smith:scripted\] full ~\/work \(1\.2k\b.*\) ▸$/);
  });

  test("fault 214 one column, one row: nothing breaks, and a larger window shows the prompt again", async () => {
    const llm = await model([{ say: ANSWER, usage }]);
    const pane = await openPane(place({ config: llm.config }));
    await pane.resize(1, 1);
    pane.type("go");
    pane.press("Enter");
    await llm.received(1);
    await pane.resize(80, 24);
    await settled(pane);
    pane.press("C-d");
    expect(await pane.ended()).toEqual({ code: 0, restored: true });
  });

  test("U9 B66 40 and 20 columns, East Asian text and emoji: nothing is cut in two, the prompt gives way part by part", async () => {
    const say =
      "# 完了しました ✅\n\n日本語の文章は、単語の間に空白がないので、どこでも改行できます。👨‍👩‍👧 が三人。\n\n| 名前 | 値 |\n|---|---|\n| 端末 | 良い |\n";
    const llm = await model([
      { say, usage },
      { say, usage },
    ]);
    const here = place({ config: llm.config });
    for (const columns of [40, 20]) {
      const pane = await openPane(here, { columns, args: ["--new"] });
      pane.type("終わった？");
      pane.press("Enter");
      const rows = await settled(pane, "端末");
      expectCapture(`narrow-${columns}`, rows.slice(rows.findIndex((row) => row.includes("▸"))));
    }
  });

  test("U7 !command has the terminal to itself, Ctrl-C is the command's, and the model sees nothing of it", async () => {
    const llm = await model([{ say: "Yes." }]);
    const here = place({ config: llm.config });
    const pane = await openPane(here);
    pane.type("!read -p 'name? ' name; echo \"hello $name\"; exit 3");
    pane.press("Enter");
    await pane.see((rows) => rows.at(-1) === "name?");
    pane.type("Ann");
    pane.press("Enter");
    await settled(pane, "exit 3");
    expectCapture("command", pane.rows());
    pane.type("!(sleep 0.1; touch begun) & sleep 60");
    pane.press("Enter");
    await pane.see(() => existsSync(join(here.cwd, "begun")));
    pane.press("C-c");
    await settled(pane, "SIGINT");
    await ask(pane, "are you there?");
    await settled(pane, "Yes.");
    expect(conversationIn(llm.requests[0]).map(({ content }) => content)).toEqual(["are you there?"]);
  });
});
