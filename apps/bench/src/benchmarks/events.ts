import type { Benchmark } from "../benchmark.ts";
import { stream } from "./stream.ts";

/** What an answer costs before anybody draws or keeps it: the adapter and its events beside the bare loop. */
export const events: Benchmark = {
  name: "events",
  measured: "the same answer through adapter and events, nothing drawn, CPU ms",
  contest: { ...stream.contest, undrawn: true },
  figure: (run) => run.cpu_ms ?? Number.NaN,
};
