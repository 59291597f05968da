export { createDemo, DEMO_NAME } from "./demo.ts";
export type { OpenAiChatOptions, Timeouts } from "./endpoint.ts";
export { listModels } from "./models.ts";
export { createOpenAiChat } from "./openai-chat.ts";
