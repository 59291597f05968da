import { toAgentError } from "@smith/contract/error";
import { listOptions } from "./catalog.ts";
import { configError } from "./config/file.ts";
import { type Endpoint, type Env, plainEndpoint, shownUrl } from "./endpoints.ts";

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
    `${api_key_env} is set, but ${shownUrl(endpoint)} lists no model. Set SMITH_MODEL, or pass --model ID.`,
  );
}

async function firstSuitable(endpoint: Endpoint, env: Env, timeoutS = 10): Promise<string | null> {
  try {
    return suitable(await idsAt(endpoint, env, timeoutS));
  } catch {
    return null; // not there, or without a list: the caller goes on without it
  }
}

const suitable = (ids: readonly string[]): string | null => ids.find((id) => !NOT_CHAT.test(id)) ?? null;

async function idsAt(endpoint: Endpoint, env: Env, timeoutS: number): Promise<readonly string[]> {
  const { listModels } = await import("@smith/llm");
  const signal = AbortSignal.timeout(Math.ceil(timeoutS * 1000));
  return await listModels(listOptions(endpoint, env), { signal, timeout_s: timeoutS });
}

/** A local server must answer within this, seconds, with at least one model. */
const PROBE_S = 0.2;

/** Which formats each may speak, the better one first: Ollama's own sets the window, the other can't. */
const LOCAL = [
  { provider: "ollama", port: 11434, kinds: ["ollama", "openai_chat"] },
  { provider: "lmstudio", port: 1234, kinds: ["openai_chat"] },
  { provider: "llamacpp", port: 8080, kinds: ["openai_chat"] },
] as const;

/** The first local model server that answers with a model; all are asked at once. `SMITH_NO_PROBE=1` asks none. */
export async function fromLocalServers(env: Env): Promise<Offer | null> {
  const offers = await findLocalServers(env);
  return offers[0] ?? null;
}

/** Every local model server that answers with a model, in the order in which they are taken. */
export async function findLocalServers(env: Env): Promise<readonly Offer[]> {
  if (env["SMITH_NO_PROBE"] === "1") return [];
  const ports = (env["SMITH_PROBE_PORTS"] ?? "").split(":").map(Number);
  const asked = LOCAL.map(({ provider, port, kinds }, at) => probe(provider, ports[at] || port, kinds));
  return (await Promise.all(asked)).filter((offer) => offer !== null);
}

/** Another format is asked for only where the one before was answered, and with something else. */
async function probe(provider: string, port: number, kinds: readonly Endpoint["kind"][]): Promise<Offer | null> {
  const end = performance.now() + PROBE_S * 1000;
  for (const kind of kinds) {
    const api_url = `http://127.0.0.1:${port}${kind === "ollama" ? "" : "/v1"}`;
    // No key goes to whatever happens to listen there.
    const endpoint = plainEndpoint({ provider, kind, api_url, api_key_env: "LLM_API_KEY" });
    const leftS = (end - performance.now()) / 1000;
    if (leftS <= 0) return null;
    try {
      const model = suitable(await idsAt(endpoint, {}, leftS));
      return model === null ? null : { endpoint, model, source: "local server" };
    } catch (thrown) {
      // Nobody is there, or nobody says anything: the next format would find the same.
      if (toAgentError(thrown, "runtime/discover").data["status"] === undefined) return null;
    }
  }
  return null;
}
