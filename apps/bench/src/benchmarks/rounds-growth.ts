import type { Benchmark, Run } from "../benchmark.ts";
import { echoing } from "./round.ts";

/** Each command prints 4 KB, as reading code does. */
const OUTPUT_CHARS = 4096;

const rounds = (count: number): Benchmark => ({
  name: `rounds-${count}`,
  measured: `${count} rounds of one command that prints 4 KB, their sum, ms`,
  contest: {
    beside: "minimal",
    prompt: "Run the commands one after the other.",
    steps: () => echoing(count, OUTPUT_CHARS),
    printed: () => "Done.",
  },
  growth: { name: "rounds", size: count },
  figure: (run: Run) => run.rounds_ms.reduce((sum, each) => sum + each, 0),
});

/** Work that begins anew with the transcript in each round would show as 2. */
export const roundsGrowth: readonly Benchmark[] = [25, 50, 100, 200].map(rounds);
