import type { BaseRole } from "@smith/contract/config";
import { nearest } from "@smith/contract/edit-distance";
import { AgentError } from "@smith/contract/error";
import { TARGET_ROLES, type TargetRole } from "@smith/contract/target-role";
import { checkTool, hasRow, matrixTools } from "./matrix.ts";

/** What a role is; what it may call stands in the matrix, in the column of its base. */
export interface RoleSpec {
  readonly name: string;
  /** The built-in role it is, or is made of: it is never wider than that. */
  readonly base: BaseRole;
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
  /** Null for a built-in role: the rest of this is for custom ones. */
  readonly custom: CustomPart | null;
}

export interface CustomPart {
  readonly description: string;
  /** In place of its base's frame; null: as its base. */
  readonly frame: string | null;
  /** Of its base's tools those it may call; null: all. */
  readonly tools: readonly string[] | null;
  readonly model: string | null;
  /** Where it is defined, for people. */
  readonly source: string;
}

/** A custom role as it was written down. */
export interface RoleDefinition extends CustomPart {
  readonly name: string;
  readonly base: BaseRole;
  /** Null: as its base. */
  readonly dispatch_targets: readonly string[] | null;
  readonly user_facing: boolean | null;
}

/** The roles there are. */
export interface Roles {
  /** The built-in ones first. */
  list(): readonly RoleSpec[];
  /** @throws {AgentError} `policy`/`unknown_role` with the names there are. */
  resolve(name: string): RoleSpec;
  /** Whether a role may hand a job to another; unknown roles may nothing. */
  mayDispatch(role: string, target: string): boolean;
}

const BUILT_IN: readonly (readonly [BaseRole, alias: string, user_facing: boolean, targets: readonly TargetRole[]])[] =
  Object.freeze([
    ["direct", "Smith", true, ["worker", "explorer"]],
    ["orchestrator", "Tank", true, ["worker", "explorer"]],
    ["worker", "Niobe", false, ["explorer"]],
    ["explorer", "Link", false, []],
  ]);

type Defined = Pick<RoleDefinition, "name" | "base" | "dispatch_targets" | "user_facing"> & {
  readonly alias: string;
  readonly custom: CustomPart | null;
};

/** The built-in roles and these beside them. What would make one wider than its base is left out of it. */
export function createRoles(definitions: readonly RoleDefinition[] = []): Roles {
  const own = BUILT_IN.map(([name, alias]): Defined => {
    return { name, alias, base: name, dispatch_targets: null, user_facing: null, custom: null };
  });
  const theirs = definitions.map(({ name, base, dispatch_targets, user_facing, ...custom }): Defined => {
    return { name, alias: name, base, dispatch_targets, user_facing, custom };
  });
  const all = [...own, ...theirs];
  const roles = all.map((role) => toSpec(role, all));
  const find = (name: string) => roles.find((role) => role.name === name);
  return Object.freeze({
    list: () => roles,
    resolve(name: string) {
      const found = find(name);
      if (found !== undefined) return found;
      const names = roles.map((role) => role.name);
      throw unknownRole(name, names);
    },
    mayDispatch: (role: string, target: string) => find(role)?.dispatch_targets.includes(target) ?? false,
  });
}

function toSpec({ name, base, alias, user_facing, dispatch_targets, custom }: Defined, all: readonly Defined[]) {
  const [, , answers = false, targets = []] = BUILT_IN.find(([each]) => each === base) ?? [];
  const allowed = all.filter((each) => targets.some((target) => target === each.base)).map((each) => each.name);
  const wanted = allowed.filter((target) => dispatch_targets?.includes(target) ?? true);
  return Object.freeze({
    ...{ name, base, alias, custom, user_facing: answers && user_facing !== false },
    ...{ can_dispatch: wanted.length > 0, dispatch_targets: Object.freeze(wanted) },
    ...{ prompt_profile: base, default_model_key: "default" },
  });
}

function unknownRole(name: string, names: readonly string[]): AgentError {
  const near = nearest(name, names);
  const hint = near === null || near === name.trim() ? "" : ` Did you mean ${near}?`;
  return new AgentError({
    kind: "policy",
    code: "unknown_role",
    origin: "engine/roles",
    message: `There is no role ${JSON.stringify(name)}.${hint} The roles are: ${names.join(", ")}.`,
  });
}

/** The built-in role of a job: that of the role it is for. */
export const targetBase = (role: RoleSpec): TargetRole | null =>
  TARGET_ROLES.find((each) => each === role.base) ?? null;

/** What a definition asks for and does not get. */
export interface Excess {
  readonly key: "tools" | "dispatch_targets" | "user_facing";
  readonly fault: string;
}

/** @param more there may be tools beside the built-in ones, of plugins say. */
export function excessOf(definition: RoleDefinition, { list }: Roles, more: boolean): readonly Excess[] {
  const { base, tools, dispatch_targets, user_facing } = definition;
  const [, , answers, edges = []] = BUILT_IN.find(([name]) => name === base) ?? [];
  const known = (target: string) => list().find((each) => each.name === target);
  const ofTarget = (target: string): string | null => {
    const role = known(target);
    if (role === undefined) return `there is no role ${JSON.stringify(target)}.`;
    if (edges.some((edge) => edge === role.base)) return null;
    return `${base} may not hand jobs to ${target}, so a role made of it can't either.`;
  };
  const isHidden = user_facing === true && answers !== true;
  return [
    { key: "user_facing" as const, fault: isHidden ? `${base} only runs as a job, so a role made of it does.` : null },
    ...(tools ?? []).map((tool) => ({ key: "tools" as const, fault: strangeTool(base, tool, more) })),
    ...(dispatch_targets ?? []).map((target) => ({ key: "dispatch_targets" as const, fault: ofTarget(target) })),
  ].flatMap(({ key, fault }) => (fault === null ? [] : [{ key, fault }]));
}

function strangeTool(base: BaseRole, tool: string, more: boolean): string | null {
  if (checkTool(base, tool) === "allow") return null;
  if (hasRow(tool)) return `${base} may not call ${tool}, so a role made of it can't either.`;
  const near = nearest(tool.toLowerCase(), matrixTools());
  if (near === null && more) return null;
  return `there is no tool ${JSON.stringify(tool)}.${near === null ? "" : ` Did you mean ${near}?`}`;
}
