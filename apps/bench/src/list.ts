import type { Benchmark } from "./benchmark.ts";
import { events } from "./benchmarks/events.ts";
import { oneShot } from "./benchmarks/one-shot.ts";
import { round } from "./benchmarks/round.ts";
import { stream } from "./benchmarks/stream.ts";
import { version } from "./benchmarks/version.ts";

/** Every benchmark, in the order of the table. */
export const benchmarks: readonly Benchmark[] = Object.freeze([version, oneShot, round, stream, events]);
