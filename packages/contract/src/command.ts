import type { Price } from "./catalog.ts";
import type { Mode } from "./config.ts";
import type { InspectHost } from "./inspect.ts";
import type { Message, TranscriptMessage } from "./message.ts";
import type { Usage } from "./model.ts";
import type { SearchAnswer, SearchQuery } from "./search.ts";
import type { Conversation, Memory, UsageRow } from "./store.ts";
import type { UndoHost } from "./undo.ts";

/** What a command comes to. The door acts on it; a command never draws, exits or runs a turn itself. */
export interface CommandAnswer {
  /** Lines for people; may be empty. */
  readonly say: string;
  /** The same as data, for `--json`. */
  readonly data?: unknown;
  /** What `data` does not tell and its reader should know, a sentence each; `say` has it in its lines. */
  readonly notes?: readonly string[];
  /** Text to run as a turn, and as whom; for that turn only. */
  readonly turn?: {
    readonly text: string;
    /** What it refers to is in it already. */
    readonly literal?: boolean;
  } & TurnAs;
  /** Text to put into the editor. */
  readonly draft?: string;
  /** What a terminal shows in full in place of `say`: a conversation, or that text. */
  readonly view?: { readonly kind: "transcript" | "inspect" } | { readonly kind: "text"; readonly title: string };
  /** Leave, with this code. */
  readonly exit?: number;
  /** False: it did not do what was asked. `say` tells why. */
  readonly ok?: boolean;
  /** The call did not fit the command's usage. */
  readonly misuse?: boolean;
}

/** What a single turn runs as, other than the session does; null: as the session. */
export interface TurnAs {
  readonly model: string | null;
  readonly role: string | null;
  /** Can only narrow the session's. */
  readonly mode: Mode | null;
}

/** A command that a user wrote as a file. */
export interface UserCommand extends TurnAs {
  readonly name: string;
  /** Shown in `/help`. */
  readonly description: string;
  /** How it is called, without its name; may be empty. */
  readonly arguments: string;
  /** The prompt, with `$ARGUMENTS`, `$1` to `$9` and `$$`. */
  readonly body: string;
  readonly file: string;
  readonly source: "user" | "project";
}

export interface UserCommands {
  /** By name. */
  readonly commands: readonly UserCommand[];
  /** Why a file is left out, a sentence each. */
  readonly warnings: readonly string[];
}

export interface UserCommandsHost {
  /** As the files are now. Never rejects. */
  list(): Promise<UserCommands>;
}

/** A configuration value with where it comes from. */
export interface Explained {
  readonly path: string;
  /** The effective value, secrets masked; null when unset. */
  readonly value: unknown;
  /** The layer that decides; null when unset everywhere. */
  readonly winner: string | null;
  readonly layers: readonly {
    readonly layer: string;
    readonly value: unknown;
    readonly file: string | null;
    readonly line: number | null;
  }[];
}

export interface ConfigHost {
  /** The effective value at a path, secrets masked; undefined when unset. */
  get(path: string | null): unknown;
  explain(path: string): Promise<Explained>;
  /** Persists one leaf. @throws {AgentError} `schema`/`config`; nothing is written then. */
  set(path: string, text: string): Promise<void>;
  unset(path: string): Promise<void>;
  paths(): readonly { readonly path: string; readonly overridable: boolean; readonly description: string }[];
  files(): Readonly<Record<string, string | null>>;
}

/** Which model answers, of which provider, and by which rule. */
export interface ModelInUse {
  readonly model: string;
  readonly provider: string;
  readonly source: string;
}

