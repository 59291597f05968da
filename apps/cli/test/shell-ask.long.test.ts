import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conversationIn, model, type Place, place } from "./scene.ts";
import { hasTmux, openPane, type Pane } from "./tmux.ts";

if (!hasTmux) console.log("skipped: what mode ask asks in a real terminal (tmux is not installed)");

const bash = (id: string, command: string) => ({ id, name: "bash", args: { command } });
const job = (id: string) => ({ id, name: "dispatch", args: { target_role: "worker", task: `Task ${id}.` } });
const REPORT = { call: [{ id: "r", name: "report", args: { status: "ok", summary: "Done." } }] };

const KEYS = "y yes · n no · m no, with a message · a always bash · e edit · Ctrl-C cancel";
/** A question counts as seen when it has stood for so long without a key. */
const SEEN_MS = 350;

/** Waits for the question about this, lets it be seen, presses the keys. */
async function answer(pane: Pane, about: string, ...keys: readonly string[]): Promise<readonly string[]> {
  const rows = await pane.see(
    (seen) => seen.some((row) => row.includes(about)) && seen.at(-1)?.startsWith("y yes") === true,
  );
  await new Promise((resolve) => setTimeout(resolve, SEEN_MS));
  pane.press(...keys);
  return rows;
}

const settled = (pane: Pane, last: string) =>
  pane.see((rows) => /▸$/.test(rows.at(-1) ?? "") && rows.join("\n").includes(last));

async function say(pane: Pane, text: string): Promise<void> {
  pane.type(text);
  pane.press("Enter");
}

/** The error messages that the model was last told, and the outputs. */
const told = (request: Parameters<typeof conversationIn>[0]): readonly string[] =>
  conversationIn(request)
    .filter(({ role }) => role === "tool")
    .map(({ content }) =>
      content?.startsWith("{")
        ? (JSON.parse(content) as { error: { message: string } }).error.message
        : (content ?? ""),
    );

