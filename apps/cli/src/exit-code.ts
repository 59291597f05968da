import type { TurnResult } from "@smith/contract/turn";

const EXIT: Readonly<Record<TurnResult["stop_reason"], number>> = {
  completed: 0,
  error: 1,
  budget_exhausted: 3,
  cancelled: 130,
};

/** The exit code of a turn; a cancel by a signal has that signal's. */
export const exitCodeOf = (result: TurnResult, bySignal: number | null): number =>
  result.stop_reason === "cancelled" ? (bySignal ?? EXIT.cancelled) : EXIT[result.stop_reason];
