import { cancelReason } from "@smith/contract/cancel";
import { cancelledError } from "@smith/contract/error";
import type { ToolExecutionEnd } from "@smith/contract/event";
import type { AnyTool } from "@smith/contract/tool";
import type { Done, Step, Work } from "../work.ts";
import { errorOf } from "./normalise.ts";
import { refusal } from "./refusal.ts";

/** Each call that reaches a handler is announced and its end told, in pairs. */
export const announce: Step = async (work, next, ports) => {
  // The gate looked before the call waited for its place: nothing begins after a cancel.
  if (work.signal.aborted) return refusal(cancelledError(cancelReason(work.signal), "engine/announce"));
  const about = { call_id: work.call.id, tool: work.call.name };
  const started = ports.now();
  ports.emit({ type: "tool_execution_started", ...about, args: work.args });
  const done = await next(work);
  const end: ToolExecutionEnd = {
    ...about,
    ok: done.outcome.ok,
    duration_ms: ports.now() - started,
    mutation_state: done.mutation_state,
    summary: summaryOf(work, done),
    error: errorOf(done),
  };
  ports.emit({ type: done.cancelled ? "tool_execution_cancelled" : "tool_execution_finished", ...end });
  return done;
};

/** One line for people; a renderer that throws costs the summary, not the call. */
function summaryOf({ tool, args }: Work, done: Done): string {
  const error = errorOf(done);
  try {
    const drawn = drawnBy(tool, args, done);
    if (drawn !== undefined) return drawn;
  } catch {
    // falls through to the plain summary: the renderer is a tool's, possibly a plugin's
  }
  return error === null ? `${done.outcome.content.length} characters` : `error: ${error.message}`;
}

const drawnBy = (tool: AnyTool | null, args: unknown, done: Done): string | undefined =>
  errorOf(done) === null ? tool?.result_renderer?.(args, done.outcome) : undefined;
