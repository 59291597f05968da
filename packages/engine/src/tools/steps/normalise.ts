import { AgentError, type AgentErrorData, toAgentError } from "@smith/contract/error";
import type { ToolResult } from "@smith/contract/tool";
import { failedResult, failureText } from "../../turn/results.ts";
import type { Done, ExecutorPorts, Next, Work } from "../work.ts";

/** The rim of the chain: whatever happened inside, exactly one result comes out. */
export async function normalise(work: Work, enter: Next, ports: ExecutorPorts): Promise<ToolResult> {
  let done: Done;
  try {
    done = await enter(work);
  } catch (thrown) {
    return failedResult(work.call, { error: toAgentError(thrown, "engine/executor").toJSON(), output: "" });
  }
  return toResult(work, done, ports);
}

function toResult({ call }: Work, done: Done, ports: ExecutorPorts): ToolResult {
  const error = errorOf(done);
  const { outcome } = done;
  return {
    call_id: call.id,
    tool: call.name,
    ok: error === null,
    content: withTag(error === null ? outcome.content : failureText({ error, output: outcome.content }), done, ports),
    error,
    cancelled: done.cancelled,
    mutation_state: done.mutation_state,
    metadata: outcome.metadata ?? {},
    files: outcome.files ?? [],
    terminal: error === null && ports.tools.get(call.name)?.is_terminal === true,
    ran: done.ran,
  };
}

/** A child is told the receipt of each result, to cite it. */
function withTag(text: string, { receipt_id }: Done, { scope }: ExecutorPorts): string {
  if (receipt_id === undefined || scope.job_id === null) return text;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}[receipt ${receipt_id}]`;
}

/** The error of an outcome in full; null for a success. */
export function errorOf({ outcome, error }: Done): AgentErrorData | null {
  if (error !== undefined) return error;
  if (outcome.ok) return null;
  const fault = outcome.error ?? { code: "failed", message: "The tool failed without saying why." };
  return new AgentError({ ...fault, kind: fault.kind ?? "tool", origin: "tool" }).toJSON();
}
