import type { ChatModel } from "@smith/contract/model";
import { createHttpModel, type Dialect } from "./adapter.ts";
import { type Addressing, bearer, type HttpModelOptions } from "./endpoint.ts";
import { createEncoder } from "./responses/encode.ts";
import { createFold } from "./responses/fold.ts";

const ADDRESS: Addressing = Object.freeze({ origin: "llm/openai-responses", path: "/responses", auth: bearer });

const DIALECT: Dialect = Object.freeze({ address: ADDRESS, createEncoder, createFold });

/** A model behind an OpenAI `…/responses`. Nothing is stored there: the conversation goes out whole, thoughts encrypted. */
export const createOpenAiResponses = (options: HttpModelOptions): ChatModel => createHttpModel(options, DIALECT);
