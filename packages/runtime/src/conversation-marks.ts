import type { TranscriptMessage } from "@smith/contract/message";
import type { Store } from "@smith/contract/store";
import { mendTranscript } from "./mend.ts";

/** What of a conversation the next turn is sent. */
export interface Sendable {
  readonly history: readonly TranscriptMessage[];
  /** The sequence number of the first of them; null when damaged records or deleted messages make it unsure. */
  readonly first_seq: number | null;
  /** Stored messages that could not be read. */
  readonly unreadable: number;
}

/** Ends the id of the note that says a turn is undone; it begins with the turn's, so that a copy has it only with its turn. */
export const UNDONE = ":undone";

/** The turns of a conversation that were undone, oldest first. */
export async function undoneTurns(id: string, store: Store): Promise<ReadonlySet<string>> {
  const notes = await store.note.list(id, "t");
  const turns = notes.filter((note) => note.id.endsWith(UNDONE)).map((note) => note.id.slice(0, -UNDONE.length));
  return new Set(turns.filter((turn) => turnNumber(turn) > 0).sort((a, b) => turnNumber(a) - turnNumber(b)));
}

/** The note that holds the last turn before the conversation was emptied. */
const CLEARED = "cleared";

export const turnNumber = (turn_id: string | undefined): number => Number(/^t(\d+)$/.exec(turn_id ?? "")?.[1] ?? 0);

/** @param turns how many it had. */
export const markCleared = async (
  { id, turns }: { readonly id: string; readonly turns: number },
  store: Store,
): Promise<void> => {
  if (turns > 0) await store.note.put(id, CLEARED, `t${turns}`);
};

export const clearedTurn = async (id: string, store: Store): Promise<number> =>
  turnNumber((await store.note.get(id, CLEARED)) ?? undefined);

/** The note that changes with every change of what of the stored messages is sent: an edit, a deletion, an undo. */
export const AMENDED = "amended";

/** What was said since the conversation was last emptied. */
export async function sendable(id: string, store: Store): Promise<Sendable> {
  const stored = await store.conversation.messages(id);
  const { unreadable } = stored;
  const messages = unreadable === 0 ? stored.messages : mendTranscript(stored.messages);
  const cleared = await clearedTurn(id, store);
  const last = turnNumber(messages.at(-1)?.turn_id);
  // A copy may have been cut off before the turn that the mark names; a deletion may have taken its messages.
  const isWhole = cleared === 0 || (cleared > last && cleared > ((await store.conversation.get(id))?.turns ?? 0));
  const undone = await undoneTurns(id, store);
  const history = messages.filter(({ turn_id }) => (isWhole || turnNumber(turn_id) > cleared) && !undone.has(turn_id));
  // Numbers are sure only where nothing is missing between the first of them and the next turn.
  const last_seq = stored.seqs.at(-1) ?? 0;
  const first = history[0] === undefined ? last_seq + 1 : stored.seqs[messages.indexOf(history[0])];
  const isWithoutGaps = first !== undefined && last_seq - first + 1 === history.length;
  return { history, first_seq: unreadable > 0 || !isWithoutGaps ? null : first, unreadable };
}
