import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { Config, MODES, type Mode } from "@smith/contract/config";
import type { AgentError } from "@smith/contract/error";
import { deepFreeze } from "@smith/contract/freeze";
import type { ConfigHost, Explained } from "@smith/contract/setting";
import type { Store } from "@smith/contract/store";
import type { Notice } from "@smith/contract/turn";
import type { Roles } from "@smith/engine";
import { checkLayer, type Issue } from "./check.ts";
import { type ConfigFile, configError, describe, lineOf, readConfigFile } from "./file.ts";
import { isKey, isOverridable, leaves, valueAt, without } from "./leaves.ts";
import { deepMerge, type Layer } from "./merge.ts";
import { coerce, layerOf } from "./overrides.ts";
import { allowedOf } from "./project-layer.ts";
import { activeFault, type FoundRoles, findRoles, type KnownRoles, knowRoles, roleFolders } from "./roles.ts";
import { holdsSecret, masked, maskSecrets } from "./secrets.ts";
import { nearestPath, noSuchKey } from "./suggest.ts";

export interface SettingsSources {
  /** The user's file; null: none is read. */
  readonly user_file: string | null;
  /** The user's own folder: `roles/` is in it. Null: none. */
  readonly user_folder: string | null;
  /** `--config`: it must exist. */
  readonly must_exist: boolean;
  /** Root of the repository or the working directory: its `.smith/config.json` is the project's file. */
  readonly project_dir: string | null;
  /** What this door has as defaults of its own, as a one-shot's `max_rounds`. */
  readonly defaults: Layer;
  /** Flags and environment: above everything. */
  readonly ephemeral: Layer;
  readonly database: string | null;
}

/** The configuration: its layers, lowest first, and what they come to. */
export interface Settings extends ConfigHost {
  /** Checked and frozen; a new object after each change. */
  effective(): Readonly<Config>;
  /** Replaces flags of this session, as `/mode` and `/model` do; nothing is persisted. */
  overlay(layer: Layer): void;
  /** As they were at the start. */
  readonly roles: Roles;
  readonly notices: readonly Notice[];
}

interface NamedLayer {
  readonly name: "defaults" | "user" | "project" | "persisted" | "flags";
  readonly layer: Layer;
  readonly file: ConfigFile | null;
}

/** The files' layers, read and checked before the store is open. */
export interface ConfigFiles {
  readonly user: ConfigFile | null;
  readonly project: ConfigFile | null;
  readonly roles: FoundRoles;
}

/**
 * Reads both configuration files.
 * @throws {AgentError} `schema`/`config` that names file, line, column, the value and the mend.
 */
export async function readConfigFiles(sources: SettingsSources): Promise<ConfigFiles> {
  const { user_file, project_dir } = sources;
  const [user, project, roles] = await Promise.all([
    user_file === null ? null : readConfigFile(user_file),
    project_dir === null ? null : readConfigFile(join(project_dir, ".smith", "config.json")),
    findRoles(roleFolders(sources.user_folder, project_dir)),
  ]);
  if (user === null && sources.must_exist) {
    throw configError(`--config ${user_file}: there is no such file. Name an existing one.`);
  }
  const flags = checkLayer(deepMerge({}, sources.ephemeral));
  if (flags.length > 0) throw configError(flags.map((issue) => issue.message).join("\n"));
  return { user, project, roles };
}

/** Joins the files with what `/config set` persisted and the flags. */
export async function openSettings(
  sources: SettingsSources,
  files: ConfigFiles,
  store: Pick<Store["config"], "patch" | "setPatch">,
): Promise<Settings> {
  const defaults = deepMerge(Config.parse({}) as Layer, sources.defaults);
  const user = files.user?.layer ?? {};
  const project = projectLayer(files, sources, user);
  const stored = await store.patch();
  let patch = fittingPart(stored).layer;
  let flags = sources.ephemeral;

  const layers = (): readonly NamedLayer[] => [
    { name: "defaults", layer: defaults, file: null },
    { name: "user", layer: user, file: files.user },
    { name: "project", layer: project.layer, file: files.project },
    { name: "persisted", layer: patch, file: null },
    { name: "flags", layer: flags, file: null },
  ];
  const merge = () =>
    deepFreeze(Config.parse(layers().reduce((merged, { layer }) => deepMerge(merged, layer), {} as Layer)));
  let effective = merge();
  const there = await knowRoles(effective, placed(layers(), sources), files.roles);
  for (const { layer, file, name } of layers()) if (name !== "persisted") await checkActive(layer, file, there);
  const saved = fittingPart(stored, there);
  patch = saved.layer;
  effective = merge();
  const notices = [...project.notices, ...tellMisfits(saved.issues), ...there.notices];
  // Read anew each time: another process may have saved something since.
  const save = async (change: (stored: Layer) => Layer) => {
    const next = change(await store.patch());
    await store.setPatch(next);
    patch = fittingPart(next, there).layer;
    effective = merge();
  };

  return Object.freeze({
    notices,
    roles: there.roles,
    effective: () => effective,
    overlay(layer: Layer) {
      flags = deepMerge(flags, layer);
      effective = merge();
    },
    get: (path: string | null) =>
      path === null ? maskSecrets(effective) : masked(path, known(path, valueAt(effective, path))),
    explain: (path: string) => explain(path, layers(), effective),
    async set(path: string, text: string) {
      const layer = settable(path, text, there);
      await save((stored) => deepMerge(stored, layer));
    },
    async unset(path: string) {
      if (!isOverridable(path)) throw notSettable(path);
      await save((stored) => without(stored, path));
    },
    paths: () => leaves().map(({ path, overridable, description }) => ({ path, overridable, description })),
    files: () => ({
      user: sources.user_file,
      project: sources.project_dir === null ? null : join(sources.project_dir, ".smith", "config.json"),
      database: sources.database,
    }),
  });
}

