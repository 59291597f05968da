import { parseArgs as parseFlags } from "node:util";
import type { Benchmark } from "./benchmark.ts";
import { benchmarks, QUICK } from "./list.ts";

export interface Args {
  readonly runs: number;
  readonly chosen: readonly Benchmark[];
  /** Where the raw numbers go; null: nowhere. */
  readonly json: string | null;
  /** The built program to measure; null: the one of this clone. */
  readonly smith: string | null;
  readonly help: boolean;
}

const names = benchmarks.map((each) => each.name).join(", ");

export const USAGE = `usage: npm run bench -- [--quick] [--runs N] [--only NAME,NAME] [--json FILE] [--smith FILE]

  --quick         a look in half a minute: ${QUICK.join(", ")}, 2 runs each
  --runs N        runs of each program, after one that does not count (default 5)
  --only NAMES    some of: ${names}
  --json FILE     the raw numbers of every run
  --smith FILE    another build of smith.js to measure
`;

/** @throws {Error} one line with the flag, the value got and what was expected. */
export function parseArgs(argv: readonly string[]): Args {
  const { values } = parseFlags({
    args: [...argv],
    options: {
      quick: { type: "boolean", default: false },
      runs: { type: "string" },
      only: { type: "string" },
      json: { type: "string" },
      smith: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  return {
    runs: wholeNumber(values.runs ?? (values.quick ? "2" : "5")),
    chosen: chosenBy(values.only, values.quick),
    json: values.json ?? null,
    smith: values.smith ?? null,
    help: values.help,
  };
}

function wholeNumber(text: string): number {
  const runs = Number(text);
  if (Number.isSafeInteger(runs) && runs > 0) return runs;
  throw new Error(`--runs ${JSON.stringify(text)}: expected a whole number above 0.`);
}

function chosenBy(only: string | undefined, quick: boolean): readonly Benchmark[] {
  if (only !== undefined) return choose(only);
  return quick ? benchmarks.filter(({ name }) => QUICK.includes(name)) : benchmarks;
}

function choose(text: string): readonly Benchmark[] {
  const wanted = text.split(",").map((name) => name.trim());
  const unknown = wanted.filter((name) => !benchmarks.some((each) => each.name === name));
  if (unknown.length > 0) throw new Error(`--only ${JSON.stringify(unknown.join(","))}: expected some of ${names}.`);
  return benchmarks.filter((each) => wanted.includes(each.name));
}
