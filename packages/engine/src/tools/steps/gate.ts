import { cancelReason } from "@smith/contract/cancel";
import { AgentError, cancelledError } from "@smith/contract/error";
import { z } from "zod";
import type { ExecutorPorts, Step } from "../executor.ts";
import { refusal } from "./refusal.ts";

/** Unknown tools, tools the role may not call, arguments that don't fit, and calls after a cancel stop here. */
export const gate: Step = async (work, next, ports) => {
  const name = work.call.name;
  const tool = ports.registry.get(name);
  if (tool === undefined) return refusal(unknownTool(name, ports));
  if (!ports.registry.allows(ports.role, name)) return refusal(denied(name, ports));
  const parsed = tool.schema.safeParse(work.args);
  if (!parsed.success) return refusal(badArguments(name, parsed.error));
  if (work.signal.aborted) return refusal(cancelledError(cancelReason(work.signal), "engine/gate"));
  return next({ ...work, tool, args: parsed.data });
};

const allowed = ({ registry, role }: ExecutorPorts): string =>
  registry
    .specsFor(role)
    .map((spec) => spec.name)
    .join(", ");

const unknownTool = (name: string, ports: ExecutorPorts): AgentError =>
  new AgentError({
    kind: "tool",
    code: "unknown_tool",
    origin: "engine/gate",
    message: `unknown_tool: ${name}. The tools are: ${allowed(ports)}.`,
  });

const denied = (name: string, ports: ExecutorPorts): AgentError =>
  new AgentError({
    kind: "policy",
    code: "tool_denied",
    origin: "engine/gate",
    message: `The role ${ports.role} may not call ${name}. It may call: ${allowed(ports)}.`,
  });

const badArguments = (name: string, error: z.ZodError): AgentError =>
  new AgentError({
    kind: "schema",
    code: "bad_arguments",
    origin: "engine/gate",
    message: `The arguments of ${name} don't fit: ${z.prettifyError(error).replaceAll("\n", " ")}`,
  });
