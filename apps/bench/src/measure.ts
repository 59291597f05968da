import type { Benchmark, PromptContest, Run, SearchContest, ToolContest } from "./benchmark.ts";
import { bigRepository } from "./big-repository.ts";
import { bigTree } from "./big-tree.ts";
import type { TimedCall } from "./code-call.ts";
import type { ModelProcess } from "./model.ts";
import { type Place, runOnce } from "./run-once.ts";

/** Two runs that were neighbours in time. */
export interface Pair {
  readonly smith: Run;
  readonly beside: Run;
}

export interface Measured {
  readonly benchmark: Benchmark;
  readonly pairs: readonly Pair[];
}

/** What all benchmarks are measured with. */
export interface Bench {
  readonly place: Place;
  readonly model: ModelProcess;
  /** The program, and the bundle that holds the minimal loop. */
  readonly smith: string;
  readonly entry: string;
}

type Who = keyof Pair;

/**
 * Runs both programs in turn, `runs` times after a pair that does not count: it warms the disk's cache and makes the
 * database. Who begins changes with every pair, so that neither always follows the other.
 */
export async function measure(benchmark: Benchmark, runs: number, bench: Bench): Promise<Measured> {
  const run = (who: Who) => runOne(benchmark, who, bench);
  await run("smith");
  await run("beside");
  const pairs: Pair[] = [];
  for (let n = 0; n < runs; n++) {
    if (n % 2 === 0) {
      const smith = await run("smith");
      pairs.push({ smith, beside: await run("beside") });
    } else {
      const beside = await run("beside");
      pairs.push({ smith: await run("smith"), beside });
    }
  }
  return { benchmark, pairs };
}

async function runOne({ name, contest }: Benchmark, who: Who, bench: Bench): Promise<Run> {
  if (contest.beside === "node") {
    const args = who === "smith" ? [bench.smith, ...contest.smith_args] : contest.node_args;
    const { stdout: _unread, ...ended } = await runOnce(args, bench.place);
    return { ...ended, rounds_ms: [] };
  }
  if (contest.beside === "bare") return await runTool(contest, who, bench);
  if (contest.beside === "rg") return await runTimed(contest, who, bench);
  const url = await bench.model.play(name);
  const args = who === "smith" ? smithArgs(contest, url, bench) : minimalArgs(contest, url, bench);
  const { tracked_files } = contest;
  const work = tracked_files === undefined ? bench.place.work : bigRepository(bench.place.home, tracked_files);
  const { stdout, ...ended } = await runOnce(args, { ...bench.place, work });
  const { rounds_ms, faults } = await bench.model.stop();
  return { ...ended, rounds_ms, fault: ended.fault ?? faults[0] ?? printedFault(stdout, contest.printed()) };
}

async function runTool({ tool }: ToolContest, who: Who, { entry, place }: Bench): Promise<Run> {
  const { stdout, ...ended } = await runOnce([entry, "tool", who === "smith" ? "smith" : "bare", tool], place);
  const rounds_ms: readonly number[] = ended.fault === null ? JSON.parse(stdout) : []; // our own bundle printed it
  return { ...ended, rounds_ms };
}

async function runTimed(contest: SearchContest, who: Who, { place, entry }: Bench): Promise<Run> {
  const { tool, args, times, rg_args, tree, files } = contest;
  const work = bigTree(place.home, tree, files);
  const program = who === "smith" ? ["code", tool, JSON.stringify(args), String(times)] : ["rg", ...rg_args];
  const { stdout, ...ended } = await runOnce([entry, ...program], { ...place, work });
  if (ended.fault !== null) return { ...ended, rounds_ms: [] };
  const { ms, found } = JSON.parse(stdout) as TimedCall;
  const expected = who === "smith" ? contest.found : contest.rg_found;
  return { ...ended, rounds_ms: [ms], fault: found === expected ? null : `found ${found}, expected ${expected}` };
}

const smithArgs = ({ prompt, undrawn }: PromptContest, url: string, { smith, entry }: Bench): readonly string[] =>
  undrawn === true
    ? [entry, "adapter", url, prompt]
    : [smith, "-p", prompt, "--model", "bench", "--set", `llm_config.api_url=${url}`, "--set", "max_rounds=1000"];

const minimalArgs = ({ prompt, undrawn }: PromptContest, url: string, { entry }: Bench): readonly string[] => [
  ...[entry, "minimal", url, prompt],
  ...(undrawn === true ? ["undrawn"] : []),
];

/** An answer that was not printed whole was perhaps not read whole. */
function printedFault(got: string, expected: string): string | null {
  if (got.trimEnd() === expected.trimEnd()) return null;
  const tail = JSON.stringify(got.slice(-60));
  return `stdout is not the model's answer: ${got.length} characters that end with ${tail}, expected ${expected.length}`;
}
