import type { AgentErrorData } from "./error.ts";
import type { FinishReason, Usage } from "./model.ts";
import type { MutationState } from "./tool.ts";

/** What happened, one variant each; `ts` and `turn_id` are stamped by the bus. A consumer is a total switch. */
export type EventBody =
  | { type: "turn_started"; role: string; conversation_id: string }
  | { type: "prompt_built"; system_bytes: number; tool_specs_bytes: number }
  | { type: "llm_request_started"; round: number; model: string; provider: string }
  | { type: "llm_text_delta"; text: string }
  | { type: "llm_reasoning_delta"; text: string }
  /** Another attempt after `delay_ms`; 2 is the first retry. */
  | { type: "llm_retry_scheduled"; attempt: number; delay_ms: number; code: string }
  | { type: "provider_switched"; from: string; to: string; code: string }
  | { type: "llm_tool_call_detected"; call_id: string; tool: string }
  | {
      type: "llm_request_completed";
      round: number;
      model: string;
      provider: string;
      usage: Usage;
      finish_reason: FinishReason;
      duration_ms: number;
    }
  | { type: "llm_request_cancelled"; round: number; model: string; provider: string }
  | { type: "tool_execution_started"; call_id: string; tool: string; args: unknown }
  | ({ type: "tool_execution_finished" } & ToolExecutionEnd)
  | ({ type: "tool_execution_cancelled" } & ToolExecutionEnd)
  /** A call that never began: no such tool, not allowed, arguments that don't fit (null: no JSON), or the user said no. */
  | { type: "tool_call_refused"; call_id: string; tool: string; args: unknown; error: AgentErrorData }
  | { type: "dispatch_started"; job_id: string; target_role: string; task: string }
  | { type: "dispatch_cancel_requested"; job_id: string; target_role: string; task: string }
  | {
      type: "dispatch_finished";
      job_id: string;
      target_role: string;
      task: string;
      status: "ok" | "partial" | "blocked";
      cancelled: boolean;
      summary: string;
      evidence_counts: { verified: number; stale: number; unsupported: number };
    }
  /** Outputs newly elided, or messages newly dropped, before the edge (a position in the transcript). */
  | { type: "context_trimmed"; elided: number; dropped: number; edge: number }
  /** The older part of the conversation is being summarised. Tokens of the request as estimated. */
  | { type: "compact_started"; estimated_tokens: number }
  /** 0 characters: there is no summary, and a notice says why. */
  | { type: "compact_completed"; summary_chars: number }
  | { type: "budget_exhausted"; which: "tool_step_budget" | "max_rounds" }
  | { type: "turn_cancel_requested"; reason: string }
  | { type: "turn_completed"; stop_reason: "completed" | "cancelled" | "budget_exhausted" }
  | { type: "turn_failed"; error: AgentErrorData }
  | { type: "turn_persisted" }
  | { type: "turn_persist_failed"; error: AgentErrorData }
  /** A turn that its process could not finish was completed; `turn_id` is that turn's. */
  | { type: "turn_recovered"; rounds: number; open_calls: number }
  | { type: "notice"; level: NoticeLevel; text: string };

export interface ToolExecutionEnd {
  readonly call_id: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly duration_ms: number;
  readonly mutation_state: MutationState;
  readonly summary: string;
  readonly error: AgentErrorData | null;
}

export type NoticeLevel = "info" | "warn" | "error";

/** Whose an event is when a child emits it. */
export interface EventSource {
  readonly source_role: string;
  readonly job_id: string;
  readonly parent_turn_id: string;
}

export type AgentEvent = EventBody & { readonly ts: number; readonly turn_id: string } & Partial<EventSource>;
