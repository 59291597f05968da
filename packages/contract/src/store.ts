import type { CatalogPage } from "./catalog.ts";
import type { ToolCall, ToolMessage, TranscriptMessage, UserMessage } from "./message.ts";
import type { Usage } from "./model.ts";
import type { Receipt } from "./receipt.ts";
import type { SearchAnswer, SearchQuery } from "./search.ts";
import type { StopReason } from "./stop.ts";

/** A conversation as lists show it. */
export interface Conversation {
  readonly id: string;
  readonly project_id: string;
  /** From the user's own first words, until renamed. */
  readonly name: string;
  readonly parent: string | null;
  readonly turns: number;
  readonly messages: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A message of a conversation as it is and as it shall be; null: not there. Turned round it takes itself back. */
export interface MessageChange {
  readonly seq: number;
  readonly before: TranscriptMessage | null;
  readonly after: TranscriptMessage | null;
}

export interface TurnOpening {
  readonly conversation_id: string;
  readonly project_id: string;
  readonly parent: string | null;
  readonly role: string;
  readonly ts: number;
  /** The user's line; the store stamps the turn id into it. */
  readonly user: Omit<UserMessage, "turn_id">;
}

/** Written before a tool with side effects runs, so that a crash is accounted for. */
export interface Intent {
  readonly call_id: string;
  readonly tool: string;
  /** Hash of the canonical arguments (sorted keys). */
  readonly args_hash: string;
  /** Absolute path → hash before (null = absent); null when the tool can't name its files. */
  readonly files_before: Readonly<Record<string, string | null>> | null;
  /** When it was written. */
  readonly ts: number;
}

/** What to copy of a conversation, and as what. */
export interface ForkCopy {
  readonly from: string;
  readonly turn_id: string | null;
  readonly id: string;
  readonly name: string;
  readonly ts: number;
}

/** A turn whose process ended before it did. */
export interface InterruptedTurn {
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly role: string;
  /** Model calls it had made, as far as their answers were written. */
  readonly rounds: number;
  /** What it had written, in order; the user's line first. */
  readonly messages: readonly TranscriptMessage[];
  /** In the order they were written. */
  readonly intents: readonly Intent[];
  /** Of the calls that had ended, in their order. */
  readonly receipts: readonly Receipt[];
  /** The calls without a result, in call order. */
  readonly open_calls: readonly ToolCall[];
}

/** What the result of an open call shall say. */
export type CallEnd = Pick<ToolMessage, "content" | "ok" | "recall_key">;

/** What completes an interrupted turn. */
export interface Completion {
  /** Of its open calls, by position; one without says that it was interrupted. */
  readonly ends: readonly CallEnd[];
  /** Of the open calls that may have run; numbered on from those that are written. */
  readonly receipts: readonly Receipt[];
}

export interface TurnClosing {
  readonly ts: number;
  readonly stop_reason: StopReason;
  readonly model: string;
  readonly provider: string;
  readonly rounds: number;
  readonly tool_calls: number;
  readonly usage: Usage;
  /** Usage of the jobs this turn handed out, nested ones too. */
  readonly children: readonly { readonly job_id: string; readonly role: string; readonly usage: Usage }[];
  /** Those that no append has brought, or of which more is known since. */
  readonly receipts?: readonly Receipt[];
}

/** What one closed turn used, the user's or a job's; a job's is in no other row. */
export interface UsageRow {
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly role: string;
  readonly model: string;
  readonly provider: string;
  /** When it was closed. */
  readonly ts: number;
  readonly usage: Usage;
}

/** One entry of a project's memory. */
export interface Memory {
  readonly id: string;
  readonly content: string;
  readonly updated_at: number;
}

/** A turn that is being written. Every method throws {@link AgentError} kind `persistence` when the disk won't take it. */
export interface OpenTurn {
  /** `t<n>`, counted per conversation. */
  readonly turn_id: string;
  /** Writes one message at once, and receipts with it, all or nothing. A receipt that is there already is written over. */
  append(message: TranscriptMessage, receipts?: readonly Receipt[]): Promise<void>;
  intend(intent: Intent): Promise<void>;
  /** Overwrites the text that has streamed so far; dropped by the next append. */
  partial(text: string): Promise<void>;
  /** Turn record, usage and the closed row in one transaction, flushed to disk. */
  close(closing: TurnClosing): Promise<void>;
}

/** Everything Smith keeps. Methods are asynchronous although SQLite is not: a store may be elsewhere one day. */
export interface Store {
  readonly conversation: {
    get(id: string): Promise<Conversation | null>;
    /** Newest first. `project_id` null: of every project. */
    list(filter: { project_id: string | null; children: boolean }): Promise<readonly Conversation[]>;
    /** In order, each with its number. Records that can't be read are left out and counted. */
    messages(id: string): Promise<{
      readonly messages: readonly TranscriptMessage[];
      /** The number of each, rising; a message keeps its own when others are deleted. */
      readonly seqs: readonly number[];
      readonly unreadable: number;
    }>;
    /**
     * Changes stored messages, all of them or none. What is put in stands where its number says.
     * @throws {AgentError} `persistence`/`changed_since` when one is not as `before` says, `conversation_busy` while a turn
     * is open in it, `unknown_conversation`.
     */
    amend(id: string, changes: readonly MessageChange[]): Promise<void>;
    /** With its messages, notes, usage and all its child conversations, in one transaction. False when there is none. */
    delete(id: string): Promise<boolean>;
    /** False when there is none. */
    rename(id: string, name: string): Promise<boolean>;
    /**
     * Copies the closed turns of a conversation, with its notes, under a new id: all of them, or those up to and including
     * `turn_id`. Its children stay the original's. Null when there is no such closed turn.
     * @throws {AgentError} `persistence`/`conversation_exists` when the new id is taken.
     */
    fork(copy: ForkCopy): Promise<Conversation | null>;
  };
  readonly turn: {
    /**
     * Opens a turn: conversation row, turn row with lease, and user message in one transaction. Nothing of the
     * conversation exists before its first turn.
     * @throws {AgentError} `persistence`/`conversation_busy` while another live process has an open turn in it.
     */
    open(opening: TurnOpening): Promise<OpenTurn>;
    /**
     * Completes the conversation's last turn when its process is gone: each open call gets the end that `resolve` returns
     * for it, its receipts are added, the streamed text is kept, the turn is closed. Null when there was nothing to
     * recover, or another process was faster. What `resolve` throws leaves the turn as it is.
     * @throws {AgentError} `persistence`/`conversation_busy` while the turn's process lives; `data.pid` names it.
     */
    recover(
      conversation_id: string,
      resolve: (turn: InterruptedTurn) => Promise<Completion>,
    ): Promise<InterruptedTurn | null>;
    /**
     * The conversations of a project whose last turn its process could not finish, and nobody completed; not those of
     * children, which are completed with their parent's.
     */
    abandoned(project_id: string): Promise<readonly string[]>;
  };
  /** Notes of a conversation by id; the scratchpad's are `scratchpad:<key>`. The conversation need not exist yet. */
  readonly note: {
    /** Null when there is none. */
    get(conversation_id: string, note_id: string): Promise<string | null>;
    put(conversation_id: string, note_id: string, text: string): Promise<void>;
    /** Ids that begin with the prefix, to the letter (`_` and `%` mean themselves), sorted, with their sizes. */
    list(conversation_id: string, prefix: string): Promise<readonly { readonly id: string; readonly chars: number }[]>;
  };
  /** What a project remembers, over all its conversations. */
  readonly memory: {
    list(project_id: string): Promise<readonly Memory[]>;
    get(project_id: string, id: string): Promise<Memory | null>;
    put(project_id: string, memory: Memory): Promise<void>;
    /** False when there is none. */
    delete(project_id: string, id: string): Promise<boolean>;
  };
  /** Full text over messages, memories, scratchpad notes and jobs' reports; kept up by whatever writes those. */
  readonly search: {
    /** Best first. A query without a word finds nothing. */
    find(query: SearchQuery): Promise<SearchAnswer>;
    /** Makes the index anew from what is stored; returns how many entries are in it. */
    rebuild(): Promise<number>;
  };
  /** The lines a user typed, by project, oldest first; the last 500. */
  readonly history: {
    load(project_id: string): Promise<readonly string[]>;
    append(project_id: string, line: string): Promise<void>;
  };
  readonly receipt: {
    /** Those of a turn, in order, as far as they are written; records that can't be read are left out. */
    list(conversation_id: string, turn_id: string): Promise<readonly Receipt[]>;
  };
  readonly usage: {
    /** Oldest first; of turns closed at `since` or later. `project_id` null: of every project. What can't be read is left out. */
    list(filter: { readonly project_id: string | null; readonly since: number }): Promise<readonly UsageRow[]>;
  };
  /** What endpoints listed, by a key of the caller's. */
  readonly catalog: {
    /** Null when there is none, or it can't be read. */
    get(key: string): Promise<CatalogPage | null>;
    put(key: string, page: CatalogPage): Promise<void>;
  };
  /** Bytes by their hash: SHA-256, first 16 hex digits. The same bytes are kept once. */
  readonly blob: {
    /** Returns the hash. */
    put(bytes: Uint8Array): Promise<string>;
    /** A copy; null when there are none of this hash. */
    get(hash: string): Promise<Uint8Array | null>;
  };
  readonly config: {
    /** The persisted patch of `/config set`; `{}` when nothing was set. */
    patch(): Promise<Readonly<Record<string, unknown>>>;
    setPatch(patch: Readonly<Record<string, unknown>>): Promise<void>;
    /** True the first time it is asked for this name, whoever asks. */
    once(name: string): Promise<boolean>;
  };
  close(): Promise<void>;
}
