import { type Cancel, cancelReason, checkCancelled, createCancel } from "@smith/contract/cancel";
import type { ChildOutcome, ChildRunner, Job, RunChildOptions } from "@smith/contract/dispatch";
import { cancelledError, toAgentError } from "@smith/contract/error";
import type { TranscriptMessage, UserMessage } from "@smith/contract/message";
import { UNKNOWN_USAGE, type Usage } from "@smith/contract/model";
import type { Receipt } from "@smith/contract/receipt";
import type { TurnEffects, TurnRequest } from "../engine.ts";
import { orGiveUp } from "../give-up.ts";
import type { RoleTools } from "../tools/registry.ts";
import { createGathered, type Gathered } from "../turn/gather.ts";
import { REPORT_TRIES, type TurnEnd } from "../turn/turn.ts";
import { outOfTime, startAlarm } from "./job-time.ts";

/** A child turn that is open in the store and ready to be played. */
export interface Seat {
  readonly request: TurnRequest;
  readonly effects: TurnEffects;
  /** The role's tools cut down to `report`, for the nudge. */
  readonly report_only: RoleTools;
  /** What the effects gather. */
  readonly gathered: Gathered;
  usage(): Usage;
  /** Of its calls, whole once it is closed. */
  receipts(): readonly Receipt[];
  /** It is asked for its report once more, and for the last time. */
  onNudge?(): void;
  /** Closes the turn in the store; must not throw. */
  close(end: TurnEnd): Promise<void>;
}

export interface LocalRunnerPorts {
  /** @throws {AgentError} when the child can't begin: no model, no key. */
  seat(job: Job, cancel: Cancel): Promise<Seat>;
  /** The engine's own `playTurn`, handed in: the loop must not import itself. */
  play(request: TurnRequest, effects: TurnEffects): Promise<TurnEnd>;
  /** What a finished run of this job left; null when it never finished. */
  stored(job: Job): Promise<ChildOutcome | null>;
  /** Best effort. */
  store(job: Job, outcome: ChildOutcome): Promise<void>;
  /** Seconds a job may take. */
  timeoutS(): number;
  /** Ms that the user has been asked for so far, also by others: no job's time. */
  askedMs(): number;
  now(): number;
}

/** Runs jobs as child turns in this process. */
export function createLocalRunner(ports: LocalRunnerPorts): ChildRunner {
  const running = new Map<string, Promise<ChildOutcome>>();
  const begin = async (job: Job, options: RunChildOptions): Promise<ChildOutcome> => {
    const before = await ports.stored(job).catch(() => null);
    if (before !== null) return before;
    const { outcome, began } = await runJob(job, options, ports);
    // A job that could not begin left nothing to find again: it may run elsewhere just now, or begin the next time.
    if (began) await ports.store(job, outcome).catch(() => {}); // the parent has it all the same
    return outcome;
  };
  return Object.freeze({
    run(job: Job, options: RunChildOptions): Promise<ChildOutcome> {
      const attached = running.get(job.job_id);
      if (attached !== undefined) return attached;
      const run = begin(job, options).finally(() => running.delete(job.job_id));
      running.set(job.job_id, run);
      return run;
    },
  });
}

/** Ms that a child has after an abort to hand over what it has; its tools have less. One deeper in the tree has to be done first. */
const graceMs = (job: Job): number => (job.parent_job_id === null ? 420 : 360);

interface Run {
  readonly outcome: ChildOutcome;
  readonly began: boolean;
}

async function runJob(job: Job, { signal }: RunChildOptions, ports: LocalRunnerPorts): Promise<Run> {
  using cancel = createCancel(signal);
  const clock = startClock(cancel, ports);
  const late = () => {
    throw cancelledError(cancelReason(cancel.signal), "engine/child");
  };
  const within = <T>(work: Promise<T>) => orGiveUp(work, { signal: cancel.signal, ms: graceMs(job), late });
  const sitting = takeSeat(job, cancel, ports);
  try {
    const seat = await within(sitting);
    const end = await within(playToReport(seat, ports)).catch(endOf);
    await seat.close(end);
    const { gathered } = seat;
    return {
      outcome: outcomeOf({ job, end, gathered, clock, usage: seat.usage(), receipts: seat.receipts() }),
      began: true,
    };
  } catch (thrown) {
    sitting.then((late) => late.close(endOf(thrown))).catch(() => {}); // a seat nobody waits for any more
    const gathered = createGathered();
    return {
      outcome: outcomeOf({ job, end: endOf(thrown), gathered, clock, usage: UNKNOWN_USAGE, receipts: [] }),
      began: false,
    };
  } finally {
    clock.stop();
  }
}

