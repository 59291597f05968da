import { type Config, MODES, type Mode } from "@smith/contract/config";
import type { AnyTool } from "@smith/contract/tool";
import { checkTool, hasRow } from "./matrix.ts";

export interface Decision {
  /** `ask`: the user confirms each call. */
  readonly decision: "allow" | "ask" | "deny";
  /** The rule that decided, as a sentence. */
  readonly rule: string;
  /** Where that rule stands. */
  readonly source: "role matrix" | "tool's own list" | "services.tool.enabled" | "services.tool.extra" | "session mode";
}

export interface PolicyOptions {
  readonly mode: Mode;
  readonly enabled: Config["services"]["tool"]["enabled"];
  readonly extra: readonly string[];
}

/** Built-in tools that are there but off unless `services.tool.extra` names them. */
const OFF_BY_DEFAULT: ReadonlySet<string> = new Set([
  "list_dir",
  "http_request",
  "process_list",
  "disk_usage",
  "env_get",
]);

/** Tools with side effects that are part of the product; any other tool says so itself, and undeclared counts as some. */
const WITH_EFFECTS: ReadonlySet<string> = new Set(["bash", "write", "edit", "http_request"]);

export const hasEffects = (name: string, tool: AnyTool | undefined): boolean =>
  tool === undefined ? WITH_EFFECTS.has(name) || !hasRow(name) : tool.side_effects !== "none";

/**
 * The first rule that denies wins; the session mode can only narrow what is left. A tool from outside (a plugin's, an MCP
 * server's) has no row in the matrix: the list of roles that it comes with stands in its place.
 */
export function decide(role: string, name: string, options: PolicyOptions, tool?: AnyTool): Decision {
  const deny = (source: Decision["source"], rule: string): Decision => ({ decision: "deny", rule, source });
  const own = hasRow(name);
  if (!own && tool?.role_allowlist === undefined)
    return deny("role matrix", `${name} has no row, so nobody may call it`);
  if (own && checkTool(role, name) === "deny") return deny("role matrix", `${role} may not call ${name}`);
  if (tool?.role_allowlist?.includes(role) === false) return deny("tool's own list", `${name} is not for ${role}`);
  if (tool?.role_denylist?.includes(role) === true) return deny("tool's own list", `${name} is not for ${role}`);
  if (options.enabled !== "all" && !options.enabled.includes(name)) {
    return deny("services.tool.enabled", `${name} is not among the enabled tools`);
  }
  if (OFF_BY_DEFAULT.has(name) && !options.extra.includes(name)) {
    return deny("services.tool.extra", `${name} is off unless named there`);
  }
  if (options.mode === "full" || !hasEffects(name, tool))
    return { decision: "allow", rule: `the role may call ${name}`, source: own ? "role matrix" : "tool's own list" };
  return byMode(name, options.mode);
}

function byMode(name: string, mode: Exclude<Mode, "full">): Decision {
  const source = "session mode";
  if (mode === "ask")
    return { decision: "ask", rule: `${name} has side effects: each call is confirmed in mode ask`, source };
  return { decision: "deny", rule: `${name} has side effects: off in mode plan`, source };
}

/** The narrower of two modes; a ceiling is never raised by what lies below it. */
export const narrower = (a: Mode, b: Mode): Mode => (MODES.indexOf(a) >= MODES.indexOf(b) ? a : b);
