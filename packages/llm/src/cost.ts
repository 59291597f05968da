import type { Price } from "@smith/contract/catalog";
import type { Usage } from "@smith/contract/model";

/** What a request used, as far as it is billed. */
export type Billed = Pick<Usage, "input_tokens" | "output_tokens" | "cached_tokens" | "reasoning_tokens"> & {
  /** Tokens of the input that went into the provider's cache; null or absent: none that are known. */
  readonly cache_write_tokens?: number | null;
};

/**
 * US dollars of one request at a price; null when either count is not known. Input is billed in three parts: read from
 * the cache, written to it, and the rest; output in two: thought, and the rest. A part without a rate of its own is billed
 * as the rest. A provider that counts its thought beside the output, not in it, is billed for both.
 */
export function costOf(used: Billed, price: Price): number | null {
  const { input_tokens: input, output_tokens: output } = used;
  if (input === null || output === null) return null;
  const rates = ratesFor(input, price);
  const cached = Math.min(used.cached_tokens ?? 0, input);
  const written = Math.min(used.cache_write_tokens ?? 0, input - cached);
  const thought = used.reasoning_tokens ?? 0;
  const said = thought > output ? output : output - thought;
  const millionths =
    (input - cached - written) * rates.input_per_mtok +
    cached * (rates.cache_read_per_mtok ?? rates.input_per_mtok) +
    written * (rates.cache_write_per_mtok ?? rates.input_per_mtok) +
    said * rates.output_per_mtok +
    thought * (rates.reasoning_per_mtok ?? rates.output_per_mtok);
  return Number((millionths / 1e6).toPrecision(12)); // without the noise of binary fractions
}

/** The tier with the highest bound that the input is above, else the price itself. */
const ratesFor = (input: number, price: Price): Omit<Price, "tiers"> =>
  price.tiers.filter(({ above }) => input > above).sort((a, b) => b.above - a.above)[0] ?? price;
