import { createCancel } from "@smith/contract/cancel";
import type { ChildOutcome, ChildRunner, Job } from "@smith/contract/dispatch";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import { outOfTime, startAlarm } from "./job-time.ts";

export interface CeilingPorts {
  readonly runner: ChildRunner;
  /** Seconds a job may take. */
  timeoutS(): number;
  /** Ms that the user has been asked for so far. */
  askedMs(): number;
}

/** Seconds beyond the job's own time before a runner that does not keep it is given up on. */
const MARGIN_S = 30;

/** Runs a job. The runner keeps its time; one that does not can't hold the parent, who gets an outcome all the same. */
export async function runWithin(job: Job, signal: AbortSignal, ports: CeilingPorts): Promise<ChildOutcome> {
  using cancel = createCancel(signal);
  const limitS = ports.timeoutS();
  let alarm = { stop: () => {} };
  const late = new Promise<ChildOutcome>((resolve) => {
    alarm = startAlarm((limitS + MARGIN_S) * 1000, ports.askedMs, () => {
      cancel.request(`the job's time is up (${limitS} s)`);
      resolve(lost(job, limitS));
    });
  });
  try {
    return await Promise.race([ports.runner.run(job, { signal: cancel.signal, onEvent: () => {} }), late]);
  } finally {
    alarm.stop();
  }
}

/** Of a child that nothing is known of any more. */
const lost = (job: Job, limitS: number): ChildOutcome => ({
  ...{ report: null, invalid_reports: 0, stop_reason: "error", cancelled: false, last_text: "", rounds: 0 },
  ...{ error: outOfTime(job, limitS).toJSON(), tool_calls: 0, files_changed: [], usage: UNKNOWN_USAGE },
  ...{ duration_ms: limitS * 1000, dispatches: [], account: [] },
});
