import { cancelReason, checkCancelled } from "@smith/contract/cancel";
import { cancelledError } from "@smith/contract/error";

/** Places for work that must not all run at once. */
export interface Slots {
  /**
   * Runs the work when a place is free, in the order asked.
   * @throws {AgentError} kind `cancelled` when the signal aborts while it waits; the work has not begun then.
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** @param places how many may run at once; asked anew each time. */
export function createSlots(places: () => number): Slots {
  const waiting = new Set<() => void>();
  let running = 0;
  const next = () => {
    for (const begin of waiting) {
      if (running >= places()) return;
      waiting.delete(begin);
      begin();
    }
  };
  const enter = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener("abort", leave);
        running++;
        resolve();
      };
      const leave = () => {
        waiting.delete(begin);
        reject(cancelledError(cancelReason(signal), "engine/slots"));
      };
      if (signal.aborted) return leave();
      signal.addEventListener("abort", leave, { once: true });
      waiting.add(begin);
      next();
    });
  return Object.freeze({
    async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      await enter(signal);
      try {
        // The place may have come in the same breath as the cancel: what has not begun does not begin.
        checkCancelled(signal);
        return await work();
      } finally {
        running--;
        next();
      }
    },
  });
}
