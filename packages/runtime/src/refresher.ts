import type { Listener } from "@smith/engine";

/** Asks for the lists of models anew while nobody waits for them. */
export interface Refresher {
  readonly onEvent: Listener;
  /** Nothing is asked any more. */
  close(): void;
}

/** Ms after an answer, so that what is over in a moment asks for no list at all. */
const REFRESH_AFTER_MS = 1000;

/** Calls some time after a model has answered: never before the first request, never in the way of one. */
export function createRefresher(refresh: () => void): Refresher {
  let timer: NodeJS.Timeout | null = null;
  return Object.freeze<Refresher>({
    onEvent({ type }) {
      if (type !== "llm_request_completed" || timer !== null) return;
      timer = setTimeout(() => {
        timer = null;
        refresh();
      }, REFRESH_AFTER_MS);
      timer.unref();
    },
    close() {
      if (timer !== null) clearTimeout(timer);
    },
  });
}
