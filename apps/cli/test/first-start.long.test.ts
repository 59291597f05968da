import { describe, expect, test } from "vitest";
import { model, type Place, place } from "./scene.ts";
import { hasTmux, openPane } from "./tmux.ts";

if (!hasTmux) console.log("skipped: the first start (it takes tmux)");

const SAFETY =
  "Smith runs what the model asks for, bash too, and nothing guards it: use it where you can afford a mistake.";

/** What stands above the first prompt, its lines joined. */
async function greeting(here: Place, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const pane = await openPane(here, { env, first: true, columns: 72 });
  const rows = await pane.see((seen) => seen.some((row) => row.startsWith("/help lists commands")));
  pane.press("C-d");
  await pane.ended();
  return rows
    .slice(
      0,
      rows.findIndex((row) => row.startsWith("/help lists")),
    )
    .join(" ");
}

describe.skipIf(!hasTmux)("the first start in a home", () => {
  test("K9 X6 it says which model answers and why, the command that sets one, and that nothing guards it; once, and not in a pipe", async () => {
    const here = place();
    const demo = { SMITH_FALLBACK: "demo" };
    const piped = await here.run([], { stdin: "/mode\n", env: demo });
    expect([piped.stdout, piped.stderr]).toEqual(["mode full (full, ask, plan)\n", ""]); // nor does it use it up
    const why = "smith: demo (no language model) (no model is configured: answers are search results).";
    const modes = "/mode ask asks before each call with side effects, /mode plan makes none.";
    const set =
      "One command sets a model: /config set llm_config.api_url http://127.0.0.1:8080/v1 (any OpenAI-compatible address).";
    const key = "A key in ANTHROPIC_API_KEY or OPENAI_API_KEY does, too.";
    expect(await greeting(here, demo)).toBe([why, SAFETY, modes, set, key].join(" "));
    expect(await greeting(here, demo)).toBe(why);
  });

  test("K9 where a model is set, the command is for another; where none is, the ways to set one come too", async () => {
    const llm = await model([]);
    const set = await greeting(place({ config: llm.config }));
    expect(set).toContain(`smith: scripted at ${llm.url} (default_model). ${SAFETY}`);
    expect(set).toContain(
      "One command sets another model: /config set default_model ID. /models lists those there are.",
    );
    const none = await greeting(place());
    expect([none.startsWith(`smith. ${SAFETY}`), none.includes("One command sets a model: ")]).toEqual([true, true]);
  });

  test("two starts at once in a new home: one of them says it", async () => {
    const llm = await model([]);
    const here = place({ config: llm.config });
    const both = await Promise.all([greeting(here), greeting(here)]);
    expect(both.filter((text) => text.includes(SAFETY)).length).toBe(1);
  });
});