/** After a cancel no child begins. */
async function takeSeat(job: Job, cancel: Cancel, ports: LocalRunnerPorts): Promise<Seat> {
  checkCancelled(cancel.signal);
  return await ports.seat(job, cancel);
}

function endOf(thrown: unknown): TurnEnd {
  const error = toAgentError(thrown, "engine/child");
  return {
    stop_reason: error.kind === "cancelled" ? "cancelled" : "error",
    error,
    which: null,
    rounds: 0,
    tool_calls: 0,
  };
}

/** The job's time limit, and when its end was first asked for. */
function startClock(cancel: Cancel, ports: LocalRunnerPorts) {
  const started = ports.now();
  let aborted: number | null = null;
  let timedOut = false;
  const limit = ports.timeoutS();
  cancel.signal.addEventListener("abort", () => {
    aborted = ports.now();
  });
  const alarm = startAlarm(limit * 1000, ports.askedMs, () => {
    timedOut = true;
    cancel.request(`the job's time is up (${limit} s)`);
  });
  return {
    stop: alarm.stop,
    timedOutS: () => (timedOut ? limit : null),
    elapsedMs: () => ports.now() - started,
    sinceAbortMs: () => (aborted === null ? 0 : ports.now() - aborted),
  };
}

const NUDGE =
  "You have not reported. Call report now, with what you found or did so far; nothing else is possible any more.";

/** The child's turn; when it ends in text or out of budget, one more round in which only `report` is offered. */
async function playToReport(seat: Seat, ports: LocalRunnerPorts): Promise<TurnEnd> {
  const added: TranscriptMessage[] = [];
  const effects: TurnEffects = {
    ...seat.effects,
    async append(message) {
      added.push(message);
      await seat.effects.append(message);
    },
  };
  const end = await ports.play(seat.request, effects);
  if (seat.gathered.report() !== null || !mayNudge(end, seat.gathered)) return end;
  const { turn_id } = seat.request.scope;
  const nudge: UserMessage = { role: "user", content: NUDGE, turn_id, round: end.rounds, ts: ports.now() };
  const history = [...seat.request.history, ...added, nudge];
  seat.onNudge?.();
  await effects.append(nudge);
  const again = await ports.play(
    {
      ...seat.request,
      history,
      tools: seat.report_only,
      limits: { tool_step_budget: null, max_rounds: 1 },
      rounds_before: end.rounds,
    },
    effects,
  );
  const rounds = end.rounds + again.rounds;
  if (again.stop_reason === "cancelled" || again.stop_reason === "error") return { ...again, rounds };
  // What ended the child is what ended it before the nudge; a report it then gave is beside that.
  return { ...end, rounds };
}

/** Not after a cancel, an error or three reports that did not fit: asking once more would bring nothing. */
const mayNudge = (end: TurnEnd, gathered: Gathered): boolean =>
  end.stop_reason === "budget_exhausted" ||
  (end.stop_reason === "completed" && gathered.invalidReports() < REPORT_TRIES);

interface Ended {
  readonly job: Job;
  readonly end: TurnEnd;
  readonly gathered: Gathered;
  readonly clock: ReturnType<typeof startClock>;
  readonly usage: Usage;
  readonly receipts: readonly Receipt[];
}

function outcomeOf({ job, end, gathered, clock, usage, receipts }: Ended): ChildOutcome {
  const limit = clock.timedOutS();
  const stopped = end.stop_reason === "cancelled";
  const cancelled = stopped && limit === null;
  const error = limit !== null && stopped ? outOfTime(job, limit) : cancelled ? null : end.error;
  return {
    report: cancelled ? null : gathered.report(),
    invalid_reports: gathered.invalidReports(),
    stop_reason: limit !== null && stopped ? "error" : end.stop_reason,
    cancelled,
    error: error?.toJSON() ?? null,
    last_text: gathered.lastText(),
    rounds: end.rounds,
    tool_calls: gathered.toolCalls(),
    files_changed: gathered.filesChanged(),
    receipts,
    usage,
    duration_ms: clock.elapsedMs(),
    dispatches: gathered.dispatches(),
    account: gathered.account({ role: job.target_role, job_id: job.job_id, stopped_after_ms: clock.sinceAbortMs() }),
  };
}
