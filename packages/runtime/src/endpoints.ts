import type { Config, Provider } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";

export type Env = Readonly<Record<string, string | undefined>>;

/** A configured or found place where models are asked. */
export interface Endpoint {
  readonly provider: string;
  readonly kind: Provider["kind"];
  readonly api_url: string;
  readonly api_key_env: string;
  /** A key written into the configuration; null: the variable's. */
  readonly api_key: string | null;
  /** The model it is asked for when another provider's failed; null: the same one. */
  readonly model: string | null;
  readonly timeout_s: number | null;
  readonly context_window: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  /** Ollama only. */
  readonly think: boolean | null;
  readonly keep_alive: string | number | null;
  /** The npm package of an `ai_sdk` provider. */
  readonly package: string | null;
}

const PLAIN = {
  ...{ api_key: null, model: null, timeout_s: null, context_window: null, headers: null },
  ...{ think: null, keep_alive: null, package: null },
} as const;

/** An endpoint with nothing but its place. */
export const plainEndpoint = (place: Pick<Endpoint, "provider" | "kind" | "api_url" | "api_key_env">): Endpoint => ({
  ...PLAIN,
  ...place,
});

/** The name of the endpoint in `llm_config`. */
const DEFAULT = "default";

const HOMES: Readonly<Record<Provider["kind"], { readonly api_url: string; readonly api_key_env: string }>> = {
  openai_chat: { api_url: "https://api.openai.com/v1", api_key_env: "OPENAI_API_KEY" },
  openai_responses: { api_url: "https://api.openai.com/v1", api_key_env: "OPENAI_API_KEY" },
  anthropic: { api_url: "https://api.anthropic.com", api_key_env: "ANTHROPIC_API_KEY" },
  ollama: { api_url: "http://127.0.0.1:11434", api_key_env: "LLM_API_KEY" },
  ai_sdk: { api_url: "", api_key_env: "LLM_API_KEY" },
};

/** Every configured endpoint in failover order: `llm_config`, named `default`, then `providers`. */
export function endpointsOf({ llm_config, default_model, providers }: Readonly<Config>): readonly Endpoint[] {
  const { api_url, api_key_env } = llm_config;
  const others = providers.map(fromProvider);
  if (api_url === undefined) return others;
  const place = plainEndpoint({ provider: DEFAULT, kind: "openai_chat", api_url, api_key_env });
  const { provider, id } = splitModel(default_model ?? "", [place, ...others]);
  // A default model of another provider's is none of this endpoint's.
  const model = default_model === undefined || (provider !== null && provider !== DEFAULT) ? null : id;
  return [{ ...place, model }, ...others];
}

/** `b:m` is the model `m` of the provider `b` where there is one of that name; else it is an id with a colon in it. */
export function splitModel(
  model: string,
  endpoints: readonly Pick<Endpoint, "provider">[],
): { readonly provider: string | null; readonly id: string } {
  const colon = model.indexOf(":");
  const named = colon < 0 ? undefined : endpoints.find(({ provider }) => provider === model.slice(0, colon));
  return named === undefined ? { provider: null, id: model } : { provider: named.provider, id: model.slice(colon + 1) };
}

function fromProvider(provider: Provider): Endpoint {
  const home = HOMES[provider.kind];
  // Somebody else's address does not get the key of the kind's home.
  const api_key_env = provider.api_key_env ?? (provider.api_url === undefined ? home.api_key_env : "LLM_API_KEY");
  return {
    provider: provider.name,
    kind: provider.kind,
    api_url: provider.api_url ?? home.api_url,
    api_key_env,
    api_key: provider.api_key ?? null,
    model: provider.model ?? null,
    timeout_s: provider.timeout_s ?? null,
    context_window: provider.context_window ?? null,
    headers: provider.headers ?? null,
    think: provider.think ?? null,
    keep_alive: provider.keep_alive ?? null,
    package: provider.package ?? null,
  };
}

export const keyOf = (endpoint: Endpoint, env: Env): string | null =>
  endpoint.api_key ?? (env[endpoint.api_key_env]?.trim() || null);

/** Servers on this machine or a private network usually need no key. */
export const isUsable = (endpoint: Endpoint, env: Env): boolean =>
  keyOf(endpoint, env) !== null || isLocal(endpoint.api_url) || hasOwnAuthorization(endpoint);

const hasOwnAuthorization = ({ headers }: Endpoint): boolean =>
  Object.keys(headers ?? {}).some((name) => /^(authorization|x-api-key)$/i.test(name));

function isLocal(url: string): boolean {
  if (!URL.canParse(url)) return true; // no address: its kind has to say what is missing, not the lack of a key
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return /^(localhost|127\..*|::1|0\.0\.0\.0|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|.*\.(local|localhost))$/i.test(
    host,
  );
}

export function missingKey({ provider, api_url, api_key_env }: Endpoint): AgentError {
  const setting = provider === DEFAULT ? "llm_config.api_key_env" : `the api_key_env of the provider ${provider}`;
  return new AgentError({
    kind: "transport",
    code: "auth",
    origin: "runtime/endpoints",
    message: `${hostOf(api_url) ?? "It"} needs a key, and ${api_key_env} is not set. Export it, or name another variable in ${setting}.`,
  });
}

/** Why a provider of the chain is not asked. */
export const leftOut = ({ provider, api_url, api_key_env }: Endpoint): string =>
  `The provider ${provider} is left out: ${hostOf(api_url) ?? "It"} needs a key, and ${api_key_env} is not set.`;

/** Null for what is no address. */
export const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).host : null);

/** The address as it may be shown: credentials and a query may hold secrets. */
export function shownUrl({ api_url }: Endpoint): string {
  if (!URL.canParse(api_url)) return api_url;
  const { username, password, search } = new URL(api_url);
  if (username === "" && password === "" && search === "") return api_url; // as it was written
  const url = new URL(api_url);
  [url.username, url.password, url.search] = ["", "", ""];
  return url.href;
}