function projectLayer({ project }: ConfigFiles, { project_dir }: SettingsSources, user: Layer) {
  if (project === null) return { layer: {}, notices: [] };
  const listed = valueAt(user, "trusted_projects");
  const trusted = Array.isArray(listed) && project_dir !== null && listed.map(realPath).includes(realPath(project_dir));
  const mode = MODES.find((each) => each === valueAt(user, "mode")) ?? ("full" satisfies Mode);
  return allowedOf(project, { trusted, mode });
}

/** Links followed, no slash at the end: the same folder by whatever name the user wrote. */
function realPath(path: unknown): string {
  try {
    return realpathSync(String(path));
  } catch {
    return String(path); // a listed repository that is gone
  }
}

/** Paths in a file start from its folder, those of flags from the project's. */
const placed = (layers: readonly NamedLayer[], { project_dir }: SettingsSources) =>
  layers.map((each) => ({ ...each, folder: each.file === null ? (project_dir ?? ".") : dirname(each.file.path) }));

/** @throws {AgentError} `schema`/`config` when the layer names a role that does not answer the user. */
async function checkActive(layer: Layer, file: ConfigFile | null, there: KnownRoles): Promise<void> {
  const issue = activeFault(layer, there);
  if (issue !== null) throw configError(file === null ? issue.message : await describe(file, [issue]));
}

/** A patch that no longer fits, after an upgrade say, is left out with a warning: it must not keep Smith from starting. */
function tellMisfits(issues: readonly Issue[]): readonly Notice[] {
  if (issues.length === 0) return [];
  const text = `What /config set saved no longer fits and is ignored: ${issues.map((issue) => issue.message).join(" ")}`;
  return [{ level: "warn", text }];
}

/** @param there absent: the roles are not known yet. */
function fittingPart(patch: Layer, there?: KnownRoles): { layer: Layer; issues: readonly Issue[] } {
  const active = there === undefined ? null : activeFault(patch, there);
  const issues = [...checkLayer(patch), ...(active === null ? [] : [active])];
  const layer = issues.map((issue) => issue.path.join(".")).reduce<Layer>(without, patch);
  return { layer: checkLayer(layer).length === 0 ? layer : {}, issues };
}

/** The layer that one `/config set` makes, or the error why not. */
function settable(path: string, text: string, there: KnownRoles): Layer {
  if (!isOverridable(path)) throw notSettable(path);
  const value = coerce(text);
  const layer = layerOf(path, value);
  if (value === null) throw configError(`${path} can't be null. /config unset ${path} takes it away.`);
  const { issues } = fittingPart(layer, there);
  if (issues.length > 0) throw configError(issues.map((issue) => issue.message).join("\n"));
  // What is set here goes into the database, and no key does.
  if (holdsSecret(value)) throw configError(`${path} holds a password or key. Write it into the configuration file.`);
  return layer;
}

function notSettable(path: string): AgentError {
  const paths = leaves()
    .filter((leaf) => leaf.overridable)
    .map((leaf) => leaf.path);
  const inside = paths.find((each) => each.startsWith(`${path}.`)) ?? (paths.includes(path) ? `${path}.NAME` : null);
  if (inside !== null) return configError(`${path} holds several keys. Set one of them, as ${inside}.`);
  const near = nearestPath(path.split("."), paths);
  const mend = near === null ? "/config list shows what can." : `Did you mean ${near}?`;
  return configError(`${path} ${isKey(path) ? "can't be set at run time" : "is no configuration key"}. ${mend}`);
}

/** The value of a path that may be asked for. @throws {AgentError} when there is no such key. */
function known(path: string, value: unknown): unknown {
  if (value !== undefined || isKey(path)) return value;
  throw configError(noSuchKey(path));
}

async function explain(path: string, layers: readonly NamedLayer[], effective: Readonly<Config>): Promise<Explained> {
  const value = known(path, valueAt(effective, path));
  const set = layers.filter(({ layer }) => valueAt(layer, path) !== undefined);
  const rows = set.map(async ({ name, layer, file }) => ({
    layer: name,
    value: masked(path, valueAt(layer, path)),
    file: file?.path ?? null,
    line: file === null ? null : await lineOf(file, path),
  }));
  return {
    path,
    value: masked(path, value) ?? null,
    winner: set.at(-1)?.name ?? null,
    layers: await Promise.all(rows),
  };
}
