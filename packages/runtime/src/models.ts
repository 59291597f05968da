import type { Config } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import type { ChatModel } from "@smith/contract/model";
import { configError } from "./config/file.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The model that answers, and where it was configured. */
export interface ModelChoice {
  readonly model: string;
  readonly provider: string;
  readonly api_url: string;
  readonly source: "override" | "role" | "default";
}

/**
 * Which model answers a role. The flag wins, then the role's own, then the default.
 * @throws {AgentError} `schema`/`config` when nothing is configured, with the ways to do so.
 */
export function chooseModel(config: Config, role: string, override: string | null): ModelChoice {
  const api_url = config.llm_config.api_url;
  const [model, source] = pick(config, role, override);
  if (api_url === undefined) throw noEndpoint();
  if (model === undefined) throw configError(`No model is set for ${api_url}. Set default_model, or pass --model ID.`);
  return { model, provider: "default", api_url, source };
}

function pick(config: Config, role: string, override: string | null): [string | undefined, ModelChoice["source"]] {
  if (override !== null) return [override, "override"];
  const own = config.models[role] ?? config.models["default"];
  return own === undefined ? [config.default_model, "default"] : [own, "role"];
}

const noEndpoint = (): AgentError =>
  configError(
    'No model endpoint is set. Put { "llm_config": { "api_url": "http://127.0.0.1:8080/v1" }, "default_model": "ID" } into the user file, or pass --set llm_config.api_url=ADDRESS --model ID.',
  );

/**
 * The client for a choice. The HTTP code is loaded here, not before.
 * @throws {AgentError} `transport`/`auth` when the endpoint is not local and its key is missing; no request is made.
 */
export async function connectModel(choice: ModelChoice, config: Config, env: Env): Promise<ChatModel> {
  const { createOpenAiChat } = await import("@smith/llm");
  const { llm_config } = config;
  const key = env[llm_config.api_key_env]?.trim() || null;
  if (key === null && !isLocal(choice.api_url)) throw missingKey(choice.api_url, llm_config.api_key_env);
  return createOpenAiChat({
    provider: choice.provider,
    api_url: choice.api_url,
    api_key: key,
    api_key_env: llm_config.api_key_env,
    stream: llm_config.stream,
    timeouts: {
      timeout_s: llm_config.timeout ?? 600,
      connect_timeout_s: llm_config.connect_timeout ?? 120,
      send_timeout_s: llm_config.send_timeout ?? 30,
      stream_stall_timeout_s: llm_config.stream_stall_timeout ?? 120,
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
