export { type AnthropicOptions, createAnthropic } from "./anthropic.ts";
export { createDemo, DEMO_NAME } from "./demo.ts";
export type { HttpModelOptions, HttpModelOptions as OpenAiChatOptions, Timeouts } from "./endpoint.ts";
export { type ListOptions, listModels } from "./models.ts";
export { createOllama, type OllamaOptions } from "./ollama.ts";
export { createOpenAiChat } from "./openai-chat.ts";
export { createOpenAiResponses } from "./openai-responses.ts";
export { createProvider, type ProviderKind, type ProviderOptions } from "./providers.ts";
export {
  createRouter,
  type RetrySettings,
  type RoutedModel,
  type RouterOptions,
} from "./router.ts";
