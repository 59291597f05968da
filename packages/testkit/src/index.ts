export { type EchoModel, startEchoModel } from "./echo-model.ts";
export { freePort } from "./free-port.ts";
export { goldenLines } from "./golden.ts";
export { createMemoryDisk, createMemoryStore, type MemoryDisk } from "./memory-store.ts";
export type { RecordedRequest } from "./recorded.ts";
export { type Routes, type RoutesServer, startRoutes } from "./routes.ts";
export type {
  AnswerOptions,
  AnswerStep,
  CutStep,
  EmptyStep,
  RawStep,
  Script,
  ScriptedCall,
  StallStep,
  StatusStep,
  Step,
  WireUsage,
} from "./script.ts";
export { type ScriptedLlm, type ScriptedLlmOptions, startScriptedLlm } from "./scripted-model.ts";
export { checkChatRequest } from "./strict.ts";
export { anthropicMessages } from "./wires/anthropic.ts";
export { checkAnthropicRequest } from "./wires/anthropic-laws.ts";
export { chatCompletions } from "./wires/chat-completions.ts";
export { ollamaChat } from "./wires/ollama.ts";
export { checkOllamaRequest } from "./wires/ollama-laws.ts";
export { openAiResponses } from "./wires/responses.ts";
export { checkResponsesRequest } from "./wires/responses-laws.ts";
export type { Answer, Frames, Wire } from "./wires/wire.ts";
