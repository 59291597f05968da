import type { Provider } from "@smith/contract/config";
import type { ChatModel } from "@smith/contract/model";
import { type AiSdkOptions, createAiSdk } from "./ai-sdk.ts";
import { type AnthropicOptions, createAnthropic } from "./anthropic.ts";
import type { HttpModelOptions } from "./endpoint.ts";
import type { OllamaSettings } from "./ollama/encode.ts";
import { createOllama } from "./ollama.ts";
import { createOpenAiChat } from "./openai-chat.ts";
import { createOpenAiResponses } from "./openai-responses.ts";

export type ProviderKind = Provider["kind"];

export interface ProviderOptions
  extends Omit<HttpModelOptions, "api_url">,
    OllamaSettings,
    Pick<AiSdkOptions, "package" | "package_dirs">,
    Pick<AnthropicOptions, "maxOutputOf"> {
  /** Absent: where the kind has a home of its own, that. */
  readonly api_url?: string | undefined;
}

const OPENAI_URL = "https://api.openai.com/v1";

const FACTORIES: Readonly<Record<ProviderKind, (options: ProviderOptions) => ChatModel>> = {
  openai_chat: (options) => createOpenAiChat({ ...options, api_url: options.api_url ?? OPENAI_URL }),
  openai_responses: (options) => createOpenAiResponses({ ...options, api_url: options.api_url ?? OPENAI_URL }),
  anthropic: createAnthropic,
  ollama: createOllama,
  ai_sdk: createAiSdk,
};

/**
 * A model of a provider, by its kind. Nothing is connected before its first request.
 * @throws {AgentError} `schema`/`config` for a package that is not installed.
 */
export const createProvider = (kind: ProviderKind, options: ProviderOptions): ChatModel => FACTORIES[kind](options);
