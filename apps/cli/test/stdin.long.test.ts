import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { SMITH } from "./built.ts";
import type { Ended, RunOptions } from "./running.ts";
import { conversationIn, model, place } from "./scene.ts";

const ESCAPE = "\u001b";

/** One turn that answers `Hello.`; the prompt as the model got it. */
async function ask(args: readonly string[], options: RunOptions): Promise<{ end: Ended; prompt: unknown }> {
  const llm = await model([{ say: "Hello." }]);
  const here = place({ config: llm.config });
  const end = await here.run(args, options);
  return { end, prompt: conversationIn(llm.requests[0]).map(({ content }) => content) };
}

describe("the prompt", () => {
  test.each([
    ["B70 the piped text is the prompt, answered once", ["-p"], { stdin: "hi\n" }, "hi\n"],
    [
      "K1 piped text comes below the prompt that was given",
      ["-p", "sum up"],
      { stdin: "line 1\nline 2\n" },
      "sum up\n\nline 1\nline 2\n",
    ],
    ["B70 with /dev/null as stdin the prompt is what was given", ["-p", "hi"], {}, "hi"],
    ["K1 an empty pipe adds nothing", ["-p", "hi"], { stdin: "" }, "hi"],
    ["K1 --no-stdin does not look at a pipe", ["-p", "hi", "--no-stdin"], { stdin: "other\n" }, "hi"],
    [
      "K1 --no-stdin does not wait for a pipe either",
      ["-p", "hi", "--no-stdin"],
      { stdin: { open: true } as const },
      "hi",
    ],
    ["K1 a prompt may begin with a dash", ["-p", "- buy milk"], {}, "- buy milk"],
    ["K1 characters of several bytes come through a pipe whole", ["-p"], { stdin: "naïve 音 🎧" }, "naïve 音 🎧"],
  ])("%s", async (_title, args, options, prompt) => {
    const asked = await ask(args, options);
    expect([asked.end.code, asked.end.stdout, asked.prompt]).toEqual([0, "Hello.\n", [prompt]]);
    expect(asked.end.stdout + asked.end.stderr).not.toContain(ESCAPE);
    expect(asked.end.stderr.trimEnd().split("\n").length).toBe(1);
  });

  test("K1 a pipe that delivers nothing for 3 s is left alone, with a notice", async () => {
    const { end, prompt } = await ask(["-p", "hi"], { stdin: { open: true } });
    expect([end.code, end.stdout, prompt]).toEqual([0, "Hello.\n", ["hi"]]);
    expect(end.stderr.split("\n")[0]).toBe(
      "smith: stdin delivered nothing for 3 s and is ignored (--no-stdin does not look).",
    );
  });

  test("B70 -p with neither a prompt nor anything piped ends by itself with exit 2", async () => {
    const llm = await model([]);
    const here = place({ config: llm.config });
    for (const stdin of [undefined, "", " \n"]) {
      const end = await here.run(["-p"], stdin === undefined ? {} : { stdin });
      expect([end.code, end.stdout, end.stderr.trimEnd().split("\n").length]).toEqual([2, "", 1]);
    }
  });
});

describe("a reader that goes away", () => {
  const MANY = "word ".repeat(200_000);

  test("K2 fault 6 a stdout that is closed early ends quietly with 0", async () => {
    const llm = await model([{ say: MANY }], { piece_bytes: 65_536 });
    const here = place({ config: llm.config });
    const run = here.smith(["-p", "hi"], { unread: true });
    run.child.stdout?.destroy();
    const end = await run.ended;
    expect([end.code, end.signal, end.stderr]).toEqual([0, null, `smith: scripted at ${llm.url} (default_model)\n`]);
  });

  test.each([
    ["text", "-c1"],
    ["jsonl", "-n5"],
  ])(
    "K2 faults 6 215 in a pipeline that takes only the beginning of %s the exit code is 0 too",
    async (output, part) => {
      const llm = await model([{ say: MANY }], { piece_bytes: 65_536 });
      const { home, cwd } = place({ config: llm.config });
      const script = `"$0" "$1" -p hi --output "$2" </dev/null 2>err | head "$3" >/dev/null; echo "\${PIPESTATUS[0]}"; cat err`;
      // Not execFileSync: the scripted model lives in this process and must stay awake.
      const { stdout } = await promisify(execFile)("bash", ["-c", script, process.execPath, SMITH, output, part], {
        cwd,
        env: { PATH: process.env["PATH"], HOME: home, SMITH_HOME: home, SMITH_NO_PROBE: "1" },
      });
      expect(stdout).toBe(`0\nsmith: scripted at ${llm.url} (default_model)\n`);
    },
  );
});
