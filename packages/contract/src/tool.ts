import type { z } from "zod";
import type { Mode } from "./config.ts";
import type { AgentErrorData } from "./error.ts";

/** Whether a call may have changed anything: `none`, `attempted` (it ran), `unknown` (cut off, and no file tells). */
export type MutationState = "none" | "attempted" | "unknown";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as the model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** What a handler is given beside its arguments. */
export interface ToolContext {
  readonly role: string;
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly project_id: string;
  /** What was said in other conversations is out of reach; absent: all of the project's are within it. */
  readonly reach?: "conversation";
  /** The job this turn carries out; null in a turn of the user's. */
  readonly job_id: string | null;
  /** The session's ceiling. */
  readonly mode: Mode;
  readonly call_id: string;
  /** Absolute. It may have been deleted since the turn began. */
  readonly cwd: string;
  /** Root of the git work tree around `cwd`, or null outside one. */
  readonly project_root: string | null;
  /** Aborts on cancel and at the tool's deadline. */
  readonly signal: AbortSignal;
  isCancelled(): boolean;
}

/** A file the tool touched itself. Hashes: SHA-256, first 16 hex digits; null = no such file. */
export interface FileTouch {
  /** Absolute, symlinks resolved. */
  readonly path: string;
  readonly hash_before: string | null;
  readonly hash_after: string | null;
}

/** What went wrong, for the model: `kind` defaults to `tool`. */
export interface ToolFault {
  readonly kind?: AgentErrorData["kind"];
  readonly code: string;
  readonly message: string;
}

/** What a handler returns. Failures are values (`ok: false`); a throw is a bug that the executor turns into one. */
export interface ToolOutcome {
  readonly ok: boolean;
  /** The text for the model. On failure: what was produced before it, possibly empty. */
  readonly content: string;
  /** The whole output where `content` is a part of it; it is kept, not shown. */
  readonly full_output?: string;
  readonly error?: ToolFault;
  readonly files?: readonly FileTouch[];
  readonly exit_code?: number | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What the executor makes of a call: exactly one per call, in call order. */
export interface ToolResult {
  readonly call_id: string;
  readonly tool: string;
  readonly ok: boolean;
  /** As the model reads it: the raw output, or `{ok, output, error}` as JSON text on failure. */
  readonly content: string;
  readonly error: AgentErrorData | null;
  readonly cancelled: boolean;
  readonly mutation_state: MutationState;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly files: readonly FileTouch[];
  /** True when a terminal tool succeeded: the turn is over. */
  readonly terminal: boolean;
  /** False for a call that was refused before it reached a handler. */
  readonly ran: boolean;
}

export interface Tool<Arguments = never> {
  readonly name: string;
  readonly description: string;
  /** Checked before `run`, and shown to the model as JSON Schema. Use a strict object: unknown fields are refused. */
  readonly schema: z.ZodType<Arguments>;
  /** What the model is told of the arguments in place of `schema`: of a tool that brings a JSON schema itself. */
  readonly parameters?: JsonSchema;
  readonly side_effects: "none" | "some";
  run(args: Arguments, context: ToolContext): Promise<ToolOutcome>;
  /** Seconds a call may take; a tool that keeps its own time (bash) declares its own ceiling. Default 30. */
  deadlineS?(args: Arguments): number;
  /** Characters of `content` that are let through uncut; default 20,000. */
  readonly max_chars?: number;
  /** Absolute paths the call may change, known before it runs; absent = can't be known (bash). */
  targets?(args: Arguments, context: ToolContext): readonly string[];
  /** Narrows the role matrix; for a tool from outside, which has no row there, it says who may call it. */
  readonly role_allowlist?: readonly string[];
  readonly role_denylist?: readonly string[];
  /** One line for people, made of the arguments and the outcome: `exit 0 (12 B)`. */
  result_renderer?(args: Arguments, outcome: ToolOutcome): string;
  /** It starts processes: calls wait for one of the tree's slots, outside their own time. */
  readonly uses_process?: boolean;
  /** After a cancel or its deadline it has this long to hand over what it has, ms; default 300. */
  readonly grace_ms?: number;
  /** A success ends the turn. */
  readonly is_terminal?: boolean;
}

/** Any tool, whatever its arguments: what registries hold. */
// biome-ignore lint/suspicious/noExplicitAny: a registry holds tools of all argument types; each call is checked by its schema
export type AnyTool = Tool<any>;
