import { UNKNOWN_USAGE, type Usage } from "@smith/contract/model";
import { isObject, type WireObject } from "./wire.ts";

/** True for a usage object that tells at least one count; `{}` and null tell nothing. */
export const countsIn = (usage: unknown): boolean =>
  isObject(usage) && (typeof usage["prompt_tokens"] === "number" || typeof usage["completion_tokens"] === "number");

/** The counts of a `usage` object. What is absent or impossible is null, never 0. */
export function usageOf(usage: unknown): Usage {
  if (!isObject(usage)) return UNKNOWN_USAGE;
  const input = usage["prompt_tokens_details"];
  const output = usage["completion_tokens_details"];
  return Object.freeze({
    input_tokens: count(usage["prompt_tokens"]),
    output_tokens: count(usage["completion_tokens"]),
    cached_tokens: count(isObject(input) ? input["cached_tokens"] : usage["prompt_cache_hit_tokens"]), // DeepSeek's name
    reasoning_tokens: count(isObject(output) ? output["reasoning_tokens"] : undefined),
    cost_usd: count(usage["cost"]), // OpenRouter tells what it took, in dollars
  });
}

/**
 * What a `usage` object of any format says went into the provider's cache, as a field of a reply; empty when it says
 * nothing, or nothing did.
 */
export function writtenOf(usage: unknown): { readonly cache_write_tokens?: number } {
  if (!isObject(usage)) return {};
  const details = usage["prompt_tokens_details"] ?? usage["input_tokens_details"];
  const written = count(isObject(details) ? details["cache_write_tokens"] : undefined);
  const n = written ?? count(usage["cache_creation_input_tokens"]);
  return n === null || n === 0 ? {} : { cache_write_tokens: n };
}

/** The counts of a Responses `usage` object. */
export function responsesUsage(usage: unknown): Usage {
  if (!isObject(usage)) return UNKNOWN_USAGE;
  const input = usage["input_tokens_details"];
  const output = usage["output_tokens_details"];
  return Object.freeze({
    input_tokens: count(usage["input_tokens"]),
    output_tokens: count(usage["output_tokens"]),
    cached_tokens: count(isObject(input) ? input["cached_tokens"] : undefined),
    reasoning_tokens: count(isObject(output) ? output["reasoning_tokens"] : undefined),
    cost_usd: null,
  });
}

/** The counts of an Anthropic `usage` object, where what came from and went into the cache is counted beside the rest. */
export function anthropicUsage(usage: WireObject): Usage {
  const fresh = count(usage["input_tokens"]);
  const cached = count(usage["cache_read_input_tokens"]);
  const written = count(usage["cache_creation_input_tokens"]);
  return Object.freeze({
    input_tokens: fresh === null ? null : fresh + (cached ?? 0) + (written ?? 0),
    output_tokens: count(usage["output_tokens"]),
    cached_tokens: cached,
    reasoning_tokens: null,
    cost_usd: null,
  });
}

/** The counts of Ollama's last object. A prompt that was kept from before is counted all the same. */
export function ollamaUsage(last: WireObject): Usage {
  return Object.freeze({
    ...UNKNOWN_USAGE,
    input_tokens: count(last["prompt_eval_count"]),
    output_tokens: count(last["eval_count"]),
  });
}

const count = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
