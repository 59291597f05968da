import type { Script } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { model, place } from "./scene.ts";
import { hasTmux, openPane, type Pane } from "./tmux.ts";

if (!hasTmux) console.log("skipped: how the shell ends in a real terminal (tmux is not installed)");

const bash = (command: string) => ({ call: [{ id: "c1", name: "bash", args: { command } }] });
/** A command that a friendly signal does not end. */
const STUBBORN = "trap '' TERM INT; sleep 60";
const four = [1, 2, 3, 4];

/** What runs when the keys come, and how the screen tells. */
const STATES: Readonly<Record<string, { readonly script: Script; readonly told: string; readonly mode?: string }>> = {
  idle: { script: [], told: "▸" },
  streaming: { script: [{ stall: true, say: "Thinking aloud" }], told: "Thinking aloud" },
  waiting: { script: [{ stall: true, headers: false }], told: "thinking" },
  "in a tool": { script: [bash(STUBBORN)], told: "running bash" },
  "in a retry wait": { script: [{ status: 503, headers: { "retry-after": "20" } }], told: "trying again in 20 s" },
  "while a question stands": { script: [bash("true")], told: "wants to run bash", mode: "ask" },
  "while four children run": {
    script: {
      direct: [
        {
          call: four.map((n) => ({
            ...{ id: `d${n}`, name: "dispatch", args: { target_role: "explorer", task: `T${n}` } },
          })),
        },
      ],
      explorer: four.map(() => bash(STUBBORN)),
    },
    told: "Link T4 · running bash",
  },
};

/** The shell in one of the states. */
async function shellThat(state: string): Promise<Pane> {
  const { script, told, mode = "full" } = STATES[state] ?? expect.fail(state);
  const llm = await model(script);
  const pane = await openPane(place({ config: { ...llm.config, mode } }));
  if (state !== "idle") {
    pane.type("go");
    pane.press("Enter");
    await llm.received(1);
  }
  await pane.see(told);
  return pane;
}

const sleepers = async (pane: Pane) => (await pane.leftBehind()).filter((each) => each.includes("sleep"));

describe.skipIf(!hasTmux)("how the shell ends", () => {
  test.for(Object.keys(STATES))(
    "E18 K2 fault 223 Ctrl-C twice leaves with 130 within half a second, %s; the terminal is as before and nothing lives on",
    async (state, { annotate }) => {
      const times: number[] = [];
      while (times.length < 3 && !times.some((ms) => ms < 500)) {
        const pane = await shellThat(state);
        const before = performance.now();
        pane.press("C-c", "C-c");
        expect(await pane.ended()).toEqual({ code: 130, restored: true });
        times.push(Math.round(performance.now() - before));
        expect(await sleepers(pane)).toEqual([]);
      }
      await annotate(`Ctrl-C twice to exit, ${state}: ${times.join(", ")} ms (aim: 500)`);
      expect(Math.min(...times)).toBeLessThan(1_500); // the best of three, on a machine that may be busy
    },
  );

  test("U11 one Ctrl-C while idle takes what was typed and says that another one leaves, for two seconds", async () => {
    const pane = await shellThat("idle");
    pane.type("half a line");
    await pane.see("half a line");
    pane.press("C-c");
    await pane.see((rows) => rows.at(-1) === "(Ctrl-C again leaves, or Ctrl-D)" && rows.at(-2)?.endsWith("▸") === true);
    expect(pane.spans("Ctrl-C again").map(({ look }) => look)).toEqual(["dim"]);
    await pane.see((rows) => rows.at(-1)?.endsWith("▸") === true);
    pane.press("C-c");
    await pane.see("(Ctrl-C again leaves, or Ctrl-D)"); // not the second one any more
    pane.press("C-d");
    expect((await pane.ended()).code).toBe(0);
  });

  test.each(["SIGTERM", "SIGHUP"] as const)(
    "fault 222 %s ends the shell in a tool with its code, the terminal as before, nothing left",
    async (signal) => {
      const pane = await shellThat("in a tool");
      pane.signal(signal);
      expect(await pane.ended()).toEqual({ code: signal === "SIGHUP" ? 129 : 143, restored: true });
      expect(await sleepers(pane)).toEqual([]);
    },
  );

  test("fault 222 the terminal goes away under a running tool: the shell ends with 129 and takes the tool with it", async () => {
    const pane = await shellThat("in a tool");
    pane.hangUp();
    expect((await pane.ended()).code).toBe(129);
    expect(await sleepers(pane)).toEqual([]);
  });

  test("fault 222 a reader that left ends it quietly with 0", async () => {
    const llm = await model([{ say: "Nobody reads this." }]);
    const pane = await openPane(place({ config: llm.config }), { ready: null, through: "true" });
    pane.type("hello");
    pane.press("Enter");
    expect(await pane.ended()).toEqual({ code: 0, restored: true });
  });

  test("fault 216 TERM=dumb is asked and answered line by line: no escape sequence, the terminal echoes", async () => {
    const llm = await model([{ say: "# Plain\n\n**text**" }]);
    const pane = await openPane(place({ config: llm.config }), { env: { TERM: "dumb" }, ready: null });
    await pane.see((rows) => rows.at(-1) === ">");
    pane.type("hello");
    pane.press("Enter");
    await pane.see("**text**");
    pane.press("C-d");
    expect(await pane.ended()).toEqual({ code: 0, restored: true });
    expect(pane.bytes()).not.toContain("\u001b");
    expect(pane.rows().slice(-5)).toEqual(["> hello", "# Plain", "", "**text**", ">"]);
  });

  test("U8 fault 216 NO_COLOR leaves out colours and nothing else; in the C locale marks are ASCII", async () => {
    const llm = await model([{ ...bash("false"), say: "Look:" }, { say: "**Done**" }]);
    const env = { NO_COLOR: "1", LC_ALL: "C" };
    const pane = await openPane(place({ config: llm.config }), { env, ready: "~/work >" });
    pane.type("go");
    pane.press("Enter");
    const rows = await pane.see((seen) => seen.includes("Done") && /^$/.test(seen.at(-2) ?? "-"));
    expect(rows.find((row) => row.includes("bash"))).toBe("* bash false  exit 1 (0 B)");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for
    expect(pane.bytes()).not.toMatch(/\u001b\[(?:\d+;)*(?:3|4|9)\d[;m]/);
    expect(rows.join("\n")).not.toMatch(/[^\0-\x7f]/);
  });

  test("U24 Ctrl-Z gives the terminal back where someone can take it, and what is typed after is read", async () => {
    const pane = await shellThat("idle");
    pane.press("C-z");
    pane.type("still here");
    await pane.see("▸ still here");
    pane.press("C-u", "C-d");
    expect(await pane.ended()).toEqual({ code: 0, restored: true });
  });
});
