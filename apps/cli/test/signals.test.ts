import { describe, expect, test } from "vitest";
import type { Ended, Running } from "./running.ts";
import { model, type Place, place } from "./scene.ts";

const CALL = { id: "call_1", name: "bash", args: { command: "touch begun; sleep 30" } };
/** Ends only by SIGKILL. */
const STUBBORN = { ...CALL, args: { command: 'trap "" TERM INT HUP; touch begun; while :; do sleep 30; done' } };

/** A smith whose bash call has begun. */
async function inTool(call: typeof CALL, output = "json"): Promise<{ here: Place; run: Running }> {
  const llm = await model([{ call: [call] }]);
  const here = place({ config: llm.config });
  const run = here.smith(["-p", "wait", "--output", output]);
  await run.made("begun");
  return { here, run };
}

/** Sends the signal, and tells what came and after how many milliseconds. */
async function endBy(run: Running, send: () => void): Promise<{ end: Ended; ms: number }> {
  const exited = new Promise<number>((resolve) => run.child.once("exit", () => resolve(performance.now())));
  const sent = performance.now();
  send();
  const ms = (await exited) - sent;
  return { end: await run.ended, ms };
}

/** Two shared cores are noisy: the best of three has to keep the bound. */
async function bestOf3(once: () => Promise<number>, boundMs: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3 && best > boundMs; n++) best = Math.min(best, await once());
  return best;
}

describe("a signal while bash runs", () => {
  test.each([
    ["SIGINT to the process", "kill", "SIGINT", 130, "ctrl-c"],
    ["SIGINT to its group", "killGroup", "SIGINT", 130, "ctrl-c"],
    ["SIGTERM", "kill", "SIGTERM", 143, "SIGTERM"],
    ["SIGHUP to its group", "killGroup", "SIGHUP", 129, "SIGHUP"],
  ] as const)(
    "E5 K2 B54 fault 6 %s ends it within half a second, the result printed, no process left",
    async (...row) => {
      const [, how, signal, code, reason] = row;
      const ms = await bestOf3(async () => {
        const { here, run } = await inTool(CALL);
        const { end, ms } = await endBy(run, () => run[how](signal));
        expect(await here.leftBehind()).toEqual([]);
        const { stop_reason, error, tool_calls, persisted } = end.json();
        expect({ code: end.code, stop_reason, reason: error?.message, tool_calls, persisted }).toEqual({
          code,
          stop_reason: "cancelled",
          reason,
          tool_calls: 1,
          persisted: true,
        });
        expect(end.stderr.split("\n").slice(1)).toEqual([
          `smith: cancelling (${reason}) …`,
          expect.stringContaining("• bash touch begun; sleep 30 "),
          "",
        ]);
        return ms;
      }, 500);
      expect(ms).toBeLessThan(500);
    },
  );

  test("E5 a command that ignores every signal is killed, and the turn still ends in order", async () => {
    const { here, run } = await inTool(STUBBORN);
    const { end, ms } = await endBy(run, () => run.kill("SIGINT"));
    expect([end.code, end.json().stop_reason, await here.leftBehind()]).toEqual([130, "cancelled", []]);
    expect(ms).toBeLessThan(3_000);
  });

  test("E18 a second Ctrl-C leaves at once, whatever still runs, and takes the command with it", async () => {
    const { here, run } = await inTool(STUBBORN);
    run.kill("SIGINT");
    await run.printed("cancelling");
    const { end } = await endBy(run, () => run.kill("SIGINT"));
    expect([end.code, end.signal, end.stdout]).toEqual([130, null, ""]);
    expect(await here.leftBehind()).toEqual([]);
  });

  test("E18 what the second Ctrl-C cut off is mended when the conversation goes on", async () => {
    const llm = await model([{ call: [STUBBORN] }, { say: "Welcome back." }]);
    const here = place({ config: llm.config });
    const run = here.smith(["-p", "wait", "--output", "json"]);
    await run.made("begun");
    run.kill("SIGINT");
    await run.printed("cancelling");
    run.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
    const second = await here.run(["-p", "go on", "-c", "--output", "json"]);
    expect([second.code, second.json().text]).toEqual([0, "Welcome back."]);
  });
});

describe.skipIf(process.platform !== "linux")("kill -9", () => {
  test("fault 2 a killed smith leaves no process behind: not the command, nor its children, nor those that left its group", async () => {
    const command = "sleep 31 & setsid sleep 32 & touch begun; trap '' TERM HUP INT; sleep 33; sleep 34";
    const { here, run } = await inTool({ ...STUBBORN, args: { command } });
    run.kill("SIGKILL");
    expect(await run.ended).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(await here.leftBehind()).toEqual([]);
  });
});

describe("a signal at another time", () => {
  test("E5 K2 SIGINT before the model has sent a status line ends it at once", async () => {
    const llm = await model([{ stall: true, headers: false }]);
    const here = place({ config: llm.config });
    const run = here.smith(["-p", "wait", "--output", "json"]);
    const request = await run.meanwhile(llm.received(1));
    const { end, ms } = await endBy(run, () => run.kill("SIGINT"));
    expect([end.code, end.json().stop_reason, end.json().text]).toEqual([130, "cancelled", ""]);
    await request.closed; // the connection is gone too
    expect(ms).toBeLessThan(3_000);
  });

  test("K2 SIGINT while stdin is awaited ends it with 130 and nothing on stdout", async () => {
    const llm = await model([]);
    const here = place({ config: llm.config });
    const run = here.smith(["-p"], {
      stdin: { open: true },
      node: ["--import", "data:text/javascript,process.stdin.once('resume',()=>console.error('listening'))"],
    });
    await run.printed("listening");
    run.kill("SIGINT");
    const end = await run.ended;
    expect([end.code, end.stdout]).toEqual([130, ""]);
  });
});
