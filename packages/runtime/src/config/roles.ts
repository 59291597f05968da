import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { Config, CustomRole } from "@smith/contract/config";
import { nearest } from "@smith/contract/edit-distance";
import type { Notice } from "@smith/contract/turn";
import { createRoles, excessOf, type RoleDefinition, type Roles } from "@smith/engine";
import type { Issue } from "./check.ts";
import { type ConfigFile, lineOf } from "./file.ts";
import { valueAt } from "./leaves.ts";
import type { Layer } from "./merge.ts";
import type { RoleFile } from "./role-files.ts";

/** Folders of role files; null: there is no such place. */
export interface RoleFolders {
  readonly user: string | null;
  readonly project: string | null;
}

/** What the folders hold, before it is known what the configuration says. */
export interface FoundRoles {
  readonly user: readonly (RoleFile | string)[];
  readonly project: readonly (RoleFile | string)[];
  /** A project's files may name no frame outside of it. */
  readonly project_root: string | null;
}

export async function findRoles({ user, project }: RoleFolders): Promise<FoundRoles> {
  const [own, ofProject] = await Promise.all([readFolder(user), readFolder(project)]);
  return { user: own, project: ofProject, project_root: project === null ? null : dirname(dirname(project)) };
}

async function readFolder(folder: string | null): Promise<FoundRoles["user"]> {
  if (folder === null) return [];
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".md")).sort();
  if (names.length === 0) return []; // who has none loads nothing for them
  return (await import("./role-files.ts")).readRoleFiles(folder, names);
}

/** One layer of the configuration, and the folder that its paths start from. */
export interface PlacedLayer {
  readonly layer: Layer;
  readonly folder: string;
  readonly file: ConfigFile | null;
}

/** The roles there are, and what is wrong with those that are not, or are less than they ask for. */
export interface KnownRoles {
  readonly roles: Roles;
  readonly notices: readonly Notice[];
}

/** A custom role, and where a key of it stands. */
interface Made {
  readonly definition: RoleDefinition;
  at(key: string): Promise<string>;
}

/**
 * The built-in roles with those of the files and, over them, those of the configuration. A role that can't be is left out
 * with a warning.
 * @param layers lowest first.
 */
export async function knowRoles(
  config: Readonly<Config>,
  layers: readonly PlacedLayer[],
  found: FoundRoles,
): Promise<KnownRoles> {
  const read = [
    ...found.user.map((each) => ofFile(each, null)),
    ...found.project.map((each) => ofFile(each, found.project_root)),
    ...Object.entries(config.roles).map(([name, role]) => ofConfig(name, role, layers)),
  ];
  const made = await Promise.all(read);
  const warnings = made.filter((each) => typeof each === "string");
  const named = new Map(made.flatMap((each) => (typeof each === "string" ? [] : [[each.definition.name, each]])));
  const all = [...named.values()].sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  const roles = createRoles(all.map(({ definition }) => definition));
  const more = config.plugins.length > 0 || Object.keys(config.mcp_servers).length > 0;
  for (const { definition, at } of all) {
    for (const { key, fault } of excessOf(definition, roles, more)) warnings.push(`${await at(key)}: ${key}: ${fault}`);
  }
  const strange = [...strangeModels(config, roles), ...strangeGrants(config, roles)];
  return { roles, notices: [...warnings, ...strange].map((text) => ({ level: "warn", text })) };
}

/** What is wrong with the role that a layer lets answer the user; null: nothing. */
export function activeFault(layer: Layer, { roles, notices }: KnownRoles): Issue | null {
  const active = valueAt(layer, "active_role");
  const names = roles.list().flatMap((role) => (role.user_facing ? [role.name] : []));
  if (typeof active !== "string" || names.includes(active)) return null;
  const why = notices.find(({ text }) => text.includes(`${sep}${active}.md`) || text.includes(`roles.${active} `));
  const said = `active_role is ${JSON.stringify(active)}: expected one of ${names.join(", ")}.`;
  return { path: ["active_role"], on: "value", message: why === undefined ? said : `${said} ${why.text}` };
}

/** A model for a role that is none is most likely a typo: it would never be used, and nobody would know. */
function strangeModels({ models }: Readonly<Config>, roles: Roles): readonly string[] {
  const known = ["default", ...roles.list().map((role) => role.name)];
  return Object.keys(models)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      const mend = near === null ? `The roles are: ${known.join(", ")}.` : `Did you mean models.${near}?`;
      return `models.${name} is for no role. ${mend}`;
    });
}

