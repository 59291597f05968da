import { UNKNOWN_USAGE, type Usage } from "@smith/contract/model";

/** Adds up what is known; a number stays null as long as no request told it. */
export function addUsage(total: Usage, more: Usage): Usage {
  const add = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  return {
    input_tokens: add(total.input_tokens, more.input_tokens),
    output_tokens: add(total.output_tokens, more.output_tokens),
    cached_tokens: add(total.cached_tokens, more.cached_tokens),
    reasoning_tokens: add(total.reasoning_tokens, more.reasoning_tokens),
    cost_usd: add(total.cost_usd, more.cost_usd),
  };
}

/** A running total of one turn. */
export function createUsage() {
  let total: Usage = UNKNOWN_USAGE;
  return Object.freeze({
    add(usage: Usage) {
      total = addUsage(total, usage);
    },
    total: () => total,
  });
}
