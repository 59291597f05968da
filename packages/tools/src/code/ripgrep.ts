import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { checkCancelled } from "@smith/contract/cancel";
import { errnoOf, refusal } from "../fault.ts";
import { spawned } from "../spawned.ts";
import { withRulesFile } from "./rules.ts";
import type { CodeOptions, Scope } from "./scope.ts";

/** One record of ripgrep's output (a JSON line, a file name) is kept up to here, bytes. */
export const RECORD_MAX_BYTES = 16 << 20;
const ERRORS_MAX_CHARS = 8000;
const SEARCH_S = 25;

/** A call's search: where, by which rules, and until when. */
export interface Search {
  readonly scope: Scope;
  readonly rules: readonly string[];
  readonly options: CodeOptions;
  /** The caller's cancel: the search fails. */
  readonly signal: AbortSignal;
  /** The search's own time is up: it ends with what it has. */
  readonly late: AbortSignal;
}

export const searchIn = (scope: Scope, rules: readonly string[], options: CodeOptions, signal: AbortSignal): Search =>
  Object.freeze({ scope, rules, options, signal, late: AbortSignal.timeout((options.search_s ?? SEARCH_S) * 1000) });

export interface RipgrepEnd {
  /** Null when it was stopped from here. */
  readonly exit_code: number | null;
  /** What it complained of, a line each, without its name. */
  readonly errors: readonly string[];
}

export interface RipgrepOrder {
  readonly args: readonly string[];
  /** The byte that ends a record. */
  readonly separator: number;
  /** Called for each record in order; one over 16 MiB lacks its middle. False = enough, ripgrep is stopped. */
  take(record: Buffer): boolean;
}

/**
 * Runs ripgrep over the scope. Null when there is none that can be started.
 * @throws {AgentError} `cancelled`; `search_failed` when it crashed.
 */
export async function runRipgrep(search: Search, order: RipgrepOrder): Promise<RipgrepEnd | null> {
  checkCancelled(search.signal);
  const program = await (search.options.ripgrep ?? findRipgrep)();
  if (program === null) return null;
  return await withRulesFile(search.rules, async (rulesFile) => {
    if (rulesFile === null) return null;
    const child = await start(program, [...order.args, ...commonArgs(search.scope, rulesFile)], search);
    return child === null ? null : await follow(child, search, order);
  });
}

/** The program that searches: the one that comes with Smith, else whatever `rg` is on the PATH. */
export async function findRipgrep(): Promise<string> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch {
    return "rg"; // no binary for this platform in the package: perhaps the machine has one
  }
}

/** What every run is told; the path comes last, behind `--`, and never looks like an option. */
const commonArgs = ({ file, has_parents }: Scope, rulesFile: string): readonly string[] => [
  "--no-config",
  "--no-require-git",
  "--hidden", // the rules say which
  ...(has_parents ? [] : ["--no-ignore-parent"]),
  `--ignore-file=${rulesFile}`,
  "--",
  file === null ? "./" : `./${file}`,
];

type Child = ChildProcessByStdio<null, Readable, Readable>;

async function start(program: string, args: readonly string[], { scope, options }: Search): Promise<Child | null> {
  try {
    return await spawned(spawn(program, args, { cwd: scope.dir, env: options.env, stdio: ["ignore", "pipe", "pipe"] }));
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno === undefined) throw thrown;
    if (errno === "E2BIG") throw refusal("bad_pattern", "The pattern is too long for the system. Search for a part.");
    return null; // ENOENT, EACCES, ENOEXEC: it can't be run here
  }
}

async function follow(child: Child, search: Search, { separator, take }: RipgrepOrder): Promise<RipgrepEnd> {
  const stop = () => void child.kill("SIGKILL");
  const ended = AbortSignal.any([search.signal, search.late]);
  ended.addEventListener("abort", stop, { once: true });
  if (ended.aborted) stop();
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const errors = headOf(child.stderr);
  let enough = false;
  try {
    for await (const record of recordsOf(child.stdout, separator)) {
      enough = !take(record);
      if (enough) break;
    }
  } catch (thrown) {
    stop();
    throw thrown;
  } finally {
    if (enough) stop();
    await closed;
    ended.removeEventListener("abort", stop);
  }
  return endOf(await closed, { errors: errors(), search, enough });
}

interface Ending {
  readonly errors: string;
  readonly search: Search;
  readonly enough: boolean;
}

function endOf(exitCode: number | null, { errors, search, enough }: Ending): RipgrepEnd {
  checkCancelled(search.signal);
  const lines = errors.split(/^rg: /m).map((each) => each.trim());
  const told = lines.filter((line) => line !== "");
  if (enough || search.late.aborted) return { exit_code: null, errors: told };
  if (exitCode === null) throw refusal("search_failed", `ripgrep crashed. Nothing is known. ${told.join(" ")}`.trim());
  return { exit_code: exitCode, errors: told };
}

/** Cuts the stream at each separator. At most one record, up to its limit, is held. */
async function* recordsOf(stream: Readable, separator: number): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let held = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(separator); at !== -1; at = chunk.indexOf(separator, from)) {
      const last = chunk.subarray(from, at);
      yield held === 0 ? last : Buffer.concat([...pieces, last]);
      pieces = [];
      held = 0;
      from = at + 1;
    }
    const rest = chunk.subarray(from, from + Math.max(0, RECORD_MAX_BYTES - held));
    if (rest.length > 0) pieces.push(rest);
    held += rest.length;
  }
  if (held > 0) yield Buffer.concat(pieces);
}

/** The first characters of a stream; the rest is read and dropped, lest the writer block. */
function headOf(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (piece: string) => {
    if (text.length < ERRORS_MAX_CHARS) text += piece.slice(0, ERRORS_MAX_CHARS - text.length);
  });
  return () => text;
}
