import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Args, parseArgs, USAGE } from "./args.ts";
import { type Measured, measure } from "./measure.ts";
import { startModelProcess } from "./model.ts";
import type { Place } from "./run-once.ts";
import { table } from "./table.ts";

/** The bundle's own entry and the program of this clone, both seen from the bundle in `dist`. */
const ENTRY = fileURLToPath(new URL("bench.js", import.meta.url));
const SMITH = fileURLToPath(new URL("../../cli/dist/smith.js", import.meta.url));

/** Measures, prints the table on stdout and the rest on stderr. Exit code: 0, or 1 when something did not run, 2 usage. */
export async function runBench(argv: readonly string[]): Promise<number> {
  let args: Args;
  try {
    args = parseArgs(argv);
  } catch (error) {
    return complain(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
  if (args.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const smith = args.smith === null ? SMITH : resolve(args.smith);
  if (!existsSync(smith))
    return complain(`there is no ${smith}. Build it with npm run build, or name one by --smith.\n`);
  const measured = await measureAll(args, smith);
  process.stdout.write(table(measured));
  const ran = report(measured);
  try {
    if (args.json !== null) writeFileSync(args.json, `${JSON.stringify(record(args, measured), null, 2)}\n`);
  } catch (error) {
    return complain(`--json ${args.json} was not written: ${error instanceof Error ? error.message : error}\n`);
  }
  return ran ? 0 : 1;
}

function complain(text: string): number {
  process.stderr.write(`bench: ${text}`);
  return 2;
}

async function measureAll(args: Args, smith: string): Promise<readonly Measured[]> {
  const place = makePlace();
  using model = startModelProcess(ENTRY);
  const measured: Measured[] = [];
  for (const benchmark of args.chosen) {
    process.stderr.write(`bench: ${benchmark.name}, ${runsText(args.runs)} each …\n`);
    measured.push(await measure(benchmark, args.runs, { place, model, smith, entry: ENTRY }));
  }
  return measured;
}

const runsText = (runs: number): string => (runs === 1 ? "1 run" : `${runs} runs`);

/** A home and an empty repository below the temp folder, gone when this process ends, however it does. */
function makePlace(): Place {
  const home = mkdtempSync(join(tmpdir(), "smith-bench-"));
  const work = join(home, "work");
  const stop = new AbortController();
  for (const part of ["objects", "refs/heads"]) mkdirSync(join(work, ".git", part), { recursive: true });
  writeFileSync(join(work, ".git", "HEAD"), "ref: refs/heads/main\n");
  process.once("exit", () => rmSync(home, { recursive: true, force: true }));
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => {
      stop.abort();
      process.exit(code);
    });
  }
  return Object.freeze({ home, work, signal: stop.signal });
}

/** Tells why what did not count did not; true when there was no such run. */
function report(measured: readonly Measured[]): boolean {
  const lines = measured.flatMap(({ benchmark, pairs }) =>
    pairs.flatMap((pair, index) =>
      [
        { who: "smith", run: pair.smith },
        { who: benchmark.contest.beside, run: pair.beside },
      ].flatMap(({ who, run }) =>
        run.fault === null
          ? []
          : [`bench: ${benchmark.name}, run ${index + 1} of ${who} does not count: ${run.fault}\n`],
      ),
    ),
  );
  process.stderr.write(lines.join(""));
  return lines.length === 0;
}

/** What `--json` writes: enough to compute the table again. */
const record = (args: Args, measured: readonly Measured[]) => ({
  date: new Date().toISOString(),
  node: process.version,
  cpus: cpus().length,
  load_1min: loadavg()[0],
  runs: args.runs,
  benchmarks: measured.map(({ benchmark, pairs }) => ({
    name: benchmark.name,
    measured: benchmark.measured,
    beside: benchmark.contest.beside,
    pairs,
  })),
});
