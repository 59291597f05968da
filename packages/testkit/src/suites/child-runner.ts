import type { ChildOutcome } from "@smith/contract/dispatch";
import { describe, expect, test } from "vitest";
import type { Script } from "../script.ts";
import { startScriptedLlm } from "../scripted-model.ts";
import {
  CANCELLED,
  type Case,
  call,
  createGate,
  gist,
  type MakeChildRunner,
  made,
  REPORT,
  REPORTED,
  type RunnerGround,
  type RunnerUnderTest,
  type Scene,
  SLEEP,
  sceneOf,
} from "./child-runner-scene.ts";

export type { MakeChildRunner, RunnerGround, RunnerUnderTest };

/** What every runner of jobs must do, tried over a scripted model. */
export function childRunnerSuite(name: string, make: MakeChildRunner): void {
  describe(`${name} keeps the child runner's word`, () => {
    for (const [title, steps, work, timeout_s = 60] of [...RUNS, ...ENDS]) {
      test(title, async () => {
        const gate = createGate();
        const script: Script = { worker: typeof steps === "function" ? steps(gate.opened) : steps };
        await using llm = await startScriptedLlm(script);
        const under = await make({ api_url: llm.url, timeout_s });
        try {
          await work(sceneOf({ ...under, llm, open: gate.open }));
        } finally {
          await under.dispose();
        }
      });
    }
  });
}

const RUNS: readonly Case[] = [
  [
    "D4 D6 a job as plain JSON comes to its outcome as plain JSON",
    [REPORT],
    async ({ run }) => {
      const outcome = await run();
      expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
      expect([gist(outcome), outcome.rounds, outcome.invalid_reports]).toEqual([REPORTED, 1, 0]);
    },
  ],
  [
    "D4 running a job again while it runs attaches to it",
    [call("bash", { command: "echo once" }), REPORT],
    async ({ run, llm }) => {
      const outcomes = await Promise.all([run(), run()]);
      expect(outcomes.map(gist)).toEqual([REPORTED, REPORTED]);
      expect(outcomes[0]).toEqual(outcomes[1]);
      expect(llm.requests.length).toBe(2);
    },
  ],
  [
    "D4 running a job again after it ended returns its stored outcome, from a second runner too",
    [REPORT],
    async ({ run, second, llm }) => {
      const first = await run();
      expect(await run()).toEqual(first);
      expect(await run(await second())).toEqual(first);
      expect(llm.requests.length).toBe(1);
    },
  ],
  [
    "D4 a second runner that meets the job while it runs neither runs it twice nor spoils its outcome",
    (gate) => [{ ...REPORT, after: gate }],
    async ({ run, second, llm, open }) => {
      const other = await second();
      const first = run();
      await llm.received(1);
      const meanwhile = run(other);
      await Promise.race([meanwhile, new Promise((resolve) => setImmediate(resolve))]);
      open();
      await meanwhile;
      const outcome = await first;
      expect(gist(outcome)).toEqual(REPORTED);
      expect(await run(other)).toEqual(outcome);
      expect(llm.requests.length).toBe(1);
    },
  ],
  [
    "D20 each event of the child says whose it is, and a listener that throws disturbs nobody",
    [call("bash", { command: "echo hi" }), REPORT],
    async ({ runner, job, run, events, second }) => {
      const signal = new AbortController().signal;
      const onEvent = () => {
        throw new Error("a listener's own trouble");
      };
      const outcomes = await Promise.all([runner.run(job, { signal, onEvent }), run()]);
      expect(outcomes.map(gist)).toEqual([REPORTED, REPORTED]);
      const sources = events.map(({ source_role, job_id, parent_turn_id }) => ({
        source_role,
        job_id,
        parent_turn_id,
      }));
      const own = { source_role: "worker", job_id: job.job_id, parent_turn_id: "t7" };
      expect(sources).toEqual(events.map(() => own));
      const kinds = new Set(events.map(({ type }) => type));
      const wanted = ["turn_started", "llm_request_started", "tool_execution_finished", "turn_completed"] as const;
      expect(wanted.filter((type) => !kinds.has(type))).toEqual([]);
      await run(await second());
    },
  ],
];

/** A cancel must be through within this, ms. */
const CANCEL_MS = 500;

/** Cancels the job once `begun` and tells how long its end took. */
async function cancelled(scene: Scene, begun: () => Promise<void>): Promise<ChildOutcome> {
  const abort = new AbortController();
  const running = scene.run(scene.runner, abort.signal);
  await begun();
  const asked = performance.now();
  abort.abort("stop it");
  const outcome = await running;
  expect(performance.now() - asked).toBeLessThan(CANCEL_MS);
  return outcome;
}

const ENDS: readonly Case[] = [
  [
    "D8 E5 a cancel while the model is silent comes to the outcome cancelled within half a second",
    [{ stall: true, say: "I am" }],
    async (scene) => {
      const outcome = await cancelled(scene, () => scene.told("llm_text_delta"));
      expect(gist(outcome)).toEqual(CANCELLED);
    },
  ],
  [
    "D8 E5 a cancel in a tool comes to it too, and the account says what was cut off",
    [SLEEP],
    async (scene) => {
      const outcome = await cancelled(scene, () => made(scene, "begun"));
      expect(gist(outcome)).toEqual(CANCELLED);
      const [node, ...below] = outcome.account;
      const { role, job_id, calls, files_changed } = node ?? {};
      expect([{ role, job_id, calls, files_changed }, below]).toEqual([
        {
          ...{ role: "worker", job_id: scene.job.job_id, files_changed: [] },
          calls: [{ tool: "bash", mutation_state: "unknown" }],
        },
        [],
      ]);
    },
  ],
  [
    "D8 E2 a job whose parent was cancelled before does not begin",
    [],
    async ({ run, runner, llm, events }) => {
      expect(gist(await run(runner, AbortSignal.abort("before")))).toEqual(CANCELLED);
      expect([llm.requests.length, events]).toEqual([0, []]);
    },
  ],
  [
    "D6 a job that takes longer than its limit ends in an error, not in a cancel",
    [SLEEP],
    async ({ run }) => {
      const { stop_reason, cancelled, error } = await run();
      expect([stop_reason, cancelled, error?.kind, error?.code]).toEqual(["error", false, "tool", "timeout"]);
    },
    0.3,
  ],
  [
    "D6 a model that refuses the key is an error in the outcome, not a throw",
    [{ status: 401 }],
    async ({ run }) => {
      expect(gist(await run())).toEqual({ stop_reason: "error", cancelled: false, summary: null, code: "auth" });
    },
  ],
  [
    "D6 a model that nobody can reach is an error in the outcome, not a throw",
    [],
    async ({ run, llm }) => {
      await llm.close();
      const { stop_reason, error } = await run();
      expect([stop_reason, error?.kind]).toEqual(["error", "transport"]);
    },
  ],
];
