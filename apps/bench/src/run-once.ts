import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Run } from "./benchmark.ts";

/** A process on which nothing was ever measured so long: it hangs. */
const LIMIT_MS = 120_000;
/** Seen from the bundle in `dist`. */
const PRELOAD = fileURLToPath(new URL("../src/preload.cjs", import.meta.url));

/** The folders of one bench: nothing of the user's is read or written. */
export interface Place {
  readonly home: string;
  /** An empty repository, the working directory of what is measured. */
  readonly work: string;
  /** Ends what is being measured. */
  readonly signal: AbortSignal;
}

/** What the process itself tells; the rest of a run comes from the model. */
export type Ended = Omit<Run, "rounds_ms"> & { readonly stdout: string };

/** Runs node with these arguments to its end and measures it. Its stdout and stderr are files: no reader slows it. */
export async function runOnce(args: readonly string[], place: Place): Promise<Ended> {
  const out = join(place.home, "stdout");
  const err = join(place.home, "stderr");
  const usage = join(place.home, "usage.json");
  rmSync(usage, { force: true });
  const fds = [openSync(out, "w"), openSync(err, "w")] as const;
  try {
    const { code, wall_ms } = await spawned(args, fds, { ...place, usage });
    const fault = code === "0" ? null : `exit code ${code}: ${lastLine(readFileSync(err, "utf8"))}`;
    return { wall_ms, ...readUsage(usage), fault, stdout: readFileSync(out, "utf8") };
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}

function spawned(
  args: readonly string[],
  [out, err]: readonly [number, number],
  { home, work, signal, usage }: Place & { readonly usage: string },
): Promise<{ code: string; wall_ms: number }> {
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    SMITH_HOME: join(home, "smith"),
    LANG: "C.UTF-8",
    TERM: "dumb",
    SMITH_BENCH_USAGE: usage,
  };
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, ["--require", PRELOAD, ...args], {
      cwd: work,
      env,
      stdio: ["ignore", out, err],
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
      killSignal: "SIGKILL",
    });
    child.on("exit", (code, killed) => {
      const wall_ms = performance.now() - startedAt;
      resolve({ code: String(code ?? killed), wall_ms });
    });
    child.on("error", (error) => {
      // An abort also ends in `exit`, which tells more; only what never started has no other end.
      if (child.pid === undefined) reject(error);
    });
  });
}

function readUsage(file: string): { rss_mb: number | null; cpu_ms: number | null } {
  try {
    const { rss_kb, cpu_us } = JSON.parse(readFileSync(file, "utf8")) as { rss_kb: number | null; cpu_us: number };
    return { rss_mb: rss_kb === null ? null : rss_kb / 1024, cpu_ms: cpu_us / 1000 };
  } catch {
    return { rss_mb: null, cpu_ms: null }; // killed before it could tell; its exit code says so
  }
}

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";
