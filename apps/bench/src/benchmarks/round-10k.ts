import type { Benchmark } from "../benchmark.ts";
import { round } from "./round.ts";

const FILES = 10_000;

/** The same round where it takes git a while to say what a command changed: what of that is waited for? */
export const round10k: Benchmark = {
  name: "round-10k",
  measured: `the same in a repository of ${FILES.toLocaleString("en")} files, ms`,
  contest: { ...round.contest, tracked_files: FILES },
  figure: round.figure,
};
