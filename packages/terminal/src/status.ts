import type { AgentEvent } from "@smith/contract/event";
import type { Usage } from "@smith/contract/model";
import { argsPreview } from "./rows.ts";
import { safeLine } from "./safe.ts";
import { childEvent } from "./status-children.ts";
import type { StatusView, Work, WorkCall } from "./status-view.ts";

export const NO_WORK: Work = Object.freeze({
  activity: "idle",
  calls: [],
  started_at: null,
  input_tokens: 0,
  output_tokens: 0,
  streamed_chars: 0,
  cancelling: false,
  waiting: "",
});

export const IDLE_STATUS: StatusView = Object.freeze({
  ...NO_WORK,
  role: "",
  turn_id: null,
  error: "",
  context_tokens: null,
  cost_usd: 0,
  children: [],
  expected: [],
});

/** What an event makes of the view. Pure; an event of no interest gives the same view back. */
export function reduceStatus(view: StatusView, event: AgentEvent): StatusView {
  const costed = withCost(view, event);
  const about = childEvent(costed, event, advance);
  if (about !== null) return about;
  const next = advance(costed, event);
  switch (event.type) {
    case "turn_started":
      return { ...next, role: event.role, turn_id: event.turn_id, error: "", children: [], expected: [] };
    case "llm_request_completed":
      return { ...next, context_tokens: contextOf(event.usage) ?? next.context_tokens };
    case "turn_completed":
      return { ...next, children: [], expected: [] };
    case "turn_failed":
      return { ...next, error: safeLine(event.error.message), children: [], expected: [] };
    default:
      return next;
  }
}

function withCost(view: StatusView, event: AgentEvent): StatusView {
  const cost = event.type === "llm_request_completed" ? (event.usage.cost_usd ?? 0) : 0;
  return cost > 0 ? { ...view, cost_usd: view.cost_usd + cost } : view;
}

const contextOf = ({ input_tokens, output_tokens }: Usage): number | null =>
  input_tokens === null ? null : input_tokens + (output_tokens ?? 0);

/** The same table for the user's turn and for a child's. */
function advance<W extends Work>(work: W, event: AgentEvent): W {
  switch (event.type) {
    case "turn_started":
      return { ...work, ...NO_WORK, activity: "thinking", started_at: event.ts };
    case "llm_request_started":
      return { ...work, activity: "thinking", waiting: "" };
    case "llm_text_delta":
      return { ...work, activity: "streaming", waiting: "", streamed_chars: work.streamed_chars + event.text.length };
    case "llm_reasoning_delta":
      return { ...work, activity: "thinking", waiting: "", streamed_chars: work.streamed_chars + event.text.length };
    case "llm_retry_scheduled":
      return { ...work, waiting: `${safeLine(event.code)}; trying again in ${event.delay_ms / 1000} s` };
    case "provider_switched":
      return { ...work, waiting: `${safeLine(event.from)} failed; going on with ${safeLine(event.to)}` };
    case "compact_started":
      return { ...work, activity: "thinking", waiting: "summarising the older part of the context" };
    case "compact_completed":
      return { ...work, waiting: "" };
    case "llm_request_completed":
      return { ...counted(work, event.usage), waiting: "" };
    case "tool_execution_started":
      return { ...work, activity: "tool", calls: [...work.calls, callOf(event)] };
    case "tool_execution_finished":
    case "tool_execution_cancelled":
      return ended(work, event.call_id);
    case "turn_cancel_requested":
      return { ...work, cancelling: true };
    case "turn_completed":
      return { ...work, ...stopped, activity: event.stop_reason === "cancelled" ? "cancelled" : "idle" };
    case "turn_failed":
      return { ...work, ...stopped, activity: event.error.kind === "cancelled" ? "cancelled" : "error" };
    case "tool_call_refused":
    case "prompt_built":
    case "llm_tool_call_detected":
    case "llm_request_cancelled":
    case "dispatch_started":
    case "dispatch_cancel_requested":
    case "dispatch_finished":
    case "budget_exhausted":
    case "context_trimmed":
    case "turn_persisted":
    case "turn_persist_failed":
    case "turn_recovered":
    case "notice":
      return work;
    default:
      return event satisfies never;
  }
}

const stopped = { calls: [], cancelling: false, waiting: "", streamed_chars: 0 } as const;

const counted = <W extends Work>(work: W, { input_tokens, output_tokens }: Usage): W => ({
  ...work,
  input_tokens: work.input_tokens + (input_tokens ?? 0),
  output_tokens: work.output_tokens + (output_tokens ?? estimate(work.streamed_chars)),
  streamed_chars: 0,
});

/** Tokens of a text of so many characters, about. */
export const estimate = (chars: number): number => Math.ceil(chars / 4);

function ended<W extends Work>(work: W, call_id: string): W {
  const calls = work.calls.filter((call) => call.call_id !== call_id);
  return { ...work, calls, activity: calls.length > 0 ? "tool" : "thinking" };
}

const callOf = (event: { readonly call_id: string; readonly tool: string; readonly args: unknown }): WorkCall => ({
  call_id: event.call_id,
  tool: safeLine(event.tool),
  subject: argsPreview(event.args),
});
