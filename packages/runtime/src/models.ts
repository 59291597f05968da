import type { Config } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import { type ModelTable, type ResolvedModel, type RoleSpec, resolveModel } from "@smith/engine";
import { type Catalog, listOptions } from "./catalog.ts";
import { configError } from "./config/file.ts";
import { fromEnvironment, fromLocalServers, type Offer } from "./discover.ts";
import {
  type Endpoint,
  type Env,
  endpointsOf,
  isUsable,
  leftOut,
  missingKey,
  shownUrl,
  splitModel,
} from "./endpoints.ts";

/** The model that answers, where it is, and why it was taken. */
export interface ModelChoice {
  readonly model: string;
  readonly provider: string;
  /** Without credentials; null for the demo model. */
  readonly api_url: string | null;
  /** The chosen endpoint, then those that are asked when it fails; none for the demo model. */
  readonly endpoints: readonly Endpoint[];
  /** What the user should know of the choice, one sentence each. */
  readonly notices?: readonly string[];
  readonly source: ResolvedModel["source"] | "environment" | "local server" | "provider" | "only model listed" | "demo";
  readonly key: string;
  /** Tokens; 128,000 when nobody says. */
  readonly context_window: number;
  readonly max_output_tokens: number | null;
}

export interface ModelQuestion {
  readonly role: RoleSpec;
  /** `--model` or `/model`. */
  readonly override: string | null;
  /** `--model` for a role that does not answer the user: its default when it has no model of its own. */
  readonly child_default: string | null;
  /** The model service's own options, for who injects some. */
  readonly options: ModelTable;
  readonly config: Readonly<Config>;
  readonly env: Env;
}

/** Tokens, where nobody knows better. */
export const CONTEXT_WINDOW = 128_000;
export const DEMO = "demo";

/**
 * Which model answers: what is configured, else a provider whose key is in the environment, else a local server, else
 * the demo where it was asked for.
 * @throws {AgentError} `schema`/`no_model` with the ways to set one; `transport`/`auth` when no configured endpoint has
 * the key it needs. Nobody is asked anything then.
 */
export async function chooseModel(question: ModelQuestion): Promise<ModelChoice> {
  const { config, env, override } = question;
  if (override === DEMO || question.child_default === DEMO) return demo("override");
  const runtime_config = {
    models: modelsFor(question.role, config),
    default_model: question.child_default ?? config.default_model,
  };
  const resolved = resolveModel({ model_override: override, options: question.options, runtime_config }, question.role);
  const endpoints = endpointsOf(config);
  if (endpoints.length > 0) return atEndpoint(resolved, endpoints, env);
  const offer = (await fromEnvironment(env, resolved.source !== "fallback")) ?? (await fromLocalServers(env));
  if (offer !== null) return offered(resolved, offer, env);
  if (env["SMITH_FALLBACK"] === DEMO) return demo("demo");
  throw noModel();
}

/** A custom role without a model of its own has that of its base. */
function modelsFor({ name, base, custom }: RoleSpec, { models }: Readonly<Config>): Config["models"] {
  const own = custom === null ? undefined : (models[name] ?? custom.model ?? models[base]);
  return own === undefined ? models : { ...models, [name]: own };
}

function choice(endpoints: readonly Endpoint[], named: Pick<ModelChoice, "model" | "source" | "key">): ModelChoice {
  const [first] = endpoints;
  return {
    ...named,
    provider: first?.provider ?? DEMO,
    api_url: first === undefined ? null : shownUrl(first),
    endpoints,
    context_window: first?.context_window ?? CONTEXT_WINDOW,
    max_output_tokens: null,
  };
}

/** Endpoints without the key they need are left out, and that is said. */
async function atEndpoint(resolved: ResolvedModel, all: readonly Endpoint[], env: Env): Promise<ModelChoice> {
  const { model, endpoints } = named(resolved, all);
  const [wanted] = endpoints;
  const usable = endpoints.filter((endpoint) => isUsable(endpoint, env));
  const [first] = usable;
  if (wanted === undefined) throw noModel();
  if (first === undefined) throw missingKey(wanted);
  const notices = endpoints.filter((endpoint) => !usable.includes(endpoint)).map(leftOut);
  // A model was named for the endpoint that stood first; any other is asked for its own.
  const own = first === wanted ? model : (first.model ?? model);
  if (own === null) return { ...(await withoutModel(resolved, usable, env)), notices };
  const source = own === model && resolved.source !== "fallback" ? resolved.source : "provider";
  return { ...choice(usable, { model: own, source, key: resolved.key }), notices };
}

/** `provider:model` names a provider only when the part before the first `:` is one; other ids keep their colons. */
function named({ model, source }: ResolvedModel, endpoints: readonly Endpoint[]) {
  if (source === "fallback") return { model: endpoints[0]?.model ?? null, endpoints };
  const { provider, id } = splitModel(model, endpoints);
  const first = endpoints.find((endpoint) => endpoint.provider === provider);
  if (first === undefined) return { model: id, endpoints };
  return { model: id, endpoints: [first, ...endpoints.filter((endpoint) => endpoint !== first)] };
}

/** No model was named: the only one that the first endpoint lists, else the user must say. */
async function withoutModel({ key }: ResolvedModel, endpoints: readonly Endpoint[], env: Env): Promise<ModelChoice> {
  const [first] = endpoints;
  if (first === undefined) throw noModel();
  const listed = await listAt(first, env);
  const [only, ...others] = listed;
  if (only !== undefined && others.length === 0)
    return choice(endpoints, { model: only, source: "only model listed", key });
  const names =
    listed.length === 0 ? "" : ` It lists ${listed.slice(0, 5).join(", ")}${listed.length > 5 ? ", …" : ""}.`;
  throw configError(`No model is set for ${shownUrl(first)}.${names} Set default_model, or pass --model ID.`);
}

async function listAt(endpoint: Endpoint, env: Env): Promise<readonly string[]> {
  const { listModels } = await import("@smith/llm");
  try {
    return await listModels(listOptions(endpoint, env), { signal: new AbortController().signal, timeout_s: 5 });
  } catch {
    return []; // unreachable or without a list: the caller names what to set
  }
}

/** The choice with what is known of its model by now. Asks nobody. */
export async function equipped(choice: ModelChoice, catalog: Catalog): Promise<ModelChoice> {
  const [first] = choice.endpoints;
  if (first === undefined) return choice;
  await catalog.load(choice.endpoints);
  const { context_window, max_output_tokens } = catalog.find(first, choice.model);
  return { ...choice, context_window: context_window ?? choice.context_window, max_output_tokens };
}

function offered(resolved: ResolvedModel, { endpoint, model, source }: Offer, env: Env): ModelChoice {
  if (resolved.source !== "fallback") return choice([endpoint], resolved);
  return choice([endpoint], { model: env["SMITH_MODEL"] || model, source, key: resolved.key });
}

const demo = (source: "override" | "demo"): ModelChoice =>
  choice([], { model: "demo (no language model)", source, key: DEMO });

export const noModel = (): AgentError =>
  new AgentError({
    kind: "schema",
    code: "no_model",
    origin: "runtime/models",
    message: [
      "no model is set. Three ways to set one:",
      "  a key:           export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, OPENROUTER_API_KEY)",
      "  a local server:  start one (Ollama, LM Studio, llama.cpp); it is found by itself",
      "  a configuration: smith config set llm_config.api_url http://127.0.0.1:8080/v1 && smith config set default_model ID",
    ].join("\n"),
  });
