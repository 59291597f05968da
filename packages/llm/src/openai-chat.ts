import type { ChatModel } from "@smith/contract/model";
import { createHttpModel, type Dialect } from "./adapter.ts";
import { createEncoder } from "./encode.ts";
import { type Addressing, bearer, type HttpModelOptions } from "./endpoint.ts";
import { createFold } from "./fold.ts";

export const CHAT_ADDRESS: Addressing = Object.freeze({
  origin: "llm/openai-chat",
  path: "/chat/completions",
  auth: bearer,
});

const DIALECT: Dialect = Object.freeze({ address: CHAT_ADDRESS, createEncoder, createFold });

/** A model behind an OpenAI-compatible `…/chat/completions`. */
export const createOpenAiChat = (options: HttpModelOptions): ChatModel => createHttpModel(options, DIALECT);
