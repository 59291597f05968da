import type { Run } from "./benchmark.ts";
import { exponent } from "./growth.ts";
import type { Measured, Pair } from "./measure.ts";
import { median } from "./median.ts";

/** One row a benchmark, and one for each growth: medians of the runs that count; the ratio is the median of the pairs' own ratios. */
export function table(measured: readonly Measured[]): string {
  const rows = [...measured.map(row), ...growthRows(measured)].map((cells) => `| ${cells.join(" | ")} |\n`);
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

/** How the figures of one growth rise with the size, where two of its sizes or more were measured. */
function growthRows(measured: readonly Measured[]): readonly (readonly string[])[] {
  const names = new Set(measured.flatMap(({ benchmark }) => benchmark.growth?.name ?? []));
  return [...names].flatMap((name) => {
    const sizes = measured.filter(({ benchmark }) => benchmark.growth?.name === name);
    const [smith, beside] = [exponentOf(sizes, "smith"), exponentOf(sizes, "beside")];
    if (smith === null || beside === null) return [];
    const span = sizes.map(({ benchmark }) => benchmark.growth?.size).join(", ");
    const what = `how it grows with the size (${span}): 1 is linear, 2 quadratic`;
    const other = `${sizes[0]?.benchmark.contest.beside} ${beside.toFixed(2)}`;
    return [[`${name}, growth`, what, smith.toFixed(2), other, "-", "-", "-", "-"]];
  });
}

const exponentOf = (sizes: readonly Measured[], who: keyof Pair): number | null =>
  exponent(
    sizes.flatMap(({ benchmark, pairs }) =>
      pairs.flatMap((pair) =>
        pair[who].fault === null ? [[benchmark.growth?.size ?? 0, benchmark.figure(pair[who])] as const] : [],
      ),
    ),
  );

/** A dash where nothing is known. */
function middle(values: readonly (number | null)[], digits: number): string {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? "-" : median(known).toFixed(digits);
}
