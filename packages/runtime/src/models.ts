import type { Config } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import type { ChatModel } from "@smith/contract/model";
import { type ModelTable, type ResolvedModel, type RoleSpec, resolveModel } from "@smith/engine";
import { configError } from "./config/file.ts";
import { fromEnvironment, fromLocalServers, type Offer } from "./discover.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The model that answers, where it is, and why it was taken. */
export interface ModelChoice {
  readonly model: string;
  readonly provider: string;
  /** Null for the demo model. */
  readonly api_url: string | null;
  readonly api_key_env: string;
  readonly source: ResolvedModel["source"] | "environment" | "local server" | "only model listed" | "demo";
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
  if (override === DEMO) return demo("override");
  const runtime_config = { models: config.models, default_model: question.child_default ?? config.default_model };
  const resolved = resolveModel({ model_override: override, options: question.options, runtime_config }, question.role);
  const configured = configuredEndpoint(config);
  if (configured !== null) return atEndpoint(resolved, configured, env);
  const offer = (await fromEnvironment(env)) ?? (await fromLocalServers(env));
  if (offer !== null) return offered(resolved, offer, env);
  if (env["SMITH_FALLBACK"] === DEMO) return demo("demo");
  throw noModel();
}

interface Endpoint {
  readonly provider: string;
  readonly api_url: string;
  readonly api_key_env: string;
}

const configuredEndpoint = ({ llm_config }: Config): Endpoint | null =>
  llm_config.api_url === undefined
    ? null
    : { provider: "default", api_url: llm_config.api_url, api_key_env: llm_config.api_key_env };

const choice = (endpoint: Endpoint, named: Pick<ModelChoice, "model" | "source" | "key">): ModelChoice => ({
  ...endpoint,
  ...named,
  context_window: CONTEXT_WINDOW,
  max_output_tokens: null,
});

/** An endpoint without a model: the only one it lists, else the user must say. */
async function atEndpoint(resolved: ResolvedModel, endpoint: Endpoint, env: Env): Promise<ModelChoice> {
  if (resolved.source !== "fallback") return choice(endpoint, resolved);
  const listed = await listAt(endpoint, env);
  const [only, ...others] = listed;
  if (only !== undefined && others.length === 0)
    return choice(endpoint, { model: only, source: "only model listed", key: only });
  const names =
    listed.length === 0 ? "" : ` It lists ${listed.slice(0, 5).join(", ")}${listed.length > 5 ? ", …" : ""}.`;
  throw configError(`No model is set for ${endpoint.api_url}.${names} Set default_model, or pass --model ID.`);
}

async function listAt(endpoint: Endpoint, env: Env): Promise<readonly string[]> {
  const { listModels } = await import("@smith/llm");
  try {
    const { provider, api_url, api_key_env } = endpoint;
    const api_key = env[api_key_env]?.trim() || null;
    return await listModels(
      { provider, api_url, api_key, api_key_env },
      { signal: new AbortController().signal, timeout_s: 5 },
    );
  } catch {
    return []; // unreachable or without a list: the caller names what to set
  }
}

function offered(resolved: ResolvedModel, offer: Offer, env: Env): ModelChoice {
  const model = resolved.source === "fallback" ? (env["SMITH_MODEL"] ?? offer.model) : resolved.model;
  const source = resolved.source === "fallback" ? offer.source : resolved.source;
  return choice(offer, { model, source, key: resolved.key });
}

const demo = (source: "override" | "demo"): ModelChoice => ({
  model: "demo (no language model)",
  provider: DEMO,
  api_url: null,
  api_key_env: "",
  source,
  key: DEMO,
  context_window: CONTEXT_WINDOW,
  max_output_tokens: null,
});

const noModel = (): AgentError =>
  new AgentError({
    kind: "schema",
    code: "no_model",
    origin: "runtime/models",
    message: [
      "no model is set. Three ways to set one:",
      "  a key:           export OPENAI_API_KEY=… (or OPENROUTER_API_KEY)",
      "  a local server:  start one (Ollama, LM Studio, llama.cpp); it is found by itself",
      "  a configuration: smith config set llm_config.api_url http://127.0.0.1:8080/v1 && smith config set default_model ID",
    ].join("\n"),
  });

/**
 * The client for a choice. Its code is loaded here, not before.
 * @throws {AgentError} `transport`/`auth` when the endpoint is not local and its key is missing; no request is made.
 */
export async function connectModel(chosen: ModelChoice, config: Readonly<Config>, env: Env): Promise<ChatModel> {
  const llm = await import("@smith/llm");
  if (chosen.api_url === null) return llm.createDemo();
  const key = env[chosen.api_key_env]?.trim() || null;
  if (key === null && !isLocal(chosen.api_url)) throw missingKey(chosen.api_url, chosen.api_key_env);
  const { stream, timeout, connect_timeout, send_timeout, stream_stall_timeout } = config.llm_config;
  return llm.createOpenAiChat({
    provider: chosen.provider,
    api_url: chosen.api_url,
    api_key: key,
    api_key_env: chosen.api_key_env,
    stream,
    timeouts: {
      timeout_s: timeout,
      connect_timeout_s: connect_timeout,
      send_timeout_s: send_timeout,
      stream_stall_timeout_s: stream_stall_timeout,
    },
  });
}

/** Servers on this machine or a private network usually need no key. */
function isLocal(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return /^(localhost|127\..*|::1|0\.0\.0\.0|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|.*\.(local|localhost))$/i.test(
    host,
  );
}

const missingKey = (url: string, variable: string): AgentError =>
  new AgentError({
    kind: "transport",
    code: "auth",
    origin: "runtime/models",
    message: `${new URL(url).host} needs a key, and ${variable} is not set. Export it, or name another variable in llm_config.api_key_env.`,
  });
