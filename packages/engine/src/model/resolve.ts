import type { RoleSpec } from "../roles/catalog.ts";

/** The models that one source names. */
export interface ModelTable {
  readonly models?: Readonly<Record<string, string>>;
  readonly default_model?: string | undefined;
}

export interface ModelQuery {
  /** Per call: the flag, a command. */
  readonly model_override: string | null;
  /** The model service's own options; normally empty, for who injects one. */
  readonly options: ModelTable;
  /** The effective configuration. */
  readonly runtime_config: ModelTable;
}

export interface ResolvedModel {
  readonly model: string;
  readonly source: "override" | "role" | "default" | "fallback";
  /** The key that named it: a role, `default`, or the role's `default_model_key`. */
  readonly key: string;
}

/** Which model a role uses. Eight steps; the first that names one wins, the last always does. */
export function resolveModel({ model_override, options, runtime_config }: ModelQuery, role: RoleSpec): ResolvedModel {
  const { name, default_model_key: key } = role;
  const own = (table: ModelTable, field: string) =>
    Object.hasOwn(table.models ?? {}, field) ? table.models?.[field] : undefined;
  const steps: readonly (readonly [string | null | undefined, ResolvedModel["source"], string])[] = [
    [model_override, "override", "override"],
    [own(options, name), "role", name],
    [own(options, key), "role", key],
    [own(runtime_config, name), "role", name],
    [own(runtime_config, key), "role", key],
    [options.default_model, "default", "default_model"],
    [runtime_config.default_model, "default", "default_model"],
    [key, "fallback", key],
  ];
  for (const [model, source, by] of steps) if (model !== null && model !== undefined) return { model, source, key: by };
  return { model: key, source: "fallback", key };
}