/** Tools from outside are given to the four roles; one of the user's own has what its base has. */
function strangeGrants({ plugins, mcp_servers }: Readonly<Config>, roles: Roles): readonly string[] {
  const bases = roles.list().flatMap((role) => (role.custom === null ? [role.name] : []));
  const lists = [
    ...plugins.flatMap((each) =>
      typeof each === "string" ? [] : [[`plugins, ${each.entry}`, each.roles ?? []] as const],
    ),
    ...Object.entries(mcp_servers).map(([name, { roles: of }]) => [`mcp_servers.${name}`, of ?? []] as const),
  ];
  return lists.flatMap(([where, names]) =>
    names
      .filter((name) => !bases.includes(name))
      .map((name) => {
        const near = nearest(name, bases);
        const mend = near === null ? `Name some of ${bases.join(", ")}.` : `Did you mean ${near}?`;
        const isOwn = roles.list().some((role) => role.name === name);
        const why = isOwn ? "is a role of your own: it has what its base has" : "is no role";
        return `${where}: roles names ${JSON.stringify(name)}, which ${why}. ${mend}`;
      }),
  );
}

/** It stands in lists, and in what a model is told of its targets. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 199).toWellFormed()}…` : line;
}

function definitionOf(name: string, role: CustomRole, frame: string | null, source: string): RoleDefinition {
  const { base, tools, dispatch_targets, user_facing, model, description } = role;
  return {
    ...{ name, base, frame, source, tools: tools ?? null, dispatch_targets: dispatch_targets ?? null },
    ...{ user_facing: user_facing ?? null, model: model ?? null },
    description: oneLine(description ?? `made of ${base}`),
  };
}

async function ofFile(read: RoleFile | string, root: string | null): Promise<Made | string> {
  if (typeof read === "string") return read;
  const { name, role, body, file, lineOf: line } = read;
  const at = async (key: string) => `${file}:${line(key)}`;
  if (role.prompt_file === undefined) return { definition: definitionOf(name, role, body, file), at };
  const here = `${await at("prompt_file")} is left out:`;
  if (body !== null) return `${here} it has a prompt_file and a prompt of its own. Keep one of them.`;
  const frame = await readFrame(resolve(dirname(file), role.prompt_file), root);
  if ("fault" in frame) return `${here} prompt_file ${role.prompt_file} ${frame.fault}`;
  return { definition: definitionOf(name, role, frame.text, file), at };
}

async function ofConfig(name: string, role: CustomRole, layers: readonly PlacedLayer[]): Promise<Made | string> {
  const layerOf = (key: string) => layers.findLast(({ layer }) => valueAt(layer, `roles.${name}${key}`) !== undefined);
  const source = layerOf("")?.file?.path ?? "the flags";
  const at = async (key: string) => {
    const file = layerOf(`.${key}`)?.file ?? null;
    const line = file === null ? null : await lineOf(file, `roles.${name}.${key}`);
    return `${file === null ? "" : `${file.path}:${line}: `}roles.${name}`;
  };
  if (role.prompt_file === undefined) return { definition: definitionOf(name, role, null, source), at };
  const frame = await readFrame(resolve(layerOf(".prompt_file")?.folder ?? ".", role.prompt_file), null);
  if ("fault" in frame) return `${await at("prompt_file")} is left out: prompt_file ${role.prompt_file} ${frame.fault}`;
  return { definition: definitionOf(name, role, frame.text, source), at };
}

/** A file above this is no prompt, bytes. */
const MAX_BYTES = 256 * 1024;

/** @param inside the folder it must be in, links followed: a clone must not put any file of this machine into a prompt. */
async function readFrame(
  path: string,
  inside: string | null,
): Promise<{ readonly text: string } | { readonly fault: string }> {
  try {
    const real = await realpath(path);
    if (inside !== null && !real.startsWith(`${await realpath(inside)}${sep}`)) {
      return { fault: "is outside the project, which a project's role may not name." };
    }
    const found = await stat(real);
    if (!found.isFile() || found.size > MAX_BYTES) return { fault: `is no text file of at most ${MAX_BYTES} bytes.` };
    const text = (await readFile(real, "utf8")).replace(/^\ufeff/, "").trim();
    return text === "" ? { fault: "is empty." } : { text };
  } catch (thrown) {
    return { fault: `can't be read (${(thrown as NodeJS.ErrnoException).code}): ${path}` };
  }
}

/** Where role files are. */
export const roleFolders = (user_folder: string | null, project_dir: string | null): RoleFolders => ({
  user: user_folder === null ? null : join(user_folder, "roles"),
  project: project_dir === null ? null : join(project_dir, ".smith", "roles"),
});
