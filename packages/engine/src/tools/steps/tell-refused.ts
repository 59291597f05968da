import type { ToolCall } from "@smith/contract/message";
import type { Step } from "../work.ts";
import { errorOf } from "./normalise.ts";

/** A call that is refused on its way is told, as one that begins is; one that a cancel kept from beginning is not. */
export const tellRefused: Step = async (work, next, { emit }) => {
  const done = await next(work);
  const error = errorOf(done);
  if (done.ran || done.cancelled || error === null) return done;
  const { call } = work;
  emit({ type: "tool_call_refused", call_id: call.id, tool: call.name, args: argsOf(call), error });
  return done;
};

function argsOf(call: ToolCall): unknown {
  try {
    return JSON.parse(call.arguments);
  } catch {
    return null; // no JSON: that is why it was refused
  }
}
