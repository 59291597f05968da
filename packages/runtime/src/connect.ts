import type { Config } from "@smith/contract/config";
import type { ChatModel } from "@smith/contract/model";
import { type Endpoint, type Env, isUsable, keyOf, missingKey } from "./endpoints.ts";
import type { ModelChoice } from "./models.ts";

/**
 * The client for a choice: its endpoint first, then the others, with the retries of the configuration. Its code is
 * loaded here, not before.
 * @throws {AgentError} `transport`/`auth` when no endpoint has the key it needs; no request is made then.
 */
export async function connectModel(chosen: ModelChoice, config: Readonly<Config>, env: Env): Promise<ChatModel> {
  const llm = await import("@smith/llm");
  const [first, ...others] = chosen.endpoints;
  if (first === undefined) return llm.createDemo();
  const usable = [first, ...others].filter((endpoint) => isUsable(endpoint, env));
  if (usable.length === 0) throw missingKey(first);
  const { retry_max_retries, retry_backoff_ms, stream_retry_after_output } = config.llm_config;
  return llm.createRouter({
    providers: usable.map((endpoint) => ({
      model: llm.createProvider(endpoint.kind, clientOptions(endpoint, config, env)),
      // The chosen endpoint is asked for the chosen model; each other one for its own.
      model_id: endpoint === first ? null : endpoint.model,
    })),
    retry: { max_retries: retry_max_retries, backoff_ms: retry_backoff_ms, stream_retry_after_output },
  });
}

function clientOptions(endpoint: Endpoint, { llm_config }: Readonly<Config>, env: Env) {
  const { provider, api_url, api_key_env, headers, timeout_s } = endpoint;
  return {
    ...{ provider, api_url, api_key: keyOf(endpoint, env), api_key_env, headers: headers ?? undefined, env },
    stream: llm_config.stream,
    wire_log: env["SMITH_WIRE_LOG"] || null,
    timeouts: {
      timeout_s: llm_config.timeout,
      connect_timeout_s: llm_config.connect_timeout,
      send_timeout_s: llm_config.send_timeout,
      stream_stall_timeout_s: llm_config.stream_stall_timeout,
      total_s: timeout_s ?? undefined,
    },
  };
}
