import { AgentError } from "@smith/contract/error";

/** What a role is; what it may call stands in the matrix. */
export interface RoleSpec {
  readonly name: string;
  /** May answer the user; the others only ever run as jobs. */
  readonly user_facing: boolean;
  readonly can_dispatch: boolean;
  readonly dispatch_targets: readonly string[];
  /** The frame of its system prompt. */
  readonly prompt_profile: string;
  /** The key of `models` it falls back to. */
  readonly default_model_key: string;
  /** How the UI calls it. */
  readonly alias: string;
}

const spec = (name: string, alias: string, user_facing: boolean, dispatch_targets: readonly string[]): RoleSpec =>
  Object.freeze({
    name,
    user_facing,
    can_dispatch: dispatch_targets.length > 0,
    dispatch_targets: Object.freeze(dispatch_targets),
    prompt_profile: name,
    default_model_key: "default",
    alias,
  });

const ROLES: readonly RoleSpec[] = Object.freeze([
  spec("direct", "Smith", true, ["worker", "explorer"]),
  spec("orchestrator", "Tank", true, ["worker", "explorer"]),
  spec("worker", "Niobe", false, ["explorer"]),
  spec("explorer", "Link", false, []),
]);

export const listRoles = (): readonly RoleSpec[] => ROLES;

/** @throws {AgentError} `policy`/`unknown_role` with the names there are. */
export function resolveRole(name: string): RoleSpec {
  const found = ROLES.find((role) => role.name === name);
  if (found !== undefined) return found;
  throw new AgentError({
    kind: "policy",
    code: "unknown_role",
    origin: "engine/roles",
    message: `There is no role ${JSON.stringify(name)}. The roles are: ${ROLES.map((role) => role.name).join(", ")}.`,
  });
}

/** Whether a role may hand a job to another; unknown roles may nothing. */
export const mayDispatch = (role: string, target: string): boolean =>
  ROLES.find((each) => each.name === role)?.dispatch_targets.includes(target) ?? false;
