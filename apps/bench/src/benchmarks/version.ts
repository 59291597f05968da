import type { Benchmark } from "../benchmark.ts";

/** What the program costs before it does anything. */
export const version: Benchmark = {
  name: "version",
  measured: "cold start: `--version` beside `node -e 0`, ms",
  contest: { beside: "node", smith_args: ["--version"], node_args: ["-e", "0"] },
  figure: (run) => run.wall_ms,
};
