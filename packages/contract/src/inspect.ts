import type { TranscriptMessage } from "./message.ts";
import type { Conversation } from "./store.ts";

/** A stored message, and what goes with it. */
export interface InspectRow {
  /** Its number in the conversation; it keeps it for ever. */
  readonly seq: number;
  readonly message: TranscriptMessage;
  /** Its turn was undone: it is not sent. */
  readonly undone: boolean;
  /** The numbers of all that is deleted with it, its own too. */
  readonly takes: readonly number[];
}

export interface Inspected {
  /** Null: nothing is stored yet. */
  readonly conversation: Conversation | null;
  readonly rows: readonly InspectRow[];
  /** Damaged records, which are not among them. */
  readonly unreadable: number;
  /** What taking back would take back, as `the edit of 3`; null: nothing. */
  readonly last_change: string | null;
}

/** Looks at, and changes, what is stored of the session's conversation. The next turn is sent it as it is then. */
export interface InspectHost {
  read(): Promise<Inspected>;
  /**
   * Deletes a message with all that can't stand without it. Returns their numbers. Here and below `seen` is the message
   * as it was shown.
   * @throws {AgentError} `persistence`/`changed_since` when it is not that any more, `conversation_busy` while another
   * process is at work in the conversation, `policy`/`turn_active` while a turn runs here.
   */
  remove(seq: number, seen: TranscriptMessage): Promise<readonly number[]>;
  /** Gives a message another text. @throws {AgentError} as above; `schema`/`empty_text` for none. */
  edit(seq: number, seen: TranscriptMessage, text: string): Promise<void>;
  /**
   * Takes back the last change that was made here since the session began, and returns what it was; null: there is none.
   * @throws {AgentError} as above; after `changed_since` the change is forgotten, after any other it can be tried again.
   */
  takeBack(): Promise<string | null>;
}
