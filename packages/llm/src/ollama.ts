import type { ChatModel } from "@smith/contract/model";
import { createHttpModel, type Dialect } from "./adapter.ts";
import { bearer, type HttpModelOptions } from "./endpoint.ts";
import { createLineReader } from "./lines.ts";
import { OLLAMA_BASE_END, OLLAMA_URL } from "./ollama/address.ts";
import { createEncoder, type OllamaSettings } from "./ollama/encode.ts";
import { createFold } from "./ollama/fold.ts";

export interface OllamaOptions extends Omit<HttpModelOptions, "api_url">, OllamaSettings {
  /** Base address with or without `/v1` or `/api`; default this machine's. */
  readonly api_url?: string | undefined;
}

const DIALECT: Omit<Dialect, "createEncoder"> = Object.freeze({
  address: { origin: "llm/ollama", path: "/api/chat", base_end: OLLAMA_BASE_END, auth: bearer },
  accept: "application/x-ndjson, application/json",
  createFold,
  createReader: createLineReader,
});

/** A model behind an Ollama `…/api/chat`. */
export const createOllama = (options: OllamaOptions): ChatModel =>
  createHttpModel(
    { ...options, api_url: options.api_url ?? OLLAMA_URL },
    { ...DIALECT, createEncoder: () => createEncoder(options) },
  );
