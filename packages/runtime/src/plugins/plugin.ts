import type { ToolContext, ToolOutcome } from "@smith/contract/tool";

/** What a plugin module exports: as `default`, as `plugin`, or by being one itself. */
export interface Plugin {
  readonly name: string;
  readonly version?: string;
  readonly tools?: readonly PluginTool[];
  readonly hooks?: PluginHooks;
}

/** A tool of a plugin: with `run`, or `execute` as lich called it; with `parameters`, or a zod 4 `schema`. */
export interface PluginTool {
  /** Letters, digits, `_` and `-`, at most 64. No built-in tool's. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Of zod 4. */
  readonly schema?: unknown;
  run?(args: never, context: PluginToolContext): unknown;
  execute?(args: never, context: PluginToolContext): unknown;
  /** Default `some`. */
  readonly side_effects?: "none" | "some";
  /** Seconds a call may take; default 30. */
  readonly timeout_s?: number;
  readonly role_allowlist?: readonly string[];
  readonly role_denylist?: readonly string[];
  result_renderer?(args: never, outcome: ToolOutcome): string;
  readonly is_terminal?: boolean;
}

export interface PluginToolContext extends ToolContext {
  /** The same as `cwd`. */
  readonly work_dir: string;
}

/** Where a hook is called. Frozen, like all that a hook is given. */
export interface HookContext {
  readonly work_dir: string;
  /** Root of the git work tree around it; null outside one. */
  readonly project_root: string | null;
  readonly role: string;
  readonly conversation_id: string;
  readonly turn_id: string;
  /** The job that the turn carries out, and the turn that gave it; null in a turn of the user's own. */
  readonly job_id: string | null;
  readonly parent_turn_id: string | null;
  readonly mode: string;
}

export interface ToolCallInfo {
  readonly tool_name: string;
  readonly args: unknown;
  readonly call_id: string;
}

export interface ToolEndInfo extends ToolCallInfo {
  readonly ok: boolean;
  /** What went wrong; null when nothing did. */
  readonly error: string | null;
  /** The first 300 characters of the error, else of the output. */
  readonly result_summary: string;
}

/** What a guard answers: nothing, to let the call run; a veto; or that the user is to be asked first, and why. */
export type GuardAnswer =
  | { readonly block?: boolean; readonly reason?: string; readonly ask?: string }
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return is the most usual one
  | void;

type Answer<T> = T | Promise<T>;

/** Each may be a promise and has five seconds. What the others but `before_llm_call` answer is not read. */
export interface PluginHooks {
  on_run_start?(info: { readonly input_chars: number }, context: HookContext): unknown;
  on_run_end?(info: { readonly stop_reason: string; readonly rounds: number }, context: HookContext): unknown;
  before_llm_call?(
    info: { readonly round: number; readonly model: string; readonly messages: number },
    context: HookContext,
  ): unknown;
  before_tool_call?(info: ToolCallInfo, context: HookContext): Answer<GuardAnswer>;
  after_tool_call?(info: ToolEndInfo, context: HookContext): unknown;
  on_dispatch_start?(
    info: { readonly job_id: string; readonly target_role: string; readonly task: string },
    context: HookContext,
  ): unknown;
  on_dispatch_end?(
    info: { readonly job_id: string; readonly target_role: string; readonly task: string; readonly status: string },
    context: HookContext,
  ): unknown;
}

export type HookName = keyof PluginHooks;

export const HOOK_NAMES = Object.freeze([
  "on_run_start",
  "on_run_end",
  "before_llm_call",
  "before_tool_call",
  "after_tool_call",
  "on_dispatch_start",
  "on_dispatch_end",
] as const satisfies readonly HookName[]);

/** A plugin that was loaded. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  /** As the configuration names it. */
  readonly entry: string;
  /** The file that was loaded; null: it is part of Smith. */
  readonly file: string | null;
  /** Who may call its tools. */
  readonly roles: readonly string[];
}

/** Why an entry, or a part of one, was left out. The message begins with the code. */
export interface PluginError {
  readonly entry: string;
  readonly code: string;
  readonly message: string;
}
