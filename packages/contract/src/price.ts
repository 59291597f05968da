import { z } from "zod";

const rate = z.number().gte(0);
const ownRate = rate.nullable().default(null);

/** A price as a user writes it down, in US dollars per million tokens: what is absent is billed as other input or output. */
export const OwnPrice = z.strictObject({
  input_per_mtok: rate,
  output_per_mtok: rate,
  cache_read_per_mtok: ownRate,
  cache_write_per_mtok: ownRate,
  reasoning_per_mtok: ownRate,
});