/** An editor that does so with the file it is given. */
function editor(here: Place, script: string): string {
  const path = join(here.home, "editor.sh");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe.skipIf(!hasTmux)("mode ask in the shell", () => {
  test("U39 y, Enter, n, m and a: the question in place of the line, with the diff of an edit; the line comes back", async () => {
    const edit = { id: "e1", name: "edit", args: { path: "src/wait.ts", old_string: "5_000", new_string: "30_000" } };
    const llm = await model([
      { call: [edit, bash("1", "echo 1 >> log"), bash("2", "echo 2 >> log"), bash("3", "echo 3 >> log")] },
      { call: [bash("4", "echo 4 >> log"), bash("5", "echo 5 >> log")] },
      { say: "All asked." },
    ]);
    const here = place({ config: llm.config, files: { "src/wait.ts": "export const TIMEOUT = 5_000;\n" }, git: true });
    const pane = await openPane(here, { args: ["--mode", "ask"] });
    await say(pane, "go");
    const rows = await answer(pane, "wants to run edit", "y");
    expect(rows.slice(-6)).toEqual([
      "? Smith wants to run edit",
      "  src/wait.ts +1 -1 lines",
      "  @@ -1,1 +1,1 @@",
      "  -export const TIMEOUT = 5_000;",
      "  +export const TIMEOUT = 30_000;",
      KEYS.replace("bash", "edit"),
    ]);
    await answer(pane, "echo 1", "Enter");
    await answer(pane, "echo 2", "n");
    await answer(pane, "echo 3", "m");
    await pane.see((seen) => seen.at(-1) === "no, because ▸");
    pane.type("log no more");
    await pane.see("no, because ▸ log no more");
    pane.press("Enter");
    await answer(pane, "echo 4", "a");
    await settled(pane, "All asked.");
    expect(pane.rows()).toContain("bash is not asked about any more in this session");
    expect(readFileSync(join(here.cwd, "log"), "utf8")).toBe("1\n4\n5\n");
    expect(here.read("src/wait.ts")).toBe("export const TIMEOUT = 30_000;\n");
    expect(told(llm.requests[1]).slice(2)).toEqual([
      "The user said no to this call of bash: it was not run. Don't try the same another way; go on without it, or say what you would need it for.",
      "The user said no to this call of bash, it was not run. The user says: log no more",
    ]);
  });

  test("U39 who types ahead approves nothing: a key right after the question, and what comes in one piece, stay in the line", async () => {
    const llm = await model([{ call: [bash("1", "touch made")] }, { say: "So it is." }, { say: "Queued." }]);
    const here = place({ config: llm.config });
    const pane = await openPane(here, { args: ["--mode", "ask"] });
    await say(pane, "go");
    await pane.see("touch made");
    pane.press("y"); // on its way before the question was read
    await new Promise((resolve) => setTimeout(resolve, SEEN_MS));
    pane.press("o", "u", "Enter"); // letters that answer nothing, and an Enter that is theirs: the line waits
    await pane.see("⋯ you");
    await new Promise((resolve) => setTimeout(resolve, SEEN_MS));
    pane.press("y", "e", "s"); // a word in one piece
    expect([existsSync(join(here.cwd, "made")), pane.rows().at(-1)]).toEqual([false, KEYS]);
    await answer(pane, "touch made", "n");
    await pane.see((rows) => rows.at(-1)?.endsWith("▸ yes") === true && rows.join("\n").includes("Queued."));
    expect([existsSync(join(here.cwd, "made")), llm.requests.length]).toEqual([false, 3]);
  });

  test("U39 e opens the arguments in $EDITOR: no JSON and what does not fit are asked again, what fits runs", async () => {
    const llm = await model([{ call: [bash("1", "touch made")] }, { say: "So it is." }]);
    const here = place({ config: llm.config });
    const steps = [`printf '{"comm'`, `printf '{"command":7}'`, `sed -i 's/7/"echo mine > other"/'`];
    const script = `n=$(cat ${here.home}/n 2>/dev/null || echo 0)\necho $((n+1)) > ${here.home}/n\ncase $n in\n${steps
      .map((step, at) => `${at}) ${step} ${step.startsWith("sed") ? '"$1"' : '> "$1"'};;`)
      .join("\n")}\nesac`;
    const pane = await openPane(here, { args: ["--mode", "ask"], env: { EDITOR: editor(here, script) } });
    await say(pane, "go");
    await answer(pane, "touch made", "e");
    const again = async (why: string) => {
      await pane.see((rows) => rows.join("\n").includes(why) && rows.at(-1)?.startsWith("n no") === true);
      await new Promise((resolve) => setTimeout(resolve, SEEN_MS));
      pane.press("e");
    };
    await pane.see("no valid JSON");
    await new Promise((resolve) => setTimeout(resolve, SEEN_MS));
    pane.press("y"); // allows nothing: what was edited does not fit
    await again("no valid JSON");
    await again("expected string, received number");
    await settled(pane, "So it is.");
    expect([existsSync(join(here.cwd, "made")), here.read("other")]).toEqual([false, "mine\n"]);
    expect(told(llm.requests[1])[0]).toContain("[the user edited the arguments; it ran with {");
  });

  test("U39 D21 children are asked for in the parent, one after the other, with their job; no, a message, and Ctrl-C", async () => {
    const llm = await model({
      direct: [{ call: [job("a"), job("b")] }, { say: "Both back." }, { call: [job("c")] }],
      worker: [
        ...["a", "b"].map((id) => ({ call: [bash(id, `touch made-${id}`)] })),
        ...["a", "b"].map(() => REPORT),
        { call: [bash("c", "touch made-c")] },
      ],
    });
    const here = place({ config: llm.config });
    const pane = await openPane(here, { args: ["--mode", "ask"], columns: 100 });
    await say(pane, "go");
    const first = await answer(pane, "Niobe wants to run bash", "n");
    expect(
      first
        .filter((row) => row.includes("wants to run"))
        .map((row) => row.replace(/job \w{4}: Task [ab]/, "job 0000: Task x")),
    ).toEqual(["? Niobe wants to run bash for job 0000: Task x."]);
    const other = first.join("\n").includes("made-a") ? "made-b" : "made-a";
    await answer(pane, `  touch ${other}`, "m", "l", "o", "o", "k", "Enter"); // in one piece
    await settled(pane, "Both back.");
    const refused = llm.requests
      .filter(({ role }) => role === "worker")
      .slice(2, 4)
      .flatMap(told);
    expect(
      refused.map((text) => text.replace(/^.*(it was not run[.:]?).*?( The user says: .*)?$/, "$1$2")).toSorted(),
    ).toEqual(["it was not run.", "it was not run. The user says: look"]);
    await say(pane, "again");
    await answer(pane, "touch made-c", "C-c");
    await settled(pane, "cancelled (ctrl-c)");
    expect(pane.rows().join("\n")).not.toContain("wants to run");
    expect(["a", "b", "c"].filter((id) => existsSync(join(here.cwd, `made-${id}`)))).toEqual([]);
    pane.press("C-d");
    expect((await pane.ended()).code).toBe(0);
  });
});

describe.skipIf(!hasTmux)("mode plan in the shell", () => {
  test("U39 mode plan ends in a plan and tells how to carry it out, and after /mode full it is", async () => {
    const llm = await model([{ say: "1. Touch it." }, { call: [bash("1", "touch made")] }, { say: "Touched." }]);
    const here = place({ config: llm.config });
    const pane = await openPane(here, { args: ["--mode", "plan"] });
    await say(pane, "go");
    await settled(pane, 'Mode plan: nothing was changed. "/mode full", then "carry it out", does what was');
    await say(pane, "/mode full");
    await settled(pane, "mode full");
    await say(pane, "carry it out");
    await settled(pane, "Touched.");
    expect([here.read("made"), pane.all().filter((row) => row.startsWith("Mode plan")).length]).toEqual(["", 1]);
  });
});
