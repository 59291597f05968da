import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { OUTSIDE_ROLES } from "@smith/contract/config";
import { type Call, type Container, createContainer } from "./contained.ts";
import { type Bundled, findEntry } from "./entries.ts";
import { createFault, lineOf, PluginFault } from "./fault.ts";
import { within } from "./limit.ts";
import type { LoadedPlugin, Plugin, PluginError } from "./plugin.ts";
import { pluginIn } from "./shape.ts";

/** An entry of the configuration. */
export interface PluginEntry {
  readonly entry: string;
  /** Who may call its tools. */
  readonly roles: readonly string[];
}

/** What became of an entry. */
export interface EntryOutcome extends PluginEntry {
  readonly loaded: LoadedPlugin | null;
  readonly errors: readonly PluginError[];
}

export interface LoadOptions {
  /** Folders that relative paths and packages are looked for from. */
  readonly bases: readonly string[];
  /** Where Smith keeps its data; null: nowhere. */
  readonly data_dir: string | null;
  readonly container: Container;
  /** Told of what a module does as it is loaded. */
  call(entry: string): Call;
}

/** Seconds that a module may take to load. */
const LOAD_S = 10;

/** See `public.ts`. */
export async function loadPlugins(
  entries: readonly string[],
  base_dir: string,
): Promise<{ readonly plugins: readonly LoadedPlugin[]; readonly errors: readonly PluginError[] }> {
  const container = createContainer();
  try {
    const call = () => ({ print: () => {}, fault: () => {} });
    const all = entries.map((entry) => ({ entry, roles: OUTSIDE_ROLES }));
    const outcomes = await loadEntries(all, { bases: [base_dir], data_dir: null, container, call });
    return {
      plugins: outcomes.flatMap(({ loaded }) => loaded ?? []),
      errors: outcomes.flatMap(({ errors }) => errors),
    };
  } finally {
    container.dispose();
  }
}

/** Loads each entry that is not blank, in order. */
export async function loadEntries(
  entries: readonly PluginEntry[],
  options: LoadOptions,
): Promise<readonly EntryOutcome[]> {
  const outcomes: EntryOutcome[] = [];
  for (const each of entries.filter(({ entry }) => entry.trim() !== "")) {
    try {
      const loaded = await loadOne(each, options);
      refuseSecond(loaded, outcomes);
      outcomes.push({ ...each, loaded, errors: [] });
    } catch (thrown) {
      if (!(thrown instanceof PluginFault)) throw thrown;
      outcomes.push({ ...each, loaded: null, errors: [thrown.data] });
    }
  }
  return outcomes;
}

/** @throws {PluginFault} */
function refuseSecond({ plugin: { name }, entry }: LoadedPlugin, before: readonly EntryOutcome[]): void {
  const first = before.find(({ loaded }) => loaded?.plugin.name === name);
  if (first === undefined) return;
  const why = `${first.entry} has that name already, ${entry} is left out`;
  throw createFault("duplicate_plugin_name", name, why);
}

/** @throws {PluginFault} */
async function loadOne(
  { entry, roles }: PluginEntry,
  { bases, data_dir, container, call }: LoadOptions,
): Promise<LoadedPlugin> {
  const found = await findEntry(entry, bases);
  const file = "file" in found ? found.file : null;
  const told = call(entry);
  if (file !== null) container.own(file, told);
  const load =
    "file" in found ? () => import(pathToFileURL(found.file).href) : () => loadBundled(found.bundled, data_dir);
  try {
    const exported: unknown = await within(container.run(told, load), LOAD_S * 1000);
    return { plugin: pluginIn(exported as Record<string, unknown>, entry), entry, file, roles };
  } catch (thrown) {
    if (thrown instanceof PluginFault) throw thrown;
    throw createFault("plugin_import_failed", entry, `${lineOf(thrown)}${await placeOf(thrown, file)}`);
  }
}

/** Where the syntax is bad: an import does not say it, so Node is asked to look at the file; nothing of it is run. */
async function placeOf(thrown: unknown, file: string | null): Promise<string> {
  if (!(thrown instanceof SyntaxError) || file === null) return "";
  const looked = promisify(execFile)(process.execPath, ["--check", file], { timeout: CHECK_MS });
  const said = await looked.then(
    () => "",
    ({ stderr }: { readonly stderr?: string }) => stderr ?? "",
  );
  const [, line] = /^.*:(\d+)$/m.exec(said) ?? [];
  return line === undefined ? "" : ` (line ${line} of ${file})`;
}

const CHECK_MS = 5000;

async function loadBundled(name: Bundled, data_dir: string | null): Promise<{ readonly plugin: Plugin }> {
  if (name === "audit") return { plugin: (await import("./bundled/audit.ts")).createAudit(data_dir) };
  return { plugin: (await import("./bundled/ask-before-bash.ts")).askBeforeBash };
}
