import type { Price } from "@smith/contract/catalog";
import { anthropicMessages, openAiResponses, startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { type Billed, costOf, createAnthropic, createOpenAiResponses } from "../src/index.ts";
import { ask, askRaw, event, stop } from "./scene.ts";

const rates = (
  input: number,
  output: number,
  read: number | null,
  write: number | null,
  thought: number | null = null,
): Price => ({
  ...{ input_per_mtok: input, output_per_mtok: output, cache_read_per_mtok: read, cache_write_per_mtok: write },
  ...{ reasoning_per_mtok: thought, tiers: [] },
});
const FULL = rates(3, 15, 0.3, 3.75);
const PLAIN = rates(2, 8, null, null);
const THINKER = rates(1, 4, 0.5, null, 10);
const TIERED: Price = { ...rates(2, 12, 0.2, 2.5), tiers: [{ above: 200_000, ...rates(4, 18, 0.4, 5) }] };

const used = (
  input: number | null,
  output: number | null,
  cached: number | null = null,
  written: number | null = null,
  thought: number | null = null,
): Billed => ({
  ...{ input_tokens: input, output_tokens: output, cached_tokens: cached },
  ...{ reasoning_tokens: thought, cache_write_tokens: written },
});

/** Worked out by hand, in dollars. */
const TABLE: readonly (readonly [what: string, used: Billed, price: Price, dollars: number | null])[] = [
  // 1,000 × $3 = 0.003; 500 × $15 = 0.0075
  ["input and output alone", used(1_000, 500), FULL, 0.0105],
  // fresh 2,000 × 3 = 0.006; cached 8,000 × 0.3 = 0.0024; 100 × 15 = 0.0015
  ["most of the input read from the cache", used(10_000, 100, 8_000), FULL, 0.0099],
  // fresh 1,000 × 3 = 0.003; written 9,000 × 3.75 = 0.03375; 0 out
  ["most of the input written to the cache", used(10_000, 0, 0, 9_000), FULL, 0.03675],
  // fresh 500 × 3 = 0.0015; read 6,000 × 0.3 = 0.0018; written 3,500 × 3.75 = 0.013125; 1,200 × 15 = 0.018
  ["read and written in one request", used(10_000, 1_200, 6_000, 3_500), FULL, 0.034425],
  // no rates of their own: 10,000 × 2 = 0.02; 1,000 × 8 = 0.008
  ["cache without a price of its own", used(10_000, 1_000, 6_000, 3_000), PLAIN, 0.028],
  // 1,000 × 1 = 0.001; 300 said × 4 = 0.0012; 700 thought × 10 = 0.007
  ["thought at a price of its own, counted in the output", used(1_000, 1_000, null, null, 700), THINKER, 0.0092],
  // 1,000 × 1 = 0.001; 200 × 4 = 0.0008; 900 × 10 = 0.009
  ["thought counted beside the output", used(1_000, 200, null, null, 900), THINKER, 0.0108],
  // 200,000 × 2 = 0.4; 1,000 × 12 = 0.012
  ["input right at the bound of a tier", used(200_000, 1_000), TIERED, 0.412],
  // fresh 50,001 × 4 = 0.200004; read 150,000 × 0.4 = 0.06; 1,000 × 18 = 0.018
  ["input above it: the whole request is billed by the tier", used(200_001, 1_000, 150_000), TIERED, 0.278004],
  ["a count that is not known", used(null, 500), FULL, null],
];

test.each(TABLE)("L17 the cost of %s", (_, usage, price, dollars) => {
  expect(costOf(usage, price)).toBe(dollars);
});

test("L17 more cached than there was input is billed as all of it, and nothing below 0", () => {
  expect(costOf(used(100, 0, 500, 500), FULL)).toBe(0.00003);
});

test("L17 what went into the cache is told by each format, and OpenRouter's own cost is taken as it is", async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 7,
    total_tokens: 107,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
  };
  const known = { input_tokens: 100, output_tokens: 7, cached_tokens: 60, reasoning_tokens: null };
  await using anthropic = await startScriptedLlm([{ say: "a", usage }], { wire: anthropicMessages });
  const a = await ask(anthropic.url, { make: createAnthropic });
  await using responses = await startScriptedLlm([{ say: "a", usage }], { wire: openAiResponses });
  const b = await ask(responses.url, { make: createOpenAiResponses });
  const c = await askRaw([event({ choices: [], usage: { ...usage, cost: 0.0125 } }), stop()]);
  expect([a, b, c].map(({ reply }) => [reply?.usage, reply?.cache_write_tokens])).toEqual([
    [{ ...known, cost_usd: null }, 30],
    [{ ...known, cost_usd: null, reasoning_tokens: b.reply?.usage.reasoning_tokens }, 30],
    [{ ...known, cost_usd: 0.0125 }, 30],
  ]);
  const deepseek = await askRaw([
    event({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 4 } }),
    stop(),
  ]);
  expect(deepseek.reply?.usage.cached_tokens).toBe(4);
});
