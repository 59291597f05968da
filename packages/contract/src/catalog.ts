import { z } from "zod";

const tokens = z.int().gt(0).nullable();
/** US dollars per million tokens. */
const perMtok = z.number().gte(0);

const rates = {
  input_per_mtok: perMtok,
  output_per_mtok: perMtok,
  /** Of input that came from the provider's cache; null: as other input. */
  cache_read_per_mtok: perMtok.nullable(),
  /** Of input that went into it; null: as other input. */
  cache_write_per_mtok: perMtok.nullable(),
  /** Of thought; null: as other output. */
  reasoning_per_mtok: perMtok.nullable(),
};

/** What a model costs. A request with more input than `above` tokens is billed whole by that tier. */
export const Price = z.object({
  ...rates,
  tiers: z.array(z.object({ above: z.int().gt(0), ...rates })).default([]),
});
export type Price = z.infer<typeof Price>;

/** What is known of a model; null: nobody says. */
export const CatalogModel = z.object({
  id: z.string().min(1),
  /** Tokens. */
  context_window: tokens,
  /** Tokens of one answer. */
  max_output_tokens: tokens,
  price: Price.nullable(),
  /** It can think before it answers. */
  thinks: z.boolean().nullable(),
  /** It is in the server's memory. */
  loaded: z.boolean().nullable(),
});
export type CatalogModel = z.infer<typeof CatalogModel>;

/** What one endpoint listed, as it is kept. Times in ms. */
export const CatalogPage = z.object({
  /** null: it never answered. */
  fetched_at: z.int().nullable(),
  /** When it was last asked, whether it answered or not. */
  tried_at: z.int(),
  models: z.array(CatalogModel),
});
export type CatalogPage = z.infer<typeof CatalogPage>;
