import type { AgentError } from "./error.ts";

/** A call that hooks are shown. */
export interface HookedCall {
  readonly call_id: string;
  readonly tool_name: string;
  /** As it would run: checked, defaults filled in. */
  readonly args: unknown;
}

/** What hooks say to a call: it may run; the user is asked first, with a reason; or it is refused, with an error. */
export type HookVerdict =
  | { readonly verdict: "run" }
  | { readonly verdict: "ask"; readonly reason: string }
  | { readonly verdict: "block"; readonly error: AgentError };

/** The hooks of plugins, as one turn has them. None of these throws, and each answers within seconds, whatever a plugin does. */
export interface Hooks {
  beforeCall(call: HookedCall): Promise<HookVerdict>;
  /** Told of each call that reached its handler. `text`: its output, or what went wrong. */
  afterCall(call: HookedCall, end: { readonly ok: boolean; readonly text: string }): Promise<void>;
  /** Lines for the system, for this request alone. `messages`: how many the conversation has. */
  beforeRequest(request: {
    readonly round: number;
    readonly model: string;
    readonly messages: number;
  }): Promise<readonly string[]>;
}
