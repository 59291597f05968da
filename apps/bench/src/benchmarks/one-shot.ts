import type { Benchmark } from "../benchmark.ts";

/** One prompt, one short answer: start, request, store, exit. */
export const oneShot: Benchmark = {
  name: "one-shot",
  measured: "one prompt, one short answer, ms",
  contest: {
    beside: "minimal",
    prompt: "Say that you are done.",
    steps: () => [{ say: "Done." }],
    printed: () => "Done.",
  },
  figure: (run) => run.wall_ms,
};
