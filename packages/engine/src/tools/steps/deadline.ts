import { cancelReason } from "@smith/contract/cancel";
import { AgentError, cancelledError } from "@smith/contract/error";
import type { FileTouch, ToolOutcome } from "@smith/contract/tool";
import { orGiveUp } from "../../give-up.ts";
import type { Done, ExecutorPorts, Step, Work } from "../work.ts";
import { refusal } from "./refusal.ts";

const DEFAULT_DEADLINE_S = 30;
/** After an abort a handler has this long to hand over what it has; then the turn goes on without it. */
const GRACE_MS = 300;

/** The tool's own deadline and the turn's cancel, as one signal; a handler that never settles can't hold the turn. */
export const deadline: Step = async (work, next, ports) => {
  const seconds = work.tool?.deadlineS?.(work.args) ?? DEFAULT_DEADLINE_S;
  const timer = new AbortController();
  const alarm = setTimeout(() => timer.abort(), seconds * 1000);
  const signal = AbortSignal.any([work.signal, timer.signal]);
  try {
    // A cancel may have come with the announcement: what has not begun does not begin.
    if (work.signal.aborted) return refusal(cancelledError(cancelReason(work.signal), "engine/deadline"));
    const ms = work.tool?.grace_ms ?? GRACE_MS;
    const done = await orGiveUp(next({ ...work, signal }), { signal, ms, late: () => null });
    if (done !== null && !signal.aborted && !timedItselfOut(done)) return done;
    return await cutOff(
      work,
      { outcome: done?.outcome ?? null, timedOutS: timer.signal.aborted ? seconds : null },
      ports,
    );
  } finally {
    clearTimeout(alarm);
  }
};

/** A tool that keeps its own time (bash) was cut off just the same. */
const timedItselfOut = (done: Done): boolean => done.outcome.error?.code === "timeout";

interface Cut {
  /** What the handler handed over; null when it never did. */
  readonly outcome: ToolOutcome | null;
  readonly timedOutS: number | null;
}

/** A handler may have finished just before the abort: a success it reports stands; anything else was cut off. */
async function cutOff(work: Work, cut: Cut, ports: ExecutorPorts): Promise<Done> {
  const mutates = work.tool?.side_effects === "some";
  if (cut.outcome?.ok === true) {
    return { outcome: cut.outcome, cancelled: false, mutation_state: mutates ? "attempted" : "none", ran: true };
  }
  const cancelled = work.signal.aborted;
  const changed = mutates ? await probe(work, ports) : [];
  const error = cancelled ? cancelledError(cancelReason(work.signal), "engine/deadline") : timeoutError(work, cut);
  return {
    outcome: { files: changed ?? [], ...cut.outcome, ok: false, content: cut.outcome?.content ?? "" },
    error: error.toJSON(),
    cancelled,
    mutation_state: changed === null ? "unknown" : changed.length > 0 ? "attempted" : "none",
    ran: true,
  };
}

/** Decision 26: of the files that a call had named before, those that are not as they were; null when it named none. */
async function probe(work: Work, ports: ExecutorPorts): Promise<readonly FileTouch[] | null> {
  if (work.files_before === null) return null;
  const touches = Object.entries(work.files_before).map(async ([path, hash_before]) => {
    const hash_after = await ports.hashFile(path);
    return hash_after === hash_before ? [] : [{ path, hash_before, hash_after }];
  });
  return (await Promise.all(touches)).flat();
}

const timeoutError = (work: Work, { outcome, timedOutS }: Cut): AgentError =>
  new AgentError({
    kind: "tool",
    code: "timeout",
    origin: "engine/deadline",
    message: outcome?.error?.message ?? `timeout: ${work.call.name} exceeded ${timedOutS ?? 0} s and was stopped.`,
  });
