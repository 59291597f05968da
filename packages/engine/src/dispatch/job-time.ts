import type { Job } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";

/** What a timer can hold; a longer one would ring at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How often it is looked whether a question that stands has been answered, ms. */
const LOOK_AGAIN_MS = 50;

export interface Alarm {
  stop(): void;
}

/**
 * Rings when that much of a job's own time is over. What the user is asked for meanwhile, by whatever job, does not count:
 * while a question stands, no time runs out.
 * @param askedMs ms that the user has been asked for so far, a question that stands now counted in.
 */
export function startAlarm(limitMs: number, askedMs: () => number, ring: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let asked = askedMs();
  const arm = (ms: number) => {
    timer = setTimeout(onTime, Math.min(ms, LONGEST_TIMER_MS));
  };
  const onTime = () => {
    const waited = askedMs() - asked;
    asked += waited;
    if (waited > 0) arm(Math.max(waited, LOOK_AGAIN_MS));
    else ring();
  };
  arm(limitMs);
  return { stop: () => clearTimeout(timer) };
}

export const outOfTime = ({ target_role }: Pick<Job, "target_role">, limitS: number): AgentError =>
  new AgentError({
    kind: "tool",
    code: "timeout",
    origin: "engine/child",
    message: `The job of the ${target_role} was stopped after ${limitS} s (services.dispatch.timeout_s).`,
  });
