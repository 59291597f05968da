import { type ChildProcess, spawn } from "node:child_process";
import { checkCancelled } from "@smith/contract/cancel";
import { createCleaner } from "../clean.ts";
import { errnoOf, refusal } from "../fault.ts";
import { spawned } from "../spawned.ts";

/** Bytes of output taken; beyond them git is stopped. */
const OUTPUT_MAX_BYTES = 4 << 20;
const ERRORS_MAX_CHARS = 4000;

export interface GitRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The caller's cancel. */
  readonly signal: AbortSignal;
  /** git's own time is up. */
  readonly late: AbortSignal;
}

export interface GitEnd {
  /** Cleaned of what a terminal would obey; NUL bytes stay where `raw` was asked for. */
  readonly stdout: string;
  readonly stderr: string;
  /** Null when it was stopped from here. */
  readonly exit_code: number | null;
  /** Why it was stopped. */
  readonly stopped: "time" | "size" | null;
}

/**
 * Runs git, and nothing with it: stdin closed, no terminal.
 * @throws {AgentError} `cancelled`; `no_git` when it can't be started; `cwd_gone`.
 */
export async function runGit(run: GitRun, { raw = false } = {}): Promise<GitEnd> {
  checkCancelled(run.signal);
  const child = await start(run);
  let stopped: GitEnd["stopped"] = null;
  const stop = (why: GitEnd["stopped"]) => {
    stopped ??= why;
    child.kill("SIGKILL");
  };
  const onAbort = () => stop(run.signal.aborted ? null : "time");
  const ended = AbortSignal.any([run.signal, run.late]);
  ended.addEventListener("abort", onAbort, { once: true });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const out = collect(child, () => stop("size"));
  if (ended.aborted) onAbort();
  const exitCode = await closed;
  ended.removeEventListener("abort", onAbort);
  checkCancelled(run.signal);
  const stdout = out.stdout();
  return {
    stdout: raw ? stdout : cleaned(stdout),
    stderr: cleaned(out.stderr()).trim(),
    exit_code: exitCode,
    stopped,
  };
}

async function start({ args, cwd, env }: GitRun): Promise<ChildProcess> {
  try {
    return await spawned(spawn("git", [...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] }));
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno === undefined) throw thrown;
    if (errno === "E2BIG")
      throw refusal("bad_argument", "The arguments are too long for the system. Name fewer paths.");
    throw refusal("no_git", `git could not be started (${errno}): is it installed, and is its folder in PATH?`);
  }
}

function collect(child: ChildProcess, onFull: () => void) {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let errors = "";
  child.stdout?.on("data", (piece: Buffer) => {
    if (bytes >= OUTPUT_MAX_BYTES) return;
    pieces.push(piece.subarray(0, OUTPUT_MAX_BYTES - bytes));
    bytes += piece.length;
    if (bytes >= OUTPUT_MAX_BYTES) onFull();
  });
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    if (errors.length < ERRORS_MAX_CHARS) errors += piece.slice(0, ERRORS_MAX_CHARS - errors.length);
  });
  return { stdout: () => Buffer.concat(pieces).toString("utf8"), stderr: () => errors };
}

function cleaned(text: string): string {
  const cleaner = createCleaner();
  return cleaner.write(text) + cleaner.end();
}
