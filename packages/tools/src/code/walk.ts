import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { checkCancelled } from "@smith/contract/cancel";
import type { Ignore } from "ignore";
import { errnoOf } from "../fault.ts";
import type { Search } from "./ripgrep.ts";

/*
 * The built-in walk, for where ripgrep is missing: slower, with the same ignore files and rules.
 */

const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"];

/** The ignore files of one folder. */
interface Layer {
  readonly dir: string;
  readonly matcher: Ignore;
}

type Makes = () => Ignore;

/** Hears of each path that could not be read, with the system's word for it. */
export type OnUnread = (path: string, errno: string) => void;

/**
 * The files of the scope in order of name, relative to its folder. Links are not followed; folders that can't be read are
 * left out and told to `onUnread`. Ends early when the search's time is up.
 */
export async function* walk(search: Search, onUnread: OnUnread): AsyncGenerator<string> {
  const { scope } = search;
  if (scope.file !== null) {
    yield scope.file;
    return;
  }
  const { default: ignore } = await import("ignore");
  const make: Makes = () => ignore({ ignorecase: false });
  const rules: Layer = { dir: scope.dir, matcher: make().add([...search.rules]) };
  const above = scope.has_parents ? await layersAbove(scope.dir, make) : [];
  // What is asked for by name is shown, whatever the folders above it say.
  const layers = isIgnored(`${scope.dir}/`, above) ? [rules] : [rules, ...above];
  await readdir(scope.dir); // a scope that can't be read is an error, a folder in it is not
  yield* walkFolder(scope.dir, layers, { search, make, onUnread });
}

interface Walk {
  readonly search: Search;
  readonly make: Makes;
  readonly onUnread: OnUnread;
}

async function* walkFolder(dir: string, above: readonly Layer[], way: Walk): AsyncGenerator<string> {
  const { signal, late, scope } = way.search;
  checkCancelled(signal);
  if (late.aborted) return;
  const entries = await entriesOf(dir, (errno) => way.onUnread(relative(scope.dir, dir), errno));
  const own = await layerOf(dir, entries, way.make);
  const layers = own === null ? above : [...above, own];
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(dir, entry.name);
    if (entry.isFile() && !isIgnored(path, layers)) yield relative(scope.dir, path);
    if (entry.isDirectory() && !isIgnored(`${path}/`, layers)) yield* walkFolder(path, layers, way);
  }
}

/** Asked from the innermost folder outwards; the first that knows the path decides. Folders end in a slash. */
function isIgnored(path: string, layers: readonly Layer[]): boolean {
  for (const { dir, matcher } of layers.toReversed()) {
    const inside = path.slice(dir === "/" ? 1 : dir.length + 1);
    if (inside === "") continue;
    const { ignored, unignored } = matcher.test(inside);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** A folder that can't be read has no entries. */
const entriesOf = (dir: string, onFail?: (errno: string) => void): Promise<Dirent[]> =>
  readdir(dir, { withFileTypes: true }).catch((thrown: unknown) => {
    const errno = errnoOf(thrown) ?? String(thrown);
    if (errno !== "ENOENT") onFail?.(errno); // gone since it was listed is no fault
    return [];
  });

async function layerOf(dir: string, entries: readonly Dirent[], make: Makes): Promise<Layer | null> {
  // Regular files only: reading a pipe could block for ever.
  const names = IGNORE_FILES.filter((name) => entries.some((entry) => entry.name === name && entry.isFile()));
  if (names.length === 0) return null;
  const texts = await Promise.all(names.map((name) => readFile(join(dir, name), "utf8").catch(() => "")));
  return { dir, matcher: make().add(texts.map((text) => text.replace(/^\ufeff/, "")).join("\n")) };
}

/** The layers of the folders above, outermost first, up to the one that holds `.git`. */
async function layersAbove(dir: string, make: Makes): Promise<readonly Layer[]> {
  const layers: Layer[] = [];
  let at = dir;
  let entries = await entriesOf(at);
  while (!entries.some(({ name }) => name === ".git") && dirname(at) !== at) {
    at = dirname(at);
    entries = await entriesOf(at);
    const layer = await layerOf(at, entries, make);
    if (layer !== null) layers.unshift(layer);
  }
  return layers;
}
