export { type AiSdkOptions, createAiSdk } from "./ai-sdk.ts";
export { type AnthropicOptions, createAnthropic } from "./anthropic.ts";
export { type ListOptions, listCatalog, listModels } from "./catalog/list.ts";
export { VENDORED_ON, type Vendored, vendoredModel, vendoredModels } from "./catalog/vendored.ts";
export { type Billed, costOf } from "./cost.ts";
export { createDemo, DEMO_NAME } from "./demo.ts";
export type { HttpModelOptions, HttpModelOptions as OpenAiChatOptions, Timeouts } from "./endpoint.ts";
export { entryFile, findPackageFolder, upwards } from "./installed.ts";
export { createOllama, type OllamaOptions } from "./ollama.ts";
export { createOpenAiChat } from "./openai-chat.ts";
export { createOpenAiResponses } from "./openai-responses.ts";
export { createProvider, type ProviderKind, type ProviderOptions } from "./providers.ts";
export { type HttpProxy, proxyFor } from "./proxy.ts";
export {
  createRouter,
  type RetrySettings,
  type RoutedModel,
  type RouterOptions,
} from "./router.ts";
