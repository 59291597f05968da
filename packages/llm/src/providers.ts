import type { Provider } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import type { ChatModel } from "@smith/contract/model";
import { createAnthropic } from "./anthropic.ts";
import type { HttpModelOptions } from "./endpoint.ts";
import type { OllamaSettings } from "./ollama/encode.ts";
import { createOllama } from "./ollama.ts";
import { createOpenAiChat } from "./openai-chat.ts";
import { createOpenAiResponses } from "./openai-responses.ts";

export type ProviderKind = Provider["kind"];

export interface ProviderOptions extends Omit<HttpModelOptions, "api_url">, OllamaSettings {
  /** Absent: where the kind has a home of its own, that. */
  readonly api_url?: string | undefined;
}

const OPENAI_URL = "https://api.openai.com/v1";

const FACTORIES: Readonly<Partial<Record<ProviderKind, (options: ProviderOptions) => ChatModel>>> = {
  openai_chat: (options) => createOpenAiChat({ ...options, api_url: options.api_url ?? OPENAI_URL }),
  openai_responses: (options) => createOpenAiResponses({ ...options, api_url: options.api_url ?? OPENAI_URL }),
  anthropic: createAnthropic,
  ollama: createOllama,
};

/**
 * A model of a provider, by its kind. Nothing is connected before its first request.
 * @throws {AgentError} `schema`/`config` for a kind that is not there.
 */
export function createProvider(kind: ProviderKind, options: ProviderOptions): ChatModel {
  const make = FACTORIES[kind];
  if (make !== undefined) return make(options);
  throw new AgentError({
    kind: "schema",
    code: "config",
    origin: "llm/providers",
    message: `The provider ${options.provider} is of the kind ${kind}, which this build can't speak. Use ${Object.keys(FACTORIES).join(", ")}.`,
    data: { provider: options.provider, kind },
  });
}
