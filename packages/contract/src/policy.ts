import type { Mode } from "./config.ts";

export interface ToolRow {
  readonly name: string;
  readonly side_effects: "none" | "some";
  readonly allowed: boolean;
  readonly rule: string;
}

export interface PolicyRow {
  readonly role: string;
  readonly tool: string;
  readonly decision: "allow" | "ask" | "deny";
  readonly rule: string;
  readonly source: string;
}

/** A role as commands show it. */
export interface RoleRow {
  readonly name: string;
  /** The built-in role that it is, or is made of. */
  readonly base: string;
  readonly user_facing: boolean;
  /** Null for a built-in role, like the next. */
  readonly description: string | null;
  /** Where it is defined. */
  readonly source: string | null;
}

export interface PolicyHost {
  /** The built-in ones first. */
  roles(): readonly RoleRow[];
  /** The tools that exist, as one role may call them now. */
  tools(role: string): Promise<readonly ToolRow[]>;
  explain(role: string, tool: string): Promise<PolicyRow>;
  /** One row per tool of the matrix, then those that are not built in: the decision of each role, in a mode. */
  table(mode: Mode): Promise<
    readonly {
      readonly tool: string;
      readonly side_effects: "none" | "some";
      readonly roles: Readonly<Record<string, string>>;
    }[]
  >;
}
