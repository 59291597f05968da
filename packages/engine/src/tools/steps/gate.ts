import { cancelReason } from "@smith/contract/cancel";
import { AgentError, cancelledError } from "@smith/contract/error";
import { z } from "zod";
import type { Decision } from "../../roles/policy.ts";
import type { RoleTools } from "../registry.ts";
import type { Step } from "../work.ts";
import { refusal } from "./refusal.ts";

/** Unknown tools, tools the role may not call, arguments that don't fit, and calls after a cancel stop here. */
export const gate: Step = async (work, next, { tools }) => {
  const name = work.call.name;
  const tool = tools.get(name);
  if (tool === undefined) return refusal(unknownTool(name, tools));
  const decision = tools.decide(name);
  if (decision.decision === "deny") return refusal(denied(name, decision, tools));
  const parsed = tool.schema.safeParse(work.args);
  if (!parsed.success) return refusal(badArguments(name, parsed.error));
  if (work.signal.aborted) return refusal(cancelledError(cancelReason(work.signal), "engine/gate"));
  return next({ ...work, tool, args: parsed.data });
};

const unknownTool = (name: string, { names }: RoleTools): AgentError =>
  new AgentError({
    kind: "tool",
    code: "unknown_tool",
    origin: "engine/gate",
    message: `unknown_tool: ${name}. The tools are: ${names.join(", ")}.`,
  });

const denied = (name: string, { rule, source }: Decision, { names }: RoleTools): AgentError =>
  new AgentError({
    kind: "policy",
    code: "tool_denied",
    origin: "engine/gate",
    message: `${name} is denied: ${rule} (${source}). Allowed: ${names.join(", ")}.`,
  });

const badArguments = (name: string, error: z.ZodError): AgentError =>
  new AgentError({
    kind: "schema",
    code: "bad_arguments",
    origin: "engine/gate",
    message: `The arguments of ${name} don't fit: ${z.prettifyError(error).replaceAll("\n", " ")}`,
  });
