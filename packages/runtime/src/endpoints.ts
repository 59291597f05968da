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
}

const PLAIN = { api_key: null, model: null, timeout_s: null, context_window: null, headers: null } as const;

/** An endpoint with nothing but its place. */
export const plainEndpoint = (place: Pick<Endpoint, "provider" | "kind" | "api_url" | "api_key_env">): Endpoint => ({
  ...PLAIN,
  ...place,
});

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
  const first =
    api_url === undefined
      ? []
      : [
          {
            ...PLAIN,
            provider: "default",
            kind: "openai_chat" as const,
            api_url,
            api_key_env,
            model: default_model ?? null,
          },
        ];
  return [...first, ...providers.map(fromProvider)];
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
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return /^(localhost|127\..*|::1|0\.0\.0\.0|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|.*\.(local|localhost))$/i.test(
    host,
  );
}

export const missingKey = ({ api_url, api_key_env }: Endpoint): AgentError =>
  new AgentError({
    kind: "transport",
    code: "auth",
    origin: "runtime/endpoints",
    message: `${new URL(api_url).host} needs a key, and ${api_key_env} is not set. Export it, or name another variable in llm_config.api_key_env.`,
  });
