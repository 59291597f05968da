import { AgentError } from "@smith/contract/error";
import type { AnyTool, JsonSchema, ToolSpec } from "@smith/contract/tool";
import { z } from "zod";
import { type Caller, type Decision, decide, type PolicyOptions } from "../roles/policy.ts";

export interface ToolRegistry {
  /** @throws {AgentError} `policy`/`duplicate_tool` when the name is taken. */
  register(tool: AnyTool): void;
  get(name: string): AnyTool | undefined;
  /** In the order they were registered. */
  list(): readonly AnyTool[];
  /** What one role may see and call under a policy. */
  forRole(role: Caller, policy: PolicyOptions): RoleTools;
}

/** The registry as one role sees it, for one turn. */
export interface RoleTools {
  readonly role: string;
  /** The built-in role that it is made of. */
  readonly base: string;
  /** What the model is told of: everything that is not denied, in a fixed order. */
  readonly specs: readonly ToolSpec[];
  readonly names: readonly string[];
  get(name: string): AnyTool | undefined;
  decide(name: string): Decision;
}

/** @param judge the policy; the real one unless a test brings its own. */
export function createToolRegistry(tools: readonly AnyTool[], judge: typeof decide = decide): ToolRegistry {
  const byName = new Map<string, AnyTool>();
  const specs = new Map<string, ToolSpec>();
  const register = (tool: AnyTool) => {
    if (byName.has(tool.name)) throw duplicate(tool.name);
    byName.set(tool.name, tool);
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
    forRole(role: Caller, policy: PolicyOptions) {
      const decideFor = (name: string) => judge(role, name, policy, byName.get(name));
      const offered = [...byName.values()].filter((tool) => decideFor(tool.name).decision !== "deny");
      return Object.freeze({
        role: role.name,
        base: role.base,
        specs: offered.map(specOf),
        names: offered.map((tool) => tool.name),
        get: (name: string) => byName.get(name),
        decide: decideFor,
      });
    },
  });
}

const duplicate = (name: string): AgentError =>
  new AgentError({
    kind: "policy",
    code: "duplicate_tool",
    origin: "engine/registry",
    message: `duplicate_tool: ${name}. A tool of that name is registered already; give this one another.`,
  });

function toSpec(tool: AnyTool): ToolSpec {
  const { name, description } = tool;
  if (tool.parameters !== undefined) return Object.freeze({ name, description, parameters: tool.parameters });
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(tool.schema, { io: "input", target: "draft-7" });
  return Object.freeze({ name, description, parameters: parameters as JsonSchema });
}
