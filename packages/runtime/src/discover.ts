import { configError } from "./config/file.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** An endpoint that was found rather than configured. */
export interface Offer {
  readonly provider: string;
  readonly api_url: string;
  readonly api_key_env: string;
  readonly model: string;
  readonly source: "environment" | "local server";
}

/** Providers whose key in the environment is enough, in this order. */
const KEYED = [
  {
    provider: "openai",
    api_key_env: "OPENAI_API_KEY",
    base_env: "OPENAI_BASE_URL",
    api_url: "https://api.openai.com/v1",
  },
  {
    provider: "openrouter",
    api_key_env: "OPENROUTER_API_KEY",
    base_env: null,
    api_url: "https://openrouter.ai/api/v1",
  },
] as const;

/** Ids that answer chat requests; lists also hold embeddings, speech and pictures. */
const NOT_CHAT = /embed|whisper|tts|audio|image|dall|moderation|realtime|transcri|search|instruct|davinci|babbage/i;

/**
 * The first provider whose key is set. Its model is `SMITH_MODEL`, else the first suitable one it lists.
 * @throws {AgentError} `schema`/`config` when it lists none: the variable to set is named.
 */
export async function fromEnvironment(env: Env): Promise<Offer | null> {
  const found = KEYED.find((each) => (env[each.api_key_env] ?? "").trim() !== "");
  if (found === undefined) return null;
  const base = found.base_env === null ? undefined : env[found.base_env];
  const endpoint = { provider: found.provider, api_url: base || found.api_url, api_key_env: found.api_key_env };
  const model = env["SMITH_MODEL"] || (await firstSuitable(endpoint, env));
  if (model === null) {
    throw configError(
      `${found.api_key_env} is set, but ${endpoint.api_url} lists no model. Set SMITH_MODEL, or pass --model ID.`,
    );
  }
  return { ...endpoint, model, source: "environment" };
}

async function firstSuitable(
  endpoint: { provider: string; api_url: string; api_key_env: string },
  env: Env,
): Promise<string | null> {
  const { listModels } = await import("@smith/llm");
  try {
    const api_key = env[endpoint.api_key_env]?.trim() ?? null;
    const ids = await listModels({ ...endpoint, api_key }, { signal: new AbortController().signal, timeout_s: 10 });
    return ids.find((id) => !NOT_CHAT.test(id)) ?? null;
  } catch {
    return null; // the caller names the variable that makes the list unnecessary
  }
}

/** A local server must answer within this, ms, with at least one model. */
const PROBE_MS = 200;
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
  const { listModels } = await import("@smith/llm");
  const endpoint = { provider, api_url: `http://127.0.0.1:${port}/v1`, api_key_env: "LLM_API_KEY" };
  try {
    const ids = await listModels(
      { ...endpoint, api_key: null },
      { signal: AbortSignal.timeout(PROBE_MS), timeout_s: PROBE_MS / 1000 },
    );
    const model = ids.find((id) => !NOT_CHAT.test(id));
    return model === undefined ? null : { ...endpoint, model, source: "local server" };
  } catch {
    return null; // nothing there, or not a model server
  }
}
