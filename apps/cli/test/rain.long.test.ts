import { describe, expect, test } from "vitest";
import { model, place } from "./scene.ts";
import { hasTmux, openPane, type Pane } from "./tmux.ts";

if (!hasTmux) console.log("skipped: the rain in a real terminal (tmux is not installed)");

const JOB = { call: [{ id: "d1", name: "dispatch", args: { target_role: "explorer", task: "look around" } }] };
const REPORT = { call: [{ id: "r1", name: "report", args: { status: "ok", summary: "Looked." } }] };
/** What a terminal with graphics answers to the probe. */
const YES = "\u001b_Gi=31;OK\u001b\\";
const PROBE = "_Gi=31,s=1,v=1,a=q";

/** A shell whose child waits for its model until `answer` is called. tmux itself has no graphics: the test answers for it. */
async function waitingChild(env: Readonly<Record<string, string>>, { ui = {}, ends = true } = {}) {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const llm = await model({
    direct: [JOB, ...(ends ? [{ say: "All done." }] : [])],
    explorer: [{ ...REPORT, after: asked }],
  });
  const pane = await openPane(place({ config: { ...llm.config, ui } }), { env });
  if (pane.bytes().includes(PROBE)) pane.type(YES);
  pane.type("go");
  pane.press("Enter");
  await pane.see((rows) => rows.some((row) => row.includes("Link look around · thinking")));
  return { pane, answer };
}

const frames = (pane: Pane): number => pane.bytes().split("_Ga=T,").length - 1;
const deletions = (pane: Pane): number => pane.bytes().split("_Ga=d,d=I,").length - 1;
const seeFrames = (pane: Pane, count: number) => pane.see(() => frames(pane) >= count);

describe.skipIf(!hasTmux)("the rain in the shell", () => {
  test("U6 fault 224 it falls while a child waits for its model, the spinner stands still, and it is gone with the answer", async () => {
    const { pane, answer } = await waitingChild({ KITTY_WINDOW_ID: "1" });
    await seeFrames(pane, 5);
    expect(pane.rows().some((row) => row.startsWith("⠋ running dispatch"))).toBe(true);
    expect(pane.rows().at(-1)).toMatch(/▸$/); // the answer to the probe was not typed
    pane.press("M-h"); // a page takes the terminal: the picture goes
    await pane.see("transcript · ");
    const [drawn, gone] = [frames(pane), deletions(pane)];
    expect(gone).toBeGreaterThanOrEqual(1);
    await pane.see((rows) => /\bdispatch · \d+s|running dispatch/.test(rows.at(-1) ?? ""));
    expect(frames(pane)).toBe(drawn);
    pane.type("q");
    await seeFrames(pane, drawn + 2);
    answer();
    await pane.see((rows) => rows.includes("All done.") && /▸$/.test(rows.at(-1) ?? ""));
    const last = pane.bytes();
    expect(last.lastIndexOf("_Ga=d,d=I,")).toBeGreaterThan(last.lastIndexOf("_Ga=T,"));
    pane.press("C-d");
    expect(await pane.ended()).toEqual({ code: 0, restored: true });
  });

  test("U6 Ctrl-C twice, and SIGTERM, leave no picture behind", async () => {
    for (const leave of [(pane: Pane) => pane.press("C-c", "C-c"), (pane: Pane) => pane.signal("SIGTERM")]) {
      const { pane, answer } = await waitingChild({ KITTY_WINDOW_ID: "1" }, { ends: false });
      await seeFrames(pane, 3);
      leave(pane);
      expect((await pane.ended()).restored).toBe(true);
      answer();
      const last = pane.bytes();
      expect(last.lastIndexOf("_Ga=d,d=I,")).toBeGreaterThan(last.lastIndexOf("_Ga=T,"));
    }
  });

  test("U6 without graphics, in a terminal that is not asked, and switched off, not a byte of it is written; the spinner turns", async () => {
    const cases = [
      await waitingChild({}),
      await waitingChild({ KITTY_WINDOW_ID: "1" }, { ui: { rain: false } }),
      await waitingChild({ KITTY_WINDOW_ID: "1", NO_COLOR: "1" }),
    ];
    for (const { pane, answer } of cases) {
      await pane.see((rows) => rows.some((row) => row.startsWith("⠙ ")));
      answer();
      await pane.see("All done.");
      expect(pane.bytes()).not.toContain("_G");
    }
  });
});
