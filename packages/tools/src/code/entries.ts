import { open } from "node:fs/promises";
import { join } from "node:path";
import { printable } from "../fault.ts";

/** Entry points told, and package files read for them. */
const MAX_ENTRIES = 20;
const MAX_PACKAGES = 6;
const PACKAGE_MAX_BYTES = 1 << 20;
const VALUE_CHARS = 120;

/** Files that say how a project is started or built, or are what is started. */
const BY_NAME =
  /(^|\/)(Cargo\.toml|pyproject\.toml|setup\.py|go\.mod|pom\.xml|build\.gradle(\.kts)?|CMakeLists\.txt|Makefile|justfile|Dockerfile|(docker-)?compose\.ya?ml|Gemfile|composer\.json|mix\.exs|deno\.jsonc?|manage\.py|__main__\.py|(main|index|cli|server|app)\.(ts|tsx|mts|js|jsx|mjs|cjs|py|go|rs|rb|c|cc|cpp|java|kt|swift|lua|php|zig|dart))$/;

const depthOf = (path: string): number => path.split("/").length;

/** Nearest to the root first. `paths` are relative to `dir`. */
export async function entryPoints(dir: string, paths: readonly string[]): Promise<readonly string[]> {
  const near = paths
    .filter((path) => depthOf(path) <= 4 && !/(^|\/)(tests?|__tests__|fixtures?|examples?|vendor|dist)\//.test(path))
    .toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  const packages = near.filter((path) => /(^|\/)package\.json$/.test(path)).slice(0, MAX_PACKAGES);
  const told = await Promise.all(packages.map((path) => packageEntry(dir, path)));
  const named = near.filter((path) => BY_NAME.test(path)).map(printable);
  return [...told.filter((entry) => entry !== null), ...named].slice(0, MAX_ENTRIES);
}

/** `package.json: main dist/a.js, bin smith, start "node ."`; null for one that starts nothing or can't be read. */
async function packageEntry(dir: string, path: string): Promise<string | null> {
  const data = await readJson(join(dir, path));
  if (data === null) return null;
  const bin = data["bin"];
  const facts = [
    fact("main", data["main"] ?? data["module"]),
    typeof bin === "string" ? fact("bin", bin) : fact("bin", isRecord(bin) ? Object.keys(bin).join(" ") : undefined),
    fact("start", isRecord(data["scripts"]) ? data["scripts"]["start"] : undefined),
  ].filter((each) => each !== null);
  return facts.length === 0 ? null : `${printable(path)} (${facts.join(", ")})`;
}

const fact = (name: string, value: unknown): string | null =>
  typeof value === "string" && value !== "" ? `${name}: ${printable(value).slice(0, VALUE_CHARS)}` : null;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function readJson(path: string): Promise<Record<string, unknown> | null> {
  try {
    await using file = await open(path, "r");
    if ((await file.stat()).size > PACKAGE_MAX_BYTES) return null;
    const data: unknown = JSON.parse((await file.readFile("utf8")).replace(/^\ufeff/, ""));
    return isRecord(data) ? data : null;
  } catch {
    return null; // broken or gone: the map is drawn without it
  }
}
