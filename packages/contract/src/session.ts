import type { Mode } from "./config.ts";
import type { Message, TranscriptMessage } from "./message.ts";
import type { Conversation } from "./store.ts";
import type { UndoHost } from "./undo.ts";

/** Which model answers, of which provider, and by which rule. */
export interface ModelInUse {
  readonly model: string;
  readonly provider: string;
  readonly source: string;
}

export interface SessionHost extends UndoHost {
  /** The id of the project the session works in. */
  project(): string;
  /** Root of the git work tree around it; null outside one. */
  root(): string | null;
  /** Paths of the working directory that `@` may name. */
  files(): Promise<readonly string[]>;
  role(): string;
  mode(): Mode;
  /** The model in use and why, or null before one was chosen. */
  model(): ModelInUse | null;
  /** The model of the next turn; looked for now when it was not yet. @throws {AgentError} `schema`/`no_model`, `config`. */
  choose(): Promise<ModelInUse>;
  /** From the next turn on. @throws {AgentError} for a role, mode or model that can't be. */
  use(change: { role?: string; mode?: string; model?: string; effort?: string }): Promise<void>;
  /** The next turn opens a fresh conversation. */
  startAfresh(): void;
  /** The conversation the next turn goes on with; null: a fresh one. */
  conversation(): string | null;
  /**
   * The next turn goes on with this one: an id, a unique beginning of one, or `latest`. What a dead process left open in it
   * is completed, and told.
   * @throws {AgentError} `persistence`/`unknown_conversation`, or `conversation_busy` while another process is at work in it.
   */
  resume(id: string): Promise<Conversation>;
  /** The next turn is sent nothing of what was said in this conversation; it stays stored. False when nothing was. */
  clear(): Promise<boolean>;
  /** The system prompt of the next turn. */
  prompt(): Promise<string>;
  /**
   * Writes a new file, relative to the working directory. Returns its path.
   * @throws {AgentError} `persistence`/`file_exists` or `write_failed`.
   */
  write(path: string, text: string): Promise<string>;
  /** What the next turn of a stored conversation would be sent. */
  context(id: string): Promise<ContextView>;
  /**
   * Has the model summarise all but the newest messages of the conversation now. Tokens of the request before and after.
   * @throws {AgentError} `policy`/`turn_active` or `nothing_to_compact`; `schema`/`no_model`; `cancelled`; what the model's
   * request failed with.
   */
  compact(focus: string | null): Promise<{
    readonly before: number;
    readonly after: number;
    readonly summary_chars: number;
  }>;
  /** The one that a session of this project goes on with by itself: its last, unless it is empty or was emptied. */
  last(): Promise<Conversation | null>;
}

/** What the next request of a conversation would hold, before the user's line. Sizes in tokens are estimates. */
export interface ContextView {
  readonly conversation_id: string;
  /** Null: none is chosen, and the window is the fallback's. */
  readonly model: string | null;
  readonly context_window: number;
  /** Above this many tokens history is left out. */
  readonly limit_tokens: number;
  readonly tokens: {
    readonly system: number;
    readonly tools: number;
    readonly messages: number;
    readonly total: number;
  };
  /** As they are sent, without the system message. */
  readonly messages: readonly Message[];
  /** The messages that are not sent as they are. */
  readonly out: readonly {
    readonly role: string;
    /** The tool of an output. */
    readonly name: string | null;
    readonly turn_id: string | null;
    readonly standing: "elided" | "summarised" | "left out";
    readonly chars: number;
    /** The call that brings it back; null: none does. */
    readonly key: string | null;
  }[];
  /** Characters of the summary that is sent; null: there is none. */
  readonly summary_chars: number | null;
  /** Damaged records that are left out. */
  readonly unreadable: number;
}

/**
 * The stored conversations. An id is a whole one, of whatever project, or the beginning of exactly one of this project's.
 * What means none, or more than one, throws `persistence`/`unknown_conversation`.
 */
export interface SessionsHost {
  /** Last used first. `children`: the conversations of jobs too; `all`: of every project. */
  list(which: { readonly children: boolean; readonly all: boolean }): Promise<readonly Conversation[]>;
  /**
   * Deletes it with all below it, and returns what was deleted.
   * @throws {AgentError} `persistence`/`conversation_busy` while a turn runs in it.
   */
  delete(id: string): Promise<Conversation>;
  /** `undone`: with the messages of turns that were undone. */
  messages(
    id: string,
    options?: { readonly undone: boolean },
  ): Promise<{
    readonly conversation: Conversation;
    readonly messages: readonly TranscriptMessage[];
    /** Records that can't be read, and are left out. */
    readonly unreadable: number;
    /** The turns that were undone. */
    readonly undone: readonly string[];
  }>;
  /** Returns it under its new name. */
  rename(id: string, name: string): Promise<Conversation>;
  /**
   * A copy of its finished turns, all or up to and including `turn_id`.
   * @throws {AgentError} `persistence`/`unknown_turn` when there is no such finished turn.
   */
  fork(id: string, turn_id: string | null): Promise<Conversation>;
}
