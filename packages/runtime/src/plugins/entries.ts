import { statSync } from "node:fs";
import { homedir } from "node:os";
import { extname, isAbsolute, join, resolve } from "node:path";
import { createFault, type PluginFault } from "./fault.ts";

/** Plugins that come with Smith, under `smith:NAME`. */
const BUNDLED = ["audit", "ask-before-bash"] as const;

export type Bundled = (typeof BUNDLED)[number];

export type Found =
  /** Part of Smith. */
  | { readonly bundled: Bundled }
  /** A module. */
  | { readonly file: string };

const MODULES = [".js", ".mjs", ".cjs"];
const TO_COMPILE = [".ts", ".mts", ".cts", ".tsx", ".jsx"];

/**
 * The module that an entry means: `smith:NAME`, a path, or the name of an installed package.
 * @param bases the folders that a relative path is looked for in, and from which packages are looked for upwards.
 * @throws {PluginFault}
 */
export async function findEntry(entry: string, bases: readonly string[]): Promise<Found> {
  if (entry.startsWith("smith:")) return bundled(entry);
  const extension = extname(entry);
  if (TO_COMPILE.includes(extension)) throw notAModule(entry, toCompile(entry, extension));
  const isPath = /^[./~]/.test(entry);
  if (isPath || MODULES.includes(extension)) {
    const file = MODULES.includes(extension) ? findFile(entry, bases) : null;
    if (file !== null) return { file };
    if (!MODULES.includes(extension)) throw notAModule(entry, "expected a file ending in .js, .mjs or .cjs");
    if (isPath) throw notFound(entry, bases);
  }
  const { entryFile, findPackageFolder, upwards } = await import("@smith/llm"); // its `ai_sdk` finds packages, too
  const folder = findPackageFolder(entry, bases.flatMap(upwards));
  if (folder !== null) return { file: entryFile(folder) };
  throw notFound(entry, bases);
}

function bundled(entry: string): Found {
  const name = BUNDLED.find((each) => `smith:${each}` === entry);
  if (name !== undefined) return { bundled: name };
  throw createFault(
    "plugin_not_found",
    entry,
    `Smith brings no such plugin; it has ${BUNDLED.map((each) => `smith:${each}`).join(" and ")}`,
  );
}

function findFile(entry: string, bases: readonly string[]): string | null {
  const path = entry.startsWith("~/") ? join(homedir(), entry.slice(2)) : entry;
  const candidates = isAbsolute(path) ? [path] : bases.map((base) => resolve(base, path));
  return candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true) ?? null;
}

const notAModule = (entry: string, why: string): PluginFault => createFault("plugin_entry_not_a_module", entry, why);

const toCompile = (entry: string, extension: string): string => {
  const made = `${entry.slice(0, -extension.length)}.mjs`;
  return `Smith loads JavaScript. Compile it, as by: npx esbuild ${entry} --bundle --platform=node --format=esm --outfile=${made}; then name ${made}`;
};

function notFound(entry: string, bases: readonly string[]): PluginFault {
  const where = isAbsolute(entry) || entry.startsWith("~") ? "" : ` in ${bases.join(" or ")}`;
  const what = /^[./~]/.test(entry) ? "there is no such file" : "there is neither such a file nor an installed package";
  return createFault("plugin_not_found", entry, `${what}${where}. Mend the path under plugins, or install it`);
}
