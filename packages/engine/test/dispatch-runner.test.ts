import type { ChildOutcome, Job } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";
import { expect, test } from "vitest";
import { createLocalRunner } from "../src/index.ts";

const job: Job = {
  ...{ job_id: "0123456789ab", parent_conversation_id: "c1", parent_turn_id: "t1", parent_job_id: null },
  ...{
    target_role: "explorer",
    base_role: "explorer",
    task: "Find the parser.",
    files: [],
    mode: "full",
    cwd: "/work",
  },
  context: { user_request_summary: null, role_instructions: null },
};
const options = { signal: new AbortController().signal, onEvent: () => {} };
const busy = new AgentError({ kind: "persistence", code: "conversation_busy", message: "It runs elsewhere." });

/** A runner whose children can't begin, and what it keeps. */
function stranded(seat: () => Promise<never>, stored: () => Promise<ChildOutcome | null> = async () => null) {
  const count = { seats: 0, kept: 0 };
  const runner = createLocalRunner({
    ...{
      stored,
      timeoutS: () => 60,
      askedMs: () => 0,
      now: () => 0,
      play: () => Promise.reject(new Error("there is nothing to play")),
    },
    seat: () => {
      count.seats++;
      return seat();
    },
    store: async () => void count.kept++,
  });
  return { runner, count };
}

test("D4 D6 a job that can't begin is an error in the outcome, is not kept, and may begin the next time", async () => {
  const { runner, count } = stranded(() => Promise.reject(busy));
  const outcomes = [await runner.run(job, options), await runner.run(job, options)];
  expect(outcomes.map(({ stop_reason, error }) => [stop_reason, error?.code])).toEqual([
    ["error", "conversation_busy"],
    ["error", "conversation_busy"],
  ]);
  expect(count).toEqual({ seats: 2, kept: 0 });
});

test("D4 a store that can't be read is no reason not to run", async () => {
  const { runner, count } = stranded(
    () => Promise.reject(busy),
    () => Promise.reject(new Error("disk")),
  );
  expect((await runner.run(job, options)).error?.code).toBe("conversation_busy");
  expect(count.seats).toBe(1);
});

test("D6 D8 after a cancel before it, a child takes no seat", async () => {
  const { runner, count } = stranded(() => Promise.reject(busy));
  const { cancelled, stop_reason } = await runner.run(job, { ...options, signal: AbortSignal.abort("before") });
  expect([cancelled, stop_reason, count.seats]).toEqual([true, "cancelled", 0]);
});

test("D8 E5 a seat that never comes is given up after a cancel", async () => {
  const { runner } = stranded(() => new Promise(() => {}));
  const abort = new AbortController();
  const running = runner.run(job, { ...options, signal: abort.signal });
  setImmediate(() => abort.abort("now"));
  const { cancelled, account } = await running;
  expect([cancelled, account.map(({ job_id }) => job_id)]).toEqual([true, [job.job_id]]);
});
