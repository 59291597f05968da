import type { Config } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import { type ModelTable, type ResolvedModel, type RoleSpec, resolveModel } from "@smith/engine";
import { configError } from "./config/file.ts";
import { fromEnvironment, fromLocalServers, type Offer } from "./discover.ts";
import { type Endpoint, type Env, endpointsOf, keyOf } from "./endpoints.ts";

/** The model that answers, where it is, and why it was taken. */
export interface ModelChoice {
  readonly model: string;
  readonly provider: string;
  /** Null for the demo model. */
  readonly api_url: string | null;
  /** The chosen endpoint, then those that are asked when it fails; none for the demo model. */
  readonly endpoints: readonly Endpoint[];
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

const CONTEXT_WINDOW = 128_000;
export const DEMO = "demo";

/**
 * Which model answers: what is configured, else a provider whose key is in the environment, else a local server, else
 * the demo where it was asked for.
 * @throws {AgentError} `schema`/`no_model` with the ways to set one.
 */
export async function chooseModel(question: ModelQuestion): Promise<ModelChoice> {
  const { config, env, override } = question;
  if (override === DEMO || question.child_default === DEMO) return demo("override");
  const runtime_config = { models: config.models, default_model: question.child_default ?? config.default_model };
  const resolved = resolveModel({ model_override: override, options: question.options, runtime_config }, question.role);
  const endpoints = endpointsOf(config);
  if (endpoints.length > 0) return atEndpoint(resolved, endpoints, env);
  const offer = (await fromEnvironment(env, resolved.source !== "fallback")) ?? (await fromLocalServers(env));
  if (offer !== null) return offered(resolved, offer, env);
  if (env["SMITH_FALLBACK"] === DEMO) return demo("demo");
  throw noModel();
}

function choice(endpoints: readonly Endpoint[], named: Pick<ModelChoice, "model" | "source" | "key">): ModelChoice {
  const [first] = endpoints;
  return {
    ...named,
    provider: first?.provider ?? DEMO,
    api_url: first?.api_url ?? null,
    endpoints,
    context_window: first?.context_window ?? CONTEXT_WINDOW,
    max_output_tokens: null,
  };
}

/** `provider:model` names a provider only when the part before the first `:` is one; other ids keep their colons. */
function atEndpoint(
  resolved: ResolvedModel,
  endpoints: readonly Endpoint[],
  env: Env,
): ModelChoice | Promise<ModelChoice> {
  if (resolved.source === "fallback") return withoutModel(resolved, endpoints, env);
  const colon = resolved.model.indexOf(":");
  const named = colon < 0 ? undefined : endpoints.find(({ provider }) => provider === resolved.model.slice(0, colon));
  if (named === undefined) return choice(endpoints, resolved);
  const others = endpoints.filter((endpoint) => endpoint !== named);
  return choice([named, ...others], { ...resolved, model: resolved.model.slice(colon + 1) });
}

/** No model was named: the first provider's own, else the only one it lists, else the user must say. */
async function withoutModel({ key }: ResolvedModel, endpoints: readonly Endpoint[], env: Env): Promise<ModelChoice> {
  const [first] = endpoints;
  if (first === undefined) throw noModel();
  if (first.model !== null) return choice(endpoints, { model: first.model, source: "provider", key });
  const listed = await listAt(first, env);
  const [only, ...others] = listed;
  if (only !== undefined && others.length === 0)
    return choice(endpoints, { model: only, source: "only model listed", key });
  const names =
    listed.length === 0 ? "" : ` It lists ${listed.slice(0, 5).join(", ")}${listed.length > 5 ? ", …" : ""}.`;
  throw configError(`No model is set for ${first.api_url}.${names} Set default_model, or pass --model ID.`);
}

async function listAt(endpoint: Endpoint, env: Env): Promise<readonly string[]> {
  const { listModels } = await import("@smith/llm");
  try {
    const { provider, kind, api_url, api_key_env } = endpoint;
    const options = { provider, kind, api_url, api_key: keyOf(endpoint, env), api_key_env, env };
    return await listModels(options, { signal: new AbortController().signal, timeout_s: 5 });
  } catch {
    return []; // unreachable or without a list: the caller names what to set
  }
}

function offered(resolved: ResolvedModel, { endpoint, model, source }: Offer, env: Env): ModelChoice {
  if (resolved.source !== "fallback") return choice([endpoint], resolved);
  return choice([endpoint], { model: env["SMITH_MODEL"] || model, source, key: resolved.key });
}

const demo = (source: "override" | "demo"): ModelChoice =>
  choice([], { model: "demo (no language model)", source, key: DEMO });

const noModel = (): AgentError =>
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
