import type { ChatModel } from "@smith/contract/model";
import { createHttpModel, type Dialect } from "./adapter.ts";
import { ANTHROPIC_ADDRESS, ANTHROPIC_HEADERS, ANTHROPIC_URL } from "./anthropic/address.ts";
import { createEncoder } from "./anthropic/encode.ts";
import { createFold } from "./anthropic/fold.ts";
import type { HttpModelOptions } from "./endpoint.ts";

export interface AnthropicOptions extends Omit<HttpModelOptions, "api_url"> {
  /** Base address with or without `/v1`; default Anthropic's own. */
  readonly api_url?: string | undefined;
  /** Tokens that a model can answer at most; null: nobody says. */
  maxOutputOf?: ((model: string) => number | null) | undefined;
}

const DIALECT: Omit<Dialect, "createEncoder"> = Object.freeze({
  address: ANTHROPIC_ADDRESS,
  headers: ANTHROPIC_HEADERS,
  createFold,
});

/** A model behind an Anthropic `…/v1/messages`. */
export const createAnthropic = (options: AnthropicOptions): ChatModel =>
  createHttpModel(
    { ...options, api_url: options.api_url ?? ANTHROPIC_URL },
    { ...DIALECT, createEncoder: (provider) => createEncoder(provider, options.maxOutputOf) },
  );
