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

/** A model in the list, as `--json` has it. Dollars are per million tokens; null: nobody says. */
export interface ModelRow {
  readonly id: string;
  readonly provider: string;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly input_per_mtok: number | null;
  readonly output_per_mtok: number | null;
  readonly loaded: boolean | null;
}

export interface ModelsHost {
  /**
   * The models of every endpoint that is configured or found. `refresh`: all are asked, else those not asked for a day.
   * @throws {AgentError} `schema`/`no_model` when there is no endpoint.
   */
  list(refresh: boolean): Promise<{
    readonly models: readonly ModelRow[];
    /** Of each endpoint, one sentence: how old its list is, or why there is none. */
    readonly notes: readonly string[];
    /** Those of the notes that tell of an endpoint without a list, or that did not answer just now. */
    readonly faults: readonly string[];
    /** False: an endpoint was asked and none answered. */
    readonly ok: boolean;
  }>;
}
