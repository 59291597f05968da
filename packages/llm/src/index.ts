export type { OpenAiChatOptions, Timeouts } from "./endpoint.ts";
export { listModels } from "./models.ts";
export { createOpenAiChat } from "./openai-chat.ts";
