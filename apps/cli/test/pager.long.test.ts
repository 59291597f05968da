import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { model, place } from "./scene.ts";
import { hasTmux, openPane, type Pane, type PaneOptions } from "./tmux.ts";

if (!hasTmux) console.log("skipped: the pager in a real terminal (tmux is not installed)");

const LONG = Array.from({ length: 60 }, (_, at) => `line ${at + 1} of the file 你好`).join("\n");
const READ = { call: [{ id: "c1", name: "read", args: { path: "long.txt" } }] };
const FOUND = { say: "# Found\n\nIt has **sixty** lines." };
const PROMPT = /▸$/;

/** A shell in which a file was read and told of. */
async function toldPane(options: PaneOptions = {}, more: Parameters<typeof model>[0] = []): Promise<Pane> {
  const llm = await model([READ, FOUND, ...(Array.isArray(more) ? more : [])]);
  const here = place({ config: llm.config, files: { "long.txt": `${LONG}\n` } });
  const pane = await openPane(here, { columns: 80, rows: 20, ...options });
  pane.type("what is in long.txt?");
  pane.press("Enter");
  await pane.see(
    (rows) => rows.includes("It has sixty lines.") && rows.at(-2) === "" && PROMPT.test(rows.at(-1) ?? ""),
  );
  return pane;
}

const last = (pane: Pane) => pane.rows().at(-1);
/** Whether the terminal was ever told to leave the alternate screen after it was told to enter it. */
const isLeft = (pane: Pane) => pane.bytes().lastIndexOf("[?1049l") > pane.bytes().lastIndexOf("[?1049h");

