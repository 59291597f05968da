import type { Run } from "./benchmark.ts";
import type { Measured, Pair } from "./measure.ts";
import { median } from "./median.ts";

/** One row a benchmark: medians of the runs that count; the ratio is the median of the pairs' own ratios. */
export function table(measured: readonly Measured[]): string {
  const rows = measured.map(row).map((cells) => `| ${cells.join(" | ")} |\n`);
  return `| ${HEAD.map(([title]) => title).join(" | ")} |\n|${HEAD.map(([, rule]) => rule).join("|")}|\n${rows.join("")}`;
}

const HEAD = [
  ["benchmark", "---"],
  ["measured", "---"],
  ["smith", "---:"],
  ["beside", "---:"],
  ["ratio", "---:"],
  ["peak RSS MB", "---:"],
  ["CPU ms", "---:"],
  ["counted", "---:"],
] as const;

function row({ benchmark, pairs }: Measured): readonly string[] {
  const good = pairs.filter(({ smith, beside }) => smith.fault === null && beside.fault === null);
  const { figure, contest } = benchmark;
  const both = (read: (run: Run) => number | null, digits: number) =>
    `${middle(
      good.map(({ smith }) => read(smith)),
      digits,
    )} / ${middle(
      good.map(({ beside }) => read(beside)),
      digits,
    )}`;
  return [
    benchmark.name,
    benchmark.measured,
    middle(
      good.map(({ smith }) => figure(smith)),
      1,
    ),
    `${contest.beside} ${middle(
      good.map(({ beside }) => figure(beside)),
      1,
    )}`,
    middle(
      good.map((pair: Pair) => figure(pair.smith) / figure(pair.beside)),
      2,
    ),
    both((run) => run.rss_mb, 0),
    both((run) => run.cpu_ms, 0),
    `${good.length} of ${pairs.length}`,
  ];
}

/** A dash where nothing is known. */
function middle(values: readonly (number | null)[], digits: number): string {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? "-" : median(known).toFixed(digits);
}
