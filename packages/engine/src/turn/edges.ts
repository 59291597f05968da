import type { Summary } from "./left-out.ts";

/** Where a conversation's window stands; kept with the turn, so that a resumed one sends the same bytes. */
export interface Edges {
  /** Messages of the transcript before this one have their long outputs elided. */
  readonly elided: number;
  /** Rounds before this message are dropped. */
  readonly dropped: number;
  /** Last resort: of the user's lines before this message only the first is left. */
  readonly users: number;
  /** Of what is dropped, or of the beginning of it. */
  readonly summary: Summary | null;
  /** Reported input tokens over their estimate, 0.5 to 2. */
  readonly ratio: number;
}

export const NO_EDGES: Edges = Object.freeze({ elided: 0, dropped: 0, users: 0, summary: null, ratio: 1 });

/** Whether another view belongs to them; the ratio decides thresholds only. */
export const isMoved = (before: Edges, after: Edges): boolean =>
  before.elided !== after.elided ||
  before.dropped !== after.dropped ||
  before.users !== after.users ||
  before.summary !== after.summary;
