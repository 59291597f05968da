import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conversationIn, model, place } from "./scene.ts";
import { hasTmux, openPane } from "./tmux.ts";

if (!hasTmux) console.log("skipped: the inspect view in a real terminal (tmux is not installed)");

const PROMPT = /▸$/;
const READ = { call: [{ id: "c1", name: "read", args: { path: "a.txt" } }] };

describe.skipIf(!hasTmux)("the inspect view", () => {
  test("U13 U14 Alt-I lists, views, edits in $EDITOR, deletes with what goes along, undoes; the next request is accepted and says so", async () => {
    const llm = await model([READ, { say: "It says hello." }, { say: "Still there." }]);
    const here = place({ config: llm.config, files: { "a.txt": "hello 你好\n" } });
    const editor = join(here.home, "editor");
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/hello/good bye/" "$1"\n');
    chmodSync(editor, 0o755);
    const pane = await openPane(here, { columns: 80, rows: 12, env: { EDITOR: editor } });
    pane.press("M-i");
    await pane.see("Nothing is stored of this session yet.");
    pane.type("q");
    await pane.see((rows) => PROMPT.test(rows.at(-1) ?? ""));
    pane.type("read it");
    pane.press("Enter");
    await pane.see((rows) => rows.includes("It says hello.") && rows.at(-2) === "" && PROMPT.test(rows.at(-1) ?? ""));
    const before = pane.rows();

    pane.press("M-i");
    const rows = await pane.see("messages · 4 of 4");
    expect(rows.slice(0, 4)).toEqual([
      "  1 t1  you read it",
      "  2 t1  Smith [read]",
      expect.stringMatching(/^ {2}3 t1 {2}read a\.txt · 1 lines · hash/),
      "▌ 4 t1  Smith It says hello.",
    ]);
    pane.type("e");
    await pane.see("edited 4");
    expect(pane.rows()[3]).toBe("▌ 4 t1  Smith It says good bye.");
    pane.type("k");
    pane.press("Enter");
    await pane.see("1│hello 你好");
    pane.press("BSpace");
    await pane.see("messages · 3 of 4");
    pane.type("d");
    expect((await pane.see("Delete message 3")).slice(0, 4).map((row) => row.slice(0, 3))).toEqual([
      "  1",
      "x 2",
      "x 3",
      "  4",
    ]);
    pane.type("y");
    await pane.see("deleted 2, 3");
    pane.type("u");
    await pane.see("taken back: the deletion of message 3 with 1 more");
    pane.type("kd");
    await pane.see("Delete message 3");
    pane.type("y");
    await pane.see("deleted 2, 3");
    pane.press("C-c");
    await pane.see((seen) => PROMPT.test(seen.at(-1) ?? ""));
    expect(pane.rows()).toEqual(before);

    pane.type("and now?");
    pane.press("Enter");
    await pane.see("Still there.");
    expect(conversationIn(llm.requests.at(-1)).map(({ content }) => content)).toEqual([
      ...["read it", "It says good bye.", "and now?"],
    ]);
    pane.press("C-d");
    expect(await pane.ended()).toEqual({ code: 0, restored: true });
  });

  test("U13 while a turn runs the view only looks; /inspect opens it too, and a configured key", async () => {
    const llm = await model([{ stall: true, say: "On it" }]);
    const here = place({ config: { ...llm.config, ui: { keys: { inspect: "Ctrl+G" } } } });
    const pane = await openPane(here, { columns: 90, rows: 10 });
    pane.type("go");
    pane.press("Enter");
    await pane.see("On it");
    pane.press("C-g");
    await pane.see("▌ 1 t1  you go");
    pane.type("dy");
    await pane.see("A turn is running already");
    pane.type("e");
    await pane.see("a turn is running; wait for it");
    pane.type("q");
    await pane.see("On it");
    pane.press("C-c");
    await pane.see((rows) => PROMPT.test(rows.at(-1) ?? "") && rows.some((row) => row.includes("cancelled")));
    pane.type("/inspect");
    pane.press("Enter");
    await pane.see("messages · ");
    pane.signal("SIGTERM");
    expect(await pane.ended()).toEqual({ code: 143, restored: true });
  });
});
