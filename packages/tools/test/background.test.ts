import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isRunning, type Scene, scene, until } from "./scene.ts";

const start = async ({ run }: Scene, command: string, rest: object = {}) =>
  (await run("bash", { command, background: true, ...rest })).content;
const ask = ({ run }: Scene, job: string, action: "output" | "kill" = "output") => run("bash", { job, action });

/** Asks until the answer says more than that it runs; all that was told. */
async function untilEnd(all: Scene, job: string): Promise<string> {
  for (let told = ""; ; ) {
    const { content } = await ask(all, job);
    if (!content.endsWith("[running]")) return told + content;
    told += content.replace(/\[running\]$/, "");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe.skipIf(process.platform !== "linux")("bash in the background", () => {
  test("TL15 background returns a name at once, and each look tells what is new, in the end how it ended", async () => {
    const all = scene();
    const { path } = all;
    const command = `echo one; echo 1 >&2; until [ -e ${path("go")} ]; do sleep 0.02; done; printf two; exit 3`;
    expect(await all.run("bash", { command, background: true })).toEqual({ ok: true, content: "bg1" });
    let first = "";
    await until(
      () =>
        first !== "" ||
        void ask(all, "bg1").then(({ content }) => (first ||= content.replace(/^\[running\]$/, ""))) === null,
    );
    expect(first).toBe("one\n1\n[running]");
    expect(await ask(all, "bg1")).toEqual({ ok: true, content: "[running]", metadata: { output_bytes: 0 } });
    writeFileSync(path("go"), "");
    expect(await untilEnd(all, "bg1")).toBe("two\n[exit 3]");
    expect(await ask(all, "bg1")).toEqual({
      ok: true,
      content: "[exit 3]",
      exit_code: 3,
      metadata: { output_bytes: 0 },
    });
  });

  test("TL15 TL16 kill ends it and all it started, and gives the rest of its output", async () => {
    const all = scene();
    const name = await start(all, `sleep 60 & echo $!; setsid sleep 60 & echo $!; touch ${all.path("up")}; wait`);
    await until(() => existsSync(all.path("up")));
    const { ok, content } = await ask(all, name, "kill");
    const [, one, two] = /^(\d+)\n(\d+)\n\[killed\]$/.exec(content) ?? [];
    expect([ok, isRunning(Number(one)), isRunning(Number(two))]).toEqual([true, false, false]);
    expect((await ask(all, name, "kill")).content).toBe("[killed]");
  });

  test("TL15 promise P4 the end of the session ends what runs in the background", async () => {
    const all = scene();
    await start(all, `echo $$ > ${all.path("pid")}; touch ${all.path("up")}; exec sleep 60`);
    await until(() => existsSync(all.path("up")));
    const pid = Number(all.text("pid"));
    expect(isRunning(pid)).toBe(true);
    await all.dispose();
    expect(isRunning(pid)).toBe(false);
  });

  test("TL15 promise P4 a cancel of the turn that began it ends it; one of another turn does not", async () => {
    const all = scene();
    const other = { signal: new AbortController().signal };
    await start(all, "sleep 60");
    await all.run("bash", { command: "sleep 60", background: true }, other);
    all.cancel.request("ctrl-c");
    const look = async (job: string) => (await all.run("bash", { job, action: "output" }, other)).content;
    for (let told = ""; told !== "[cancelled]"; told = await look("bg1"))
      await new Promise((done) => setTimeout(done, 10));
    expect(await look("bg2")).toBe("[running]");
  });

  test("TL15 it has no time of its own but the one it is given", async () => {
    const all = scene({ bash_timeout_s: 0.05 });
    await start(all, "sleep 0.3; echo late");
    await start(all, "echo soon; sleep 60", { timeout_s: 0.1 });
    expect(await untilEnd(all, "bg2")).toBe("soon\n[timeout]");
    expect(await untilEnd(all, "bg1")).toBe("late\n[exit 0]");
  });

  test("TL15 what is new is cut as any output is, and kept whole beside it", async () => {
    const all = scene();
    await start(all, `head -c 30000 /dev/zero | tr "\\0" q; touch ${all.path("up")}`);
    await until(() => existsSync(all.path("up")));
    let outcome = await ask(all, "bg1");
    while (outcome.exit_code === undefined && outcome.full_output === undefined) outcome = await ask(all, "bg1");
    expect(outcome.content).toContain("\n[… 10000 characters omitted …]\n");
    expect(outcome.full_output?.replace(/^q{30000}\n/, "")).toMatch(/^\[(running|exit 0)\]$/);
  });

  test("TL15 an unknown job, a wrong folder and one too many are refused in words", async () => {
    const all = scene();
    const message = async (args: object) => (await all.run("bash", args)).error?.message;
    expect(await message({ job: "bg1", action: "output" })).toBe(
      'There is no background command "bg1". None was started in this session.',
    );
    expect(await message({ command: "true", background: true, cwd: "nope" })).toBe(
      `cwd: there is no directory ${all.root}/nope. Nothing was run.`,
    );
    const begun = await Promise.all(
      Array.from({ length: 33 }, () => {
        const own = { signal: new AbortController().signal }; // as the executor gives each call one
        return all.run("bash", { command: "sleep 60", background: true }, own);
      }),
    );
    expect(begun.map(({ ok }) => ok)).toEqual([...Array.from({ length: 32 }, () => true), false]);
    expect(begun.at(-1)?.error?.message).toBe('32 background commands run already. End one: job, action "kill".');
    expect(await message({ job: "bg99", action: "kill" })).toMatch(
      /^There is no background command "bg99"\. Those that run: bg1, /,
    );
  });

  test("TL50 the line for people tells what became of it", async () => {
    const all = scene();
    const shown = async (args: { command: string; background: true } | { job: string; action: "output" | "kill" }) =>
      all.tool("bash").result_renderer?.(args, await all.run("bash", args));
    expect([
      await shown({ command: "sleep 60", background: true }),
      await shown({ job: "bg1", action: "output" }),
      await shown({ job: "bg1", action: "kill" }),
    ]).toEqual(["bg1 in the background", "bg1 runs (0 B)", "bg1 ended (0 B)"]);
  });
});