export interface SessionHost extends UndoHost {
  /** The id of the project the session works in. */
  project(): string;
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

export interface ToolRow {
  readonly name: string;
  readonly side_effects: "none" | "some";
  readonly allowed: boolean;
  readonly rule: string;
}

export interface PolicyRow {
  readonly role: string;
  readonly tool: string;
  readonly decision: "allow" | "ask" | "deny";
  readonly rule: string;
  readonly source: string;
}

/** A role as commands show it. */
export interface RoleRow {
  readonly name: string;
  /** The built-in role that it is, or is made of. */
  readonly base: string;
  readonly user_facing: boolean;
  /** Null for a built-in role, like the next. */
  readonly description: string | null;
  /** Where it is defined. */
  readonly source: string | null;
}

export interface PolicyHost {
  /** The built-in ones first. */
  roles(): readonly RoleRow[];
  /** The tools that exist, as one role may call them now. */
  tools(role: string): Promise<readonly ToolRow[]>;
  explain(role: string, tool: string): Promise<PolicyRow>;
  /** One row per tool of the matrix, then those that are not built in: the decision of each role, in a mode. */
  table(mode: Mode): Promise<
    readonly {
      readonly tool: string;
      readonly side_effects: "none" | "some";
      readonly roles: Readonly<Record<string, string>>;
    }[]
  >;
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

/** A job of this session, running or done. */
export interface JobRow {
  readonly job_id: string;
  readonly role: string;
  readonly task: string;
  /** `running`, or what it came to. */
  readonly status: "running" | "ok" | "partial" | "blocked" | "cancelled";
  /** The tool it runs just now; null between tools and when done. */
  readonly tool: string | null;
  readonly elapsed_ms: number;
}

/** A command that bash was told to run in the background. */
export interface BackgroundRow {
  /** `bg1` */
  readonly name: string;
  readonly command: string;
  /** `running`, `exit 0`, `exit 137, SIGKILL`, `killed`, `cancelled` or `timeout`. */
  readonly status: string;
  readonly elapsed_ms: number;
}

export interface JobsHost {
  /** In the order they began; the last 100. */
  list(): readonly JobRow[];
  /** The commands in the background, in the order they began: all that run, and the last that ended. */
  background(): readonly BackgroundRow[];
}

/** What this session has used so far. */
export interface SessionUsage {
  /** Answers of models, without those to jobs. */
  readonly requests: number;
  readonly usage: Usage;
  /** By role of the jobs. */
  readonly children: Readonly<Record<string, Usage & { readonly jobs: number }>>;
  /** The model in use; null before one was chosen. */
  readonly model: string | null;
  /** What it costs; null: unpriced. */
  readonly price: Price | null;
}

export interface UsageHost {
  session(): SessionUsage;
  /** Of closed turns, oldest first. `all`: of every project. */
  list(which: { readonly all: boolean; readonly since: number }): Promise<readonly UsageRow[]>;
  /** Ms. */
  now(): number;
}

/** A model in the list, as `--json` has it. Dollars are per million tokens; null: nobody says. */
export interface ModelRow {
  readonly id: string;
  readonly provider: string;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly input_per_mtok: number | null;
  readonly output_per_mtok: number | null;
  readonly loaded: boolean | null;
}

export interface ModelsHost {
  /**
   * The models of every endpoint that is configured or found. `refresh`: all are asked, else those not asked for a day.
   * @throws {AgentError} `schema`/`no_model` when there is no endpoint.
   */
  list(refresh: boolean): Promise<{
    readonly models: readonly ModelRow[];
    /** Of each endpoint, one sentence: how old its list is, or why there is none. */
    readonly notes: readonly string[];
    /** Those of the notes that tell of an endpoint without a list, or that did not answer just now. */
    readonly faults: readonly string[];
    /** False: an endpoint was asked and none answered. */
    readonly ok: boolean;
  }>;
}

/** An MCP server as it stands now. */
export interface McpRow {
  /** As the configuration calls it. */
  readonly name: string;
  readonly transport: "stdio" | "http";
  /** Its command or address, without what its variables hold. */
  readonly from: string;
  /** What it calls itself, with its version; empty until it was reached. */
  readonly server: string;
  /** Who may call its tools. */
  readonly roles: readonly string[];
  /** `off`: the configuration has it disabled. */
  readonly status: "ready" | "starting" | "failed" | "idle" | "off";
  /** Why it failed; null when it did not. */
  readonly error: string | null;
  readonly tools: readonly {
    /** As the model calls it. */
    readonly name: string;
    /** As the server calls it. */
    readonly tool: string;
    readonly side_effects: "none" | "some";
  }[];
  /** What the server lists and nobody is offered. */
  readonly left_out: readonly { readonly tool: string; readonly why: string }[];
}

export interface McpHost {
  /** Every configured server, after those that are enabled were started or waited for. Never rejects. */
  list(): Promise<readonly McpRow[]>;
}

/** One thing that was looked at. Not ok: something needed is broken. Ok with a mend: it works, and could be better. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do; null: nothing. */
  readonly mend: string | null;
}

/** An entry of `plugins`, as `--json` has it. */
export interface PluginRow {
  readonly entry: string;
  /** Null: it could not be loaded. */
  readonly name: string | null;
  readonly version: string | null;
  /** Null also for one that is part of Smith. */
  readonly file: string | null;
  /** Who may call its tools. */
  readonly roles: readonly string[];
  readonly tools: readonly string[];
  readonly hooks: readonly string[];
  /** What of it could not be had, a sentence each. */
  readonly errors: readonly string[];
}

export interface PluginsHost {
  /** Loads them, if nothing has yet. Never rejects. */
  list(): Promise<readonly PluginRow[]>;
  /** What could not be had of them and was not told yet, a sentence each. */
  warnings(): Promise<readonly string[]>;
}

export interface DoctorHost {
  /** Never rejects. */
  checks(): Promise<readonly Check[]>;
}

/** What commands work on; the runtime gives it. */
/** What the project and the session keep beside the transcript, and how it is found again. */
export interface MemoryHost {
  /** `all`: in every project. */
  search(query: Omit<SearchQuery, "project_id"> & { readonly all: boolean }): Promise<SearchAnswer>;
  /** Makes the full-text index anew; returns how many entries it holds. */
  rebuild(): Promise<number>;
  /** What the project remembers, by id. */
  list(): Promise<readonly Memory[]>;
  /** False when there is none. */
  delete(id: string): Promise<boolean>;
  /** The keys of the session's scratchpad with their sizes; none before its first line. */
  keys(): Promise<readonly { readonly key: string; readonly chars: number }[]>;
  /** Null when there is none. */
  recall(key: string): Promise<string | null>;
}

export interface CommandHost {
  readonly config: ConfigHost;
  readonly session: SessionHost;
  readonly policy: PolicyHost;
  readonly jobs: JobsHost;
  readonly sessions: SessionsHost;
  readonly inspect: InspectHost;
  readonly memory: MemoryHost;
  readonly usage: UsageHost;
  readonly models: ModelsHost;
  readonly doctor: DoctorHost;
  readonly mcp: McpHost;
  readonly plugins: PluginsHost;
  readonly user_commands: UserCommandsHost;
}
