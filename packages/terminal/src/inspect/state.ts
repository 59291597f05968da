import type { Inspected, InspectRow } from "@smith/contract/inspect";
import type { PagerState } from "../pager/state.ts";

/** What is asked of whoever runs the view, once, by the key that was pressed last. */
export type InspectEffect =
  | { readonly type: "quit" | "take_back" | "reload" }
  | { readonly type: "remove" | "edit"; readonly row: InspectRow }
  | { readonly type: "copy"; readonly text: string };

/** The stored messages of a session, one of them marked. Pure: what is asked for is an effect. */
export interface InspectState {
  readonly rows: readonly InspectRow[];
  readonly unreadable: number;
  /** What taking back would take back; null: nothing. */
  readonly lastChange: string | null;
  /** Positions in `rows`: the marked one, and the first in view. */
  readonly at: number;
  readonly top: number;
  /** The message that is looked at, in a pager; null: the list is in view. */
  readonly open: PagerState | null;
  /** A deletion waits for a yes. */
  readonly asks: boolean;
  /** A word to the user, until the next key. */
  readonly said: string;
  readonly isFault: boolean;
  readonly effect: InspectEffect | null;
}

/** Begins at the newest message. */
export const createInspect = ({ rows, unreadable, last_change }: Inspected): InspectState => ({
  ...{ rows, unreadable, lastChange: last_change, at: Math.max(0, rows.length - 1), top: 0 },
  ...{ open: null, asks: false, said: "", isFault: false, effect: null },
});

/** The same list read anew: the mark stays on its message, or where that was. */
export function reloadInspect(state: InspectState, { rows, unreadable, last_change }: Inspected): InspectState {
  const marked = state.rows[state.at]?.seq;
  const found = rows.findIndex(({ seq }) => seq >= (marked ?? 0));
  const at = state.rows.length === 0 || found === -1 ? Math.max(0, rows.length - 1) : found;
  return { ...state, rows, unreadable, lastChange: last_change, at, asks: false };
}

/** What came of a wish. */
export const tellInspect = (state: InspectState, said: string, isFault = false): InspectState => ({
  ...{ ...state, said, isFault },
});
