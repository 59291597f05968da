import { type Config, MODES, type Mode } from "@smith/contract/config";
import type { AnyTool } from "@smith/contract/tool";
import type { RoleSpec } from "./catalog.ts";
import { checkTool, hasRow } from "./matrix.ts";

export interface Decision {
  /** `ask`: the user confirms each call. */
  readonly decision: "allow" | "ask" | "deny";
  /** The rule that decided, as a sentence. */
  readonly rule: string;
  /** Where that rule stands. */
  readonly source:
    | "role matrix"
    | "tool's own list"
    | "role's own list"
    | "services.tool.enabled"
    | "services.tool.extra"
    | "session mode";
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

/** Of a role, what decides about its tools. */
export type Caller = Pick<RoleSpec, "name" | "base" | "can_dispatch" | "custom">;

const deny = (source: Decision["source"], rule: string): Decision => ({ decision: "deny", rule, source });

/**
 * The first rule that denies wins; the session mode can only narrow what is left. A tool from outside (a plugin's, an MCP
 * server's) has no row in the matrix: the list of roles that it comes with stands in its place. A custom role is judged as
 * its base, and then by its own list.
 */
export function decide(role: Caller, name: string, options: PolicyOptions, tool?: AnyTool): Decision {
  const { base } = role;
  const own = hasRow(name);
  if (!own && tool?.role_allowlist === undefined)
    return deny("role matrix", `${name} has no row, so nobody may call it`);
  if (own && checkTool(base, name) === "deny") return deny("role matrix", `${base} may not call ${name}`);
  const denied = tool?.role_denylist?.some((each) => each === base || each === role.name) === true;
  if (denied || tool?.role_allowlist?.includes(base) === false)
    return deny("tool's own list", `${name} is not for ${base}`);
  if (!isOnOwnList(role, name)) return deny("role's own list", `${role.name} leaves out ${name}`);
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

/** `report` is on every list: without it no job could end well. Who may hand out no job needs no `dispatch`. */
function isOnOwnList({ custom, can_dispatch }: Caller, name: string): boolean {
  if (custom === null || name === "report") return true;
  if (name === "dispatch" && !can_dispatch) return false;
  return custom.tools === null || custom.tools.includes(name);
}

function byMode(name: string, mode: Exclude<Mode, "full">): Decision {
  const source = "session mode";
  if (mode === "ask")
    return { decision: "ask", rule: `${name} has side effects: each call is confirmed in mode ask`, source };
  return { decision: "deny", rule: `${name} has side effects: off in mode plan`, source };
}

/** The narrower of two modes; a ceiling is never raised by what lies below it. */
export const narrower = (a: Mode, b: Mode): Mode => (MODES.indexOf(a) >= MODES.indexOf(b) ? a : b);
