import { configError } from "./config/file.ts";
import { type Endpoint, type Env, keyOf, plainEndpoint } from "./endpoints.ts";

/** An endpoint that was found rather than configured. */
export interface Offer {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly source: "environment" | "local server";
}

/** Providers whose key in the environment is enough, in this order. */
const KEYED = [
  {
    provider: "anthropic",
    kind: "anthropic",
    api_key_env: "ANTHROPIC_API_KEY",
    base_env: "ANTHROPIC_BASE_URL",
    api_url: "https://api.anthropic.com",
  },
  {
    provider: "openai",
    kind: "openai_chat",
    api_key_env: "OPENAI_API_KEY",
    base_env: "OPENAI_BASE_URL",
    api_url: "https://api.openai.com/v1",
  },
  {
    provider: "openrouter",
    kind: "openai_chat",
    api_key_env: "OPENROUTER_API_KEY",
    base_env: null,
    api_url: "https://openrouter.ai/api/v1",
  },
] as const;

/** Ids that answer chat requests; lists also hold embeddings, speech and pictures. */
const NOT_CHAT = /embed|whisper|tts|audio|image|dall|moderation|realtime|transcri|search|instruct|davinci|babbage/i;

/**
 * The first provider whose key is set. Its model is `SMITH_MODEL`, else the first suitable one it lists.
 * @param modelKnown the model is named elsewhere: the list is not asked for.
 * @throws {AgentError} `schema`/`config` when it lists none: the variable to set is named.
 */
export async function fromEnvironment(env: Env, modelKnown: boolean): Promise<Offer | null> {
  const found = KEYED.find((each) => (env[each.api_key_env] ?? "").trim() !== "");
  if (found === undefined) return null;
  const { provider, kind, api_key_env } = found;
  const base = found.base_env === null ? undefined : env[found.base_env];
  const endpoint = plainEndpoint({ provider, kind, api_url: base || found.api_url, api_key_env });
  const model = env["SMITH_MODEL"] || (modelKnown ? "" : await firstSuitable(endpoint, env));
  if (model !== null) return { endpoint, model, source: "environment" };
  throw configError(
    `${api_key_env} is set, but ${endpoint.api_url} lists no model. Set SMITH_MODEL, or pass --model ID.`,
  );
}

async function firstSuitable(endpoint: Endpoint, env: Env, timeoutS = 10): Promise<string | null> {
  const { listModels } = await import("@smith/llm");
  try {
    const { provider, kind, api_url, api_key_env } = endpoint;
    const options = { provider, kind, api_url, api_key: keyOf(endpoint, env), api_key_env, env };
    const ids = await listModels(options, { signal: AbortSignal.timeout(timeoutS * 1000), timeout_s: timeoutS });
    return ids.find((id) => !NOT_CHAT.test(id)) ?? null;
  } catch {
    return null; // not there, or without a list: the caller goes on without it
  }
}

/** A local server must answer within this, seconds, with at least one model. */
const PROBE_S = 0.2;
const LOCAL = [
  { provider: "ollama", port: 11434 },
  { provider: "lmstudio", port: 1234 },
  { provider: "llamacpp", port: 8080 },
] as const;

/** The first local model server that answers with a model; all are asked at once. `SMITH_NO_PROBE=1` asks none. */
export async function fromLocalServers(env: Env): Promise<Offer | null> {
  if (env["SMITH_NO_PROBE"] === "1") return null;
  const ports = (env["SMITH_PROBE_PORTS"] ?? "").split(":").map(Number);
  const asked = LOCAL.map(({ provider, port }, at) => probe(provider, ports[at] || port));
  const offers = await Promise.all(asked);
  return offers.find((offer) => offer !== null) ?? null;
}

async function probe(provider: string, port: number): Promise<Offer | null> {
  const api_url = `http://127.0.0.1:${port}/v1`;
  // No key goes to whatever happens to listen there.
  const endpoint = plainEndpoint({ provider, kind: "openai_chat", api_url, api_key_env: "LLM_API_KEY" });
  const model = await firstSuitable(endpoint, {}, PROBE_S);
  return model === null ? null : { endpoint, model, source: "local server" };
}
