import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { OUTSIDE_ROLES } from "@smith/contract/config";
import type { AuditPlace } from "./bundled/audit.ts";
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
  /** Whether nothing runs without it. */
  readonly required: boolean;
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
  readonly env: NodeJS.ProcessEnv;
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
    const all = entries.map((entry) => ({ entry, roles: OUTSIDE_ROLES, required: false }));
    const from = { bases: [base_dir], data_dir: null, env: process.env };
    const outcomes = await loadEntries(all, { ...from, container, call });
    return {
      plugins: outcomes.flatMap(({ loaded }) => loaded ?? []),
      errors: outcomes.flatMap(({ errors }) => errors),
    };
  } finally {
    container.dispose();
  }
}

/** Loads the entries that are not blank, side by side. The first of a name has it. */
export async function loadEntries(
  entries: readonly PluginEntry[],
  options: LoadOptions,
): Promise<readonly EntryOutcome[]> {
  const named = entries.filter(({ entry }) => entry.trim() !== "");
  const loading = named.map((each) => loadOne(each, options).catch(faultIn));
  const outcomes: EntryOutcome[] = [];
  for (const [at, result] of (await Promise.all(loading)).entries()) {
    const { entry = "", roles = [], required = false } = named[at] ?? {};
    const fault = "plugin" in result ? twinOf(result, outcomes) : result;
    const loaded = fault === null && "plugin" in result ? result : null;
    outcomes.push({ entry, roles, required, loaded, errors: fault === null ? [] : [fault] });
  }
  return outcomes;
}

function faultIn(thrown: unknown): PluginError {
  if (thrown instanceof PluginFault) return thrown.data;
  throw thrown;
}

/** Why a plugin is left out after those before it; null: it is not. */
function twinOf({ plugin: { name }, entry }: LoadedPlugin, before: readonly EntryOutcome[]): PluginError | null {
  const first = before.find(({ loaded }) => loaded?.plugin.name === name);
  if (first === undefined) return null;
  return createFault("duplicate_plugin_name", name, `${first.entry} has that name already, ${entry} is left out`).data;
}

/** @throws {PluginFault} */
async function loadOne(
  { entry, roles }: PluginEntry,
  { bases, container, call, ...options }: LoadOptions,
): Promise<LoadedPlugin> {
  const found = await findEntry(entry, bases);
  const file = "file" in found ? found.file : null;
  const told = call(entry);
  if (file !== null) container.own(file, told);
  const load =
    "file" in found ? () => import(pathToFileURL(found.file).href) : () => loadBundled(found.bundled, options);
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

async function loadBundled(name: Bundled, place: AuditPlace): Promise<{ readonly plugin: Plugin }> {
  if (name === "audit") return { plugin: (await import("./bundled/audit.ts")).createAudit(place) };
  return { plugin: (await import("./bundled/ask-before-bash.ts")).askBeforeBash };
}
