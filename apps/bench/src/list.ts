import type { Benchmark } from "./benchmark.ts";
import { codeTools } from "./benchmarks/code-tools.ts";
import { events } from "./benchmarks/events.ts";
import { oneShot } from "./benchmarks/one-shot.ts";
import { round } from "./benchmarks/round.ts";
import { round10k } from "./benchmarks/round-10k.ts";
import { roundsGrowth } from "./benchmarks/rounds-growth.ts";
import { stream } from "./benchmarks/stream.ts";
import { streamGrowth } from "./benchmarks/stream-growth.ts";
import { bashCall, edit1mb, read1mb } from "./benchmarks/tools.ts";
import { version } from "./benchmarks/version.ts";

/** Every benchmark, in the order of the table. */
export const benchmarks: readonly Benchmark[] = Object.freeze([
  ...[version, oneShot, round, round10k, stream, events],
  ...[read1mb, edit1mb, bashCall],
  ...codeTools,
  ...roundsGrowth,
  ...streamGrowth,
]);

/** What `--quick` runs: half a minute that shows whether all is where it was. */
export const QUICK: readonly string[] = Object.freeze([
  "version",
  "one-shot",
  "round",
  "stream",
  "rounds-25",
  "rounds-100",
]);
