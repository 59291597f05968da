import type { Config } from "@smith/contract/config";
import type { ChatModel } from "@smith/contract/model";
import type { Catalog } from "./catalog.ts";
import { type Endpoint, type Env, keyOf } from "./endpoints.ts";
import { CONTEXT_WINDOW, type ModelChoice } from "./models.ts";
import { priced } from "./priced.ts";

/** What a client is made with. */
export interface Ground {
  readonly config: Readonly<Config>;
  readonly env: Env;
  readonly catalog: Pick<Catalog, "find">;
  /** In whose `node_modules` the packages of `ai_sdk` providers are; null: in Smith's own alone. */
  readonly packages_dir: string | null;
}

/**
 * The client for a choice: its endpoint first, then the others, with the retries of the configuration. Its code is
 * loaded here, not before.
 * @throws {AgentError} `schema`/`config` for an endpoint of a kind that can't be spoken.
 */
export async function connectModel(chosen: ModelChoice, ground: Ground): Promise<ChatModel> {
  const { config, catalog } = ground;
  const llm = await import("@smith/llm");
  const [first] = chosen.endpoints;
  if (first === undefined) return llm.createDemo();
  return llm.createRouter({
    retry: retryOf(config),
    providers: chosen.endpoints.map((endpoint) => ({
      model: priced(
        llm.createProvider(endpoint.kind, clientOptions(endpoint, ground)),
        (model) => catalog.find(endpoint, model),
        llm.costOf,
      ),
      // The chosen endpoint is asked for the chosen model; each other one for its own.
      model_id: endpoint === first ? null : endpoint.model,
    })),
  });
}

/** A model that somebody brought, with the retries of the configuration. */
export async function retried(chat: ChatModel, config: Readonly<Config>): Promise<ChatModel> {
  const { createRouter } = await import("@smith/llm");
  return createRouter({ providers: [{ model: chat, model_id: null }], retry: retryOf(config) });
}

const retryOf = ({ llm_config }: Readonly<Config>) => ({
  max_retries: llm_config.retry_max_retries,
  backoff_ms: llm_config.retry_backoff_ms,
  stream_retry_after_output: llm_config.stream_retry_after_output,
});

function clientOptions(endpoint: Endpoint, { config: { llm_config }, env, catalog, packages_dir }: Ground) {
  const { provider, api_url, headers, timeout_s } = endpoint;
  return {
    ...{ provider, api_url, headers: headers ?? undefined, env },
    api_key: keyOf(endpoint, env),
    // As errors call the place where the key is kept.
    api_key_env: endpoint.api_key === null ? endpoint.api_key_env : `the configuration (providers, ${provider})`,
    stream: llm_config.stream,
    wire_log: env["SMITH_WIRE_LOG"] || null,
    // Ollama loads a model with the window that we count on, no more and no less.
    contextOf: (model: string) => catalog.find(endpoint, model).context_window ?? CONTEXT_WINDOW,
    maxOutputOf: (model: string) => catalog.find(endpoint, model).max_output_tokens,
    thinks: (model: string) => catalog.find(endpoint, model).thinks,
    think: endpoint.think ?? undefined,
    keep_alive: endpoint.keep_alive ?? undefined,
    package: endpoint.package,
    package_dirs: packages_dir === null ? [] : [packages_dir],
    timeouts: {
      timeout_s: llm_config.timeout,
      connect_timeout_s: llm_config.connect_timeout,
      send_timeout_s: llm_config.send_timeout,
      stream_stall_timeout_s: llm_config.stream_stall_timeout,
      total_s: timeout_s ?? undefined,
    },
  };
}
