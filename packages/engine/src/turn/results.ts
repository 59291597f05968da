import { AgentError, type AgentErrorData, type ErrorKind } from "@smith/contract/error";
import type { ToolCall, ToolMessage } from "@smith/contract/message";
import type { ToolResult } from "@smith/contract/tool";

/** The tool that ends a child's turn; it is never counted against a budget. */
export const isReport = (call: Pick<ToolCall, "name">): boolean => call.name === "report";

/** A report that was sent and did not fit, in its shape or already as JSON. */
export const isBadReport = (result: ToolResult): boolean =>
  isReport({ name: result.tool }) && !result.ok && (result.ran || result.error?.kind === "schema");

/** Why a call was answered without being run. Each call in a stored transcript has exactly one result. */
export type WhyNotRun = "budget" | "cancelled" | "cut" | "report";

const WHY: Readonly<Record<WhyNotRun, { kind: ErrorKind; code: string; message: string }>> = {
  budget: {
    kind: "budget_exhausted",
    code: "tool_step_budget",
    message: "not run: the tool budget of this turn is spent",
  },
  cancelled: { kind: "cancelled", code: "cancelled", message: "not run: the turn was cancelled" },
  cut: {
    kind: "protocol",
    code: "output_cut",
    message:
      "not run: your answer was cut off by the output limit in the middle of its calls. Make fewer or smaller calls.",
  },
  report: { kind: "policy", code: "after_report", message: "not run: the report before it ended this turn" },
};

/** The synthetic result of a call that never started. */
export function notRun(call: ToolCall, why: WhyNotRun): ToolResult {
  const error = new AgentError({ ...WHY[why], origin: "engine/turn" }).toJSON();
  return failedResult(call, { error, output: "", cancelled: why === "cancelled" });
}

export interface Failure {
  readonly error: AgentErrorData;
  /** What was produced before the failure. */
  readonly output: string;
  readonly cancelled?: boolean;
}

/** A failed result that never reached a handler; the executor overlays what it knows better. */
export function failedResult(call: ToolCall, failure: Failure): ToolResult {
  return {
    call_id: call.id,
    tool: call.name,
    ok: false,
    content: failureText(failure),
    error: failure.error,
    cancelled: failure.cancelled ?? false,
    mutation_state: "none",
    metadata: {},
    files: [],
    terminal: false,
    ran: false,
  };
}

/** A failure as the model reads it: `{"ok":false,"output":…,"error":{kind,code,message}}`. */
export function failureText({ error, output }: Failure): string {
  const { kind, code, message } = error;
  return JSON.stringify({ ok: false, output, error: { kind, code, message } });
}

export function toolMessage(result: ToolResult, place: { turn_id: string; round: number; ts: number }): ToolMessage {
  return {
    role: "tool",
    content: result.content,
    tool_call_id: result.call_id,
    name: result.tool,
    ok: result.ok,
    ...(result.ok ? {} : { is_error: true }),
    ...(typeof result.metadata["recall_key"] === "string" ? { recall_key: result.metadata["recall_key"] } : {}),
    ...place,
  };
}

export const cutError = (): AgentError =>
  new AgentError({
    kind: "protocol",
    code: "output_cut",
    origin: "engine/turn",
    message:
      "The output limit cut the model off in the middle of its tool calls three times in a row. Raise max_tokens or ask for smaller steps.",
  });
