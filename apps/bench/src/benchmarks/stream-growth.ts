import type { Benchmark } from "../benchmark.ts";
import { streamOf } from "./stream.ts";

/** Work that begins anew with the text at each piece would show as 2. */
export const streamGrowth: readonly Benchmark[] = [1, 2, 4, 8].map((mb) => ({
  ...streamOf(mb),
  name: `stream-${mb}mb`,
  growth: { name: "stream", size: mb },
}));
