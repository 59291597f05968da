import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { SMITH } from "./built.ts";
import { model, place } from "./scene.ts";
import { hasTmux, openPane } from "./tmux.ts";

/** Every slash command that `/help` lists, but those that leave, open a view of their own, or ask the model. */
function commandsOf(help: string): readonly string[] {
  const names = [...help.matchAll(/^\/(\w+)/gm)].map(([, name]) => name ?? "");
  return names.filter((name) => !["exit", "pager", "inspect", "prompt", "retry", "compact", "delete"].includes(name));
}

describe.skipIf(!hasTmux)("commands on a terminal (skipped without tmux)", () => {
  test("U15 U16 each command that shows something draws it in 60 columns, and the rows of /help go on below their text", async () => {
    const llm = await model([{ say: "Hello." }]);
    const here = place({ config: llm.config, git: true });
    const help = execFileSync(process.execPath, [SMITH], {
      input: "/help\n",
      encoding: "utf8",
      cwd: here.cwd,
      env: { PATH: process.env["PATH"], SMITH_HOME: here.home, HOME: here.home, SMITH_NO_PROBE: "1" },
    });
    const names = commandsOf(help);
    expect(names.length).toBeGreaterThan(20);
    const pane = await openPane(here, { columns: 60, rows: 50 });
    pane.type("hi");
    pane.press("Enter");
    await pane.see("Hello.");
    for (const name of names) {
      pane.type(`/${name}`);
      pane.press("Enter");
      pane.type(`mark-${name}`); // typed ahead: it stands on the prompt line when the answer is there
      await pane.see(`mark-${name}`);
      pane.press("C-u");
    }
    const rows = pane.all();
    expect(rows.filter((row) => /undefined|\[object |NaN|^ {4}at .*:\d+/.test(row))).toEqual([]);
    const from = rows.findIndex((row) => row.endsWith("▸ /help"));
    const to = rows.findIndex((row, at) => at > from && row.startsWith("Anything else goes to the model"));
    const table = rows.slice(from + 1, to);
    expect(table.filter((row) => !/^(\/| {8,}\S|$)/.test(row))).toEqual([]);
    expect(table.join(" ").replace(/\s+/g, " ")).toContain("what is left out, and how it comes back");
    pane.press("C-d");
    expect(await pane.ended()).toEqual({ code: 0, restored: true });
  });
});
