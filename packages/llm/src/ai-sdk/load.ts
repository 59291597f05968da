import { pathToFileURL } from "node:url";
import { AgentError } from "@smith/contract/error";
import { entryFile, findPackageFolder, isPackageName } from "../installed.ts";

/** A language model of a package, as far as it is used; its answers are read as what comes over a wire. */
export interface ForeignModel {
  doGenerate(options: unknown): PromiseLike<unknown>;
  doStream(options: unknown): PromiseLike<unknown>;
  readonly specificationVersion?: unknown;
}

/** What a package's provider is made with. */
export interface Settings {
  readonly name: string;
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The folder of an installed package, in the `node_modules` of the first of the folders that has it.
 * @throws {AgentError} `schema`/`config`, naming the command that installs it.
 */
export function findPackage(provider: string, name: string | null, folders: readonly string[]): string {
  if (name === null || !isPackageName(name)) {
    const got = name === null ? "names no package" : `names the package ${JSON.stringify(name)}, which is no npm name`;
    throw refuse(
      `The provider ${provider} is of the kind ai_sdk and ${got}. Set its package, as @ai-sdk/google.`,
      provider,
    );
  }
  const found = findPackageFolder(name, folders);
  if (found !== null) return found;
  const where = folders[0] ?? ".";
  throw refuse(
    `The provider ${provider} needs the package ${name}, which is not installed. Run: npm install --prefix ${where} ${name}`,
    provider,
  );
}

/**
 * Makes the provider of an installed package. Its code is loaded here.
 * @returns what makes a model of its id.
 * @throws {AgentError} `schema`/`config` when it can't be loaded, or is no provider of models.
 */
export async function loadProvider(folder: string, settings: Settings): Promise<(model: string) => ForeignModel> {
  const exported = await importPackage(folder, settings.name);
  // Each of these packages has one function that makes its provider, and a provider that is made already.
  const make = Object.entries(exported).find(
    ([name, value]) => /^create[A-Z]/.test(name) && typeof value === "function",
  );
  if (make === undefined) throw refuse(`${folder} exports nothing that makes a provider (create…).`, settings.name);
  const [, create] = make;
  const provider: unknown = (create as (settings: Settings) => unknown)(settings);
  return (model) => {
    const made: unknown = modelIn(provider, model);
    if (isModel(made)) return made;
    throw refuse(`${folder} has no language model ${model} of a version that Smith can speak (2 or 3).`, settings.name);
  };
}

function modelIn(provider: unknown, model: string): unknown {
  const { languageModel } = provider as { readonly languageModel?: unknown };
  if (typeof languageModel === "function") return (languageModel as (id: string) => unknown)(model);
  return typeof provider === "function" ? (provider as (id: string) => unknown)(model) : undefined;
}

const isModel = (value: unknown): value is ForeignModel =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "doStream") === "function";

async function importPackage(folder: string, provider: string): Promise<Readonly<Record<string, unknown>>> {
  const entry = entryFile(folder);
  try {
    return (await import(pathToFileURL(entry).href)) as Record<string, unknown>;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.split("\n", 1)[0] : String(thrown);
    throw refuse(`${folder} can't be loaded: ${why}. Install it again, in a version for this Node.`, provider);
  }
}

const refuse = (message: string, provider: string): AgentError =>
  new AgentError({ kind: "schema", code: "config", origin: "llm/ai-sdk", message, data: { provider } });
