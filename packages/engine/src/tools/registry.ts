import { AgentError } from "@smith/contract/error";
import type { AnyTool, JsonSchema, ToolSpec } from "@smith/contract/tool";
import { z } from "zod";

export interface ToolRegistry {
  /** @throws {AgentError} `policy`/`duplicate_tool` when the name is taken. */
  register(tool: AnyTool): void;
  get(name: string): AnyTool | undefined;
  /** In the order they were registered. */
  list(): readonly AnyTool[];
  /** What a role's model is told of: the tools it may call, in a fixed order. Made once per tool. */
  specsFor(role: string): readonly ToolSpec[];
  /** Whether the role may call the tool; an unknown one may not. */
  allows(role: string, name: string): boolean;
}

/** @param policy the role matrix; the tool's own allow and deny lists narrow it further. */
export function createToolRegistry(
  tools: readonly AnyTool[],
  policy: (role: string, tool: string) => boolean,
): ToolRegistry {
  const byName = new Map<string, AnyTool>();
  const specs = new Map<string, ToolSpec>();
  const register = (tool: AnyTool) => {
    if (byName.has(tool.name)) throw duplicate(tool.name);
    byName.set(tool.name, tool);
  };
  const allows = (role: string, name: string) => {
    const tool = byName.get(name);
    return tool !== undefined && policy(role, name) && passesOwnLists(tool, role);
  };
  const specOf = (tool: AnyTool): ToolSpec => {
    const known = specs.get(tool.name) ?? toSpec(tool);
    specs.set(tool.name, known);
    return known;
  };
  for (const tool of tools) register(tool);
  return Object.freeze({
    register,
    get: (name: string) => byName.get(name),
    list: () => [...byName.values()],
    specsFor: (role: string) => [...byName.values()].filter((tool) => allows(role, tool.name)).map(specOf),
    allows,
  });
}

const passesOwnLists = (tool: AnyTool, role: string): boolean =>
  (tool.role_allowlist?.includes(role) ?? true) && !(tool.role_denylist?.includes(role) ?? false);

const duplicate = (name: string): AgentError =>
  new AgentError({
    kind: "policy",
    code: "duplicate_tool",
    origin: "engine/registry",
    message: `duplicate_tool: ${name}. A tool of that name is registered already; give this one another.`,
  });

function toSpec(tool: AnyTool): ToolSpec {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(tool.schema, { io: "input", target: "draft-7" });
  return Object.freeze({ name: tool.name, description: tool.description, parameters: parameters as JsonSchema });
}