describe.skipIf(!hasTmux)("the transcript pager", () => {
  test("U12 U17 U33 W11 Alt-H and /pager open the whole transcript, at its end; q gives the shell back as it was", async () => {
    const pane = await toldPane();
    pane.type("a draft");
    await pane.see("▸ a draft");
    const before = pane.rows();
    pane.press("M-h");
    const rows = await pane.see("transcript · end");
    expect(rows.slice(-6)).toEqual([
      ...["", "▌ t1 · Smith", "▌ Found", "▌", "▌ It has sixty lines."],
      " transcript · end                                     q leaves, / finds, ? keys",
    ]);
    expect(pane.spans("transcript · end").map(({ column }) => column)).toEqual([0]);
    pane.type("g");
    expect((await pane.see("transcript · top"))[0]).toMatch(/^▌ t1 · you · 20\d\d-\d\d-\d\d \d\d:\d\d · read × 1$/);
    pane.type("/line 30 of");
    pane.press("Enter");
    await pane.see((seen) => seen.some((row) => row.startsWith(">   30│line 30 of the file 你好")));
    pane.type("q");
    await pane.see("▸ a draft");
    expect(pane.rows()).toEqual(before);
    pane.press("C-u");
    pane.type("/pager");
    pane.press("Enter");
    await pane.see("transcript · end");
    pane.press("Escape");
    await pane.see((seen) => PROMPT.test(seen.at(-1) ?? ""));
    pane.type("/prompt");
    pane.press("Enter");
    expect((await pane.see("system prompt · all")).join("\n")).toContain("You are");
    pane.press("C-c");
    await pane.see((seen) => PROMPT.test(seen.at(-1) ?? ""));
    pane.press("C-d");
    expect(await pane.ended()).toEqual({ code: 0, restored: true });
  });

  test("U12 fault 216 in the C locale and without colour the pager's own marks are ASCII", async () => {
    const llm = await model([{ ...READ }, { say: "Read." }]);
    const here = place({ config: llm.config, files: { "long.txt": "one\n" } });
    const pane = await openPane(here, { env: { LC_ALL: "C", NO_COLOR: "1" }, ready: "~/work >" });
    pane.type("go");
    pane.press("Enter");
    await pane.see((rows) => rows.includes("Read.") && rows.at(-2) === "");
    pane.press("M-h");
    const rows = await pane.see("transcript - all");
    expect(rows[0]).toMatch(/^ {2}t1 - you - [\d: -]+ - read x 1$/);
    expect(rows.filter((row) => !/│|hash/.test(row)).join("\n")).not.toMatch(/[^\0-\x7f]/); // those two are the tool's
    pane.type("q");
    await pane.see("~/work");
    pane.press("M-i");
    expect((await pane.see("messages - 4 of 4")).join("\n")).not.toMatch(/▌/);
  });

  test("U12 fault 214 resized to any width the place stays, down to a column; wide characters are not split", async () => {
    const pane = await toldPane();
    pane.press("M-h");
    await pane.see("transcript · end");
    pane.type("/line 30 of");
    pane.press("Enter");
    await pane.see((seen) => seen.some((row) => row.startsWith(">   30│")));
    await pane.resize(24, 8);
    await pane.see((seen) => seen.some((row) => row.startsWith(">   30│line 30 of the")));
    expect(pane.rows().some((row) => row === "▌ file 你好")).toBe(true);
    await pane.resize(5, 3);
    await pane.see((seen) => seen.length === 3);
    await pane.resize(1, 1);
    await pane.resize(100, 12);
    await pane.see(
      (seen) => seen.some((row) => row.startsWith(">   30│line 30 of the file 你好")) && seen.length === 12,
    );
    pane.type("q");
    await pane.see("It has sixty lines.");
  });

  test("U11 U12 U13 configured keys that can't be, or are there twice, are told at the start, and the default ones work", async () => {
    const llm = await model([]);
    const keys = { cancel: "h", transcript: "Ctrl+C", inspect: "alt-h" };
    const pane = await openPane(place({ config: { ...llm.config, ui: { keys } } }), { columns: 110 });
    for (const line of [
      'smith: ui.keys.cancel is "h": expected keys that a terminal sends and nobody types,',
      'smith: ui.keys.transcript is "Ctrl+C": ctrl-c is for cancelling. It is alt-h now.',
      'smith: ui.keys.inspect is "alt-h": ui.keys.transcript has it already. It is alt-i now.',
    ]) {
      expect(pane.rows().some((row) => row.startsWith(line))).toBe(true);
    }
    pane.press("M-h");
    await pane.see("No messages in current conversation.");
    pane.type("q");
    await pane.see((rows) => PROMPT.test(rows.at(-1) ?? ""));
    pane.press("M-i");
    await pane.see("Nothing is stored of this session yet.");
  });

  test.each(["SIGTERM", "SIGHUP", "SIGUSR2"] as const)(
    "U12 fault 223 %s in the pager leaves the alternate screen and the terminal as it was",
    async (signal) => {
      const crash = pathToFileURL(join(import.meta.dirname, "crash.mjs")).href;
      const pane = await toldPane({ env: { NODE_OPTIONS: `--import=${crash}` } });
      pane.press("M-h");
      await pane.see("transcript · end");
      pane.signal(signal);
      const { code, restored } = await pane.ended();
      expect([code, restored]).toEqual([{ SIGTERM: 143, SIGHUP: 129, SIGUSR2: 1 }[signal], true]);
      if (signal !== "SIGHUP") expect(isLeft(pane)).toBe(true); // a terminal that hung up is written to no more
      if (signal !== "SIGHUP") await pane.see("It has sixty lines.");
    },
  );

  test("U12 U11 while a turn runs the pager grows with it, tells what goes on, and prints nothing until it is left", async () => {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const bash = { call: [{ id: "c2", name: "bash", args: { command: "echo from the tool" } }] };
    const pane = await toldPane({}, [bash, { say: "All **done**.", after: asked }]);
    pane.type("go on");
    pane.press("Enter");
    await pane.see("thinking");
    pane.press("M-h");
    await pane.see(
      (rows) => rows.some((row) => row.includes("from the tool")) && /end · thinking/.test(rows.at(-1) ?? ""),
    );
    answer();
    await pane.see((rows) => rows.includes("▌ All done.") && rows.at(-1)?.includes("thinking") === false);
    pane.type("q");
    await pane.see((rows) => rows.includes("All done.") && PROMPT.test(rows.at(-1) ?? ""));
    expect(pane.rows().filter((row) => row.includes("All done."))).toHaveLength(1);
  });

  test("U12 a question that comes up meanwhile is told of in the pager, and answered after it; Ctrl-Z comes back to it", async () => {
    const llm = await model([
      { call: [{ id: "c1", name: "bash", args: { command: "echo yes" } }] },
      { say: "Ran it." },
    ]);
    const pane = await openPane(place({ config: { ...llm.config, mode: "ask", ui: { keys: { transcript: "F4" } } } }));
    pane.press("M-h");
    pane.press("F4");
    await pane.see("No messages in current conversation.");
    pane.type("q");
    await pane.see((rows) => PROMPT.test(rows.at(-1) ?? ""));
    pane.type("run it");
    pane.press("Enter");
    pane.press("F4");
    await pane.see("waiting for your answer");
    pane.type("y"); // copies in the pager, approves nothing
    await pane.see("for the clipboard");
    expect(pane.bytes()).toContain(`]52;c;${Buffer.from("run it").toString("base64")}`);
    pane.press("C-z");
    pane.type("s");
    await pane.see((rows) => rows.at(-1)?.includes("waiting") !== true);
    expect(last(pane)).not.toContain("y yes");
    pane.type("q");
    await pane.see("y yes");
    await new Promise((resolve) => setTimeout(resolve, 350)); // what is typed at once is no answer
    pane.type("y");
    await pane.see("Ran it.");
  });
});
