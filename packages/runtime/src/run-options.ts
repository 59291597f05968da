import type { TurnAs } from "@smith/contract/turn";
import type { Demand } from "./demand.ts";
import type { HistoryMessage } from "./history.ts";

/** What one turn is, beside its input. */
export interface RunOptions {
  /** Go on with this conversation; absent: with the one this runtime is in, at first a fresh one. */
  readonly conversation_id?: string;
  /**
   * What was said before, here or elsewhere, a line of the user's first and every call answered. The run is in a fresh
   * conversation that begins with it.
   */
  readonly history?: readonly HistoryMessage[];
  /** Aborts the turn with all its jobs; its `reason` is what the result says. */
  readonly signal?: AbortSignal;
  /** Names the conversation when it begins with this run, and its file in `session_dir`; default: the user's first words. */
  readonly label?: string;
  /** What the answer has to be; then the result has `output`. An agent makes it of its `output_schema`. */
  readonly demand?: Demand;
  /** What this turn alone runs as. */
  readonly as?: TurnAs;
}
