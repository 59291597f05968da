import { toAgentError } from "@smith/contract/error";
import type { ToolContext, ToolOutcome } from "@smith/contract/tool";
import type { Done, Step } from "../work.ts";

/** Calls the handler. Whatever it throws or forgets to return becomes a failed outcome. */
export const run: Step = async (work, _next, ports): Promise<Done> => {
  const tool = work.tool;
  if (tool === null) throw new Error("the gate lets no call pass without a tool");
  const context: ToolContext = Object.freeze({
    ...ports.scope,
    role: ports.tools.role,
    call_id: work.call.id,
    signal: work.signal,
    isCancelled: () => work.signal.aborted,
  });
  const mutation_state = tool.side_effects === "some" ? "attempted" : "none";
  try {
    const outcome: ToolOutcome | undefined = await tool.run(work.args, context);
    return { outcome: checked(outcome, tool.name), cancelled: false, mutation_state, ran: true };
  } catch (thrown) {
    const error = { ...toAgentError(thrown, `tool/${tool.name}`).toJSON() };
    const kind = error.kind === "internal" ? "tool" : error.kind;
    return {
      outcome: { ok: false, content: "" },
      error: { ...error, kind },
      cancelled: false,
      mutation_state,
      ran: true,
    };
  }
};

const checked = (outcome: ToolOutcome | undefined, name: string): ToolOutcome =>
  outcome !== undefined && outcome !== null && typeof outcome.content === "string"
    ? outcome
    : { ok: false, content: "", error: { code: "no_result", message: `The tool ${name} returned no result.` } };
