import { describe, expect, test } from "vitest";
import { model, place } from "./scene.ts";
import { hasTmux, openPane, type PaneOptions } from "./tmux.ts";

if (!hasTmux) console.log("skipped: themes in a real terminal (tmux is not installed)");

const LATE = "\u001b]11;rgb:ffff/ffff/ffff\u001b\\\u001b[?62;22c";

/** How the working directory looks in the prompt: its colour tells the theme. */
async function pathIn(options: PaneOptions, ui: object = {}) {
  const llm = await model([]);
  const pane = await openPane(place({ config: { ...llm.config, ui } }), options);
  const look = () => pane.spans("▸").find(({ text }) => text.includes("~/work"))?.look;
  return { pane, look };
}

describe.skipIf(!hasTmux)("themes in a terminal", () => {
  test("U8 auto asks the terminal for its background; without an answer COLORFGBG decides, then it is dark", async () => {
    const looks = [
      await pathIn({ background: "#ffffff" }),
      await pathIn({ background: "#002b36", env: { COLORFGBG: "0;15" } }),
      await pathIn({ env: { COLORFGBG: "0;15" } }),
      await pathIn({}),
      await pathIn({ background: "#ffffff" }, { theme: "dark" }),
      await pathIn({}, { theme: "light" }),
    ];
    const wanted = ["blue", "cyan", "blue", "cyan", "cyan", "blue"];
    for (const [at, { pane, look }] of looks.entries()) await pane.see(() => look() === wanted[at]); // an answer comes after the prompt
    const asked = looks.map(({ pane }) => pane.bytes().includes("]11;?"));
    expect(asked).toEqual([true, true, true, true, false, false]);
    for (const { pane } of looks) expect(pane.rows().at(-1)).toMatch(/▸$/); // no answer was typed
  });

  test("U8 fault 224 an answer that comes late, or twice, is no typing; what was typed ahead of the first answer is", async () => {
    const llm = await model([]);
    const pane = await openPane(place({ config: llm.config }), { background: "#ffffff", ready: null });
    pane.type("ahead");
    await pane.see("▸ ahead");
    pane.type(`${LATE}${LATE}`);
    pane.type("!");
    await pane.see("▸ ahead!");
    pane.press("C-u", "C-d");
    expect(await pane.ended()).toEqual({ code: 0, restored: true });
  });

  test("U8 fault 216 no colour asks nothing and paints nothing, with --no-color, NO_COLOR and the theme none; a dumb terminal neither", async () => {
    const plain = [
      await pathIn({ args: ["--no-color"], background: "#ffffff" }),
      await pathIn({ env: { NO_COLOR: "1" }, background: "#ffffff" }),
      await pathIn({ background: "#ffffff" }, { theme: "none" }),
    ];
    for (const { pane } of plain) {
      pane.type("/help");
      pane.press("Enter");
      await pane.see("leave");
      pane.press("M-h");
      await pane.see("transcript");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for
      expect(pane.bytes()).not.toMatch(/\]11;|\u001b\[[\d;]*m/);
    }
  });
});
