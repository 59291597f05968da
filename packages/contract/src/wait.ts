import { cancelReason } from "./cancel.ts";
import { cancelledError } from "./error.ts";

/**
 * Waits `ms` milliseconds; a cancel ends the wait at once and leaves no timer.
 * @throws {AgentError} kind `cancelled`, with the canceller's reason.
 */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(cancelledError(cancelReason(signal)));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

/**
 * Milliseconds to wait before retry `n` (1 is the first). The last entry repeats; an empty list waits for nothing.
 * @see docs/MODELS.md
 */
export const backoffMs = (list: readonly number[], n: number): number => list[Math.min(n, list.length) - 1] ?? 0;
