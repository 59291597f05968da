import type { Benchmark } from "./benchmark.ts";
import { codeTools } from "./benchmarks/code-tools.ts";
import { events } from "./benchmarks/events.ts";
import { oneShot } from "./benchmarks/one-shot.ts";
import { round } from "./benchmarks/round.ts";
import { round10k } from "./benchmarks/round-10k.ts";
import { stream } from "./benchmarks/stream.ts";
import { bashCall, edit1mb, read1mb } from "./benchmarks/tools.ts";
import { version } from "./benchmarks/version.ts";

/** Every benchmark, in the order of the table. */
export const benchmarks: readonly Benchmark[] = Object.freeze([
  ...[version, oneShot, round, round10k, stream, events],
  ...[read1mb, edit1mb, bashCall],
  ...codeTools,
]);
