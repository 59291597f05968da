import { open } from "node:fs/promises";
import { join } from "node:path";
import { type Context, createContext, Script } from "node:vm";
import { checkCancelled } from "@smith/contract/cancel";
import { errnoOf, refusal } from "../fault.ts";
import { looksBinary } from "../text-file.ts";
import { badPattern, type Grep, type GrepOrder } from "./grep-rg.ts";
import { createHitCollector, FILE_MAX_HITS, type HitCollector } from "./hits.ts";
import type { Search } from "./ripgrep.ts";
import { walk } from "./walk.ts";
import { count, unreadNotes } from "./words.ts";

/*
 * The built-in content search, for where ripgrep is missing. JavaScript's regular expressions are not linear, so they run
 * where they can be stopped.
 */

/** Larger files are not searched, bytes. */
const FILE_MAX_BYTES = 8 << 20;
/** A pattern may take this long over one file, ms; nothing else runs meanwhile. */
const FILE_MAX_MS = 1000;

/** Pairs of line index and start of the first hit. */
const FIND = new Script(`(() => {
  const found = [];
  const lines = text.split("\\n");
  for (let i = 0; i < lines.length && found.length < 2 * max; i++) {
    const at = lines[i].replace(/\\r$/, "").search(regex);
    if (at !== -1) found.push(i, at);
  }
  return found.join(" ");
})()`);

/** @throws {AgentError} `bad_pattern`, also for one that backtracks without end; `cancelled`. */
export async function grepWithoutRipgrep(search: Search, order: GrepOrder): Promise<Grep> {
  const context = createContext({ regex: regexOf(order), max: FILE_MAX_HITS, text: "" });
  const collector = createHitCollector(order.max_results);
  let searched = 0;
  let tooLarge = 0;
  const unread: (readonly [path: string, errno: string])[] = [];
  for await (const path of walk(search, (...what) => unread.push(what))) {
    checkCancelled(search.signal);
    if (search.late.aborted || collector.isFull()) break;
    const { text, is_too_large, errno } = await readText(join(search.scope.dir, path));
    if (is_too_large) tooLarge++;
    if (errno !== undefined && errno !== "ENOENT") unread.push([path, errno]);
    if (text === null) continue;
    searched++;
    collect({ path, text, hits: find(context, text) }, collector, order);
  }
  checkCancelled(search.signal);
  const hits = collector.hits();
  return {
    ...hits,
    is_whole: hits.is_whole && !search.late.aborted,
    searched,
    notes: [...notesOf(tooLarge, search), ...unreadNotes(unread)],
  };
}

const notesOf = (tooLarge: number, { late }: Search): readonly string[] => [
  "ripgrep could not be used: this is a slower built-in search with JavaScript's regular expressions",
  ...(late.aborted ? ["time ran out: these are the hits so far; narrow the search with path or glob"] : []),
  ...(tooLarge > 0 ? [`${count(tooLarge, "file")} over 8 MiB not searched`] : []),
];

function regexOf({ pattern, literal, ignore_case }: GrepOrder): RegExp {
  const inline = /^\(\?i\)/.test(pattern) && !literal;
  const flags = ignore_case || inline ? "i" : "";
  const source = literal ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : pattern.replace(/^\(\?i\)/, "");
  try {
    return new RegExp(source, flags);
  } catch (thrown) {
    throw badPattern(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function find(context: Context, text: string): readonly number[] {
  Object.assign(context, { text });
  try {
    const found = String(FIND.runInContext(context, { timeout: FILE_MAX_MS }));
    return found === "" ? [] : found.split(" ").map(Number);
  } catch (thrown) {
    // The error is made where the pattern ran: it is no `Error` of this side.
    if (!String(thrown).includes("execution timed out")) throw thrown;
    throw refusal(
      "bad_pattern",
      "The pattern backtracks without end (ripgrep, which would not, is missing). Use a plainer one, without nested repeats such as (a+)+.",
    );
  }
}

interface ReadText {
  /** Null for what can't be read, is binary or too large. */
  readonly text: string | null;
  readonly is_too_large: boolean;
  readonly errno?: string;
}

async function readText(path: string): Promise<ReadText> {
  try {
    await using file = await open(path, "r");
    const is_too_large = (await file.stat()).size > FILE_MAX_BYTES;
    const bytes = is_too_large ? null : await file.readFile();
    const text = bytes === null || looksBinary(bytes) ? null : bytes.toString("utf8").replace(/^\ufeff/, "");
    return { text, is_too_large };
  } catch (thrown) {
    return { text: null, is_too_large: false, errno: errnoOf(thrown) ?? String(thrown) }; // told beside the hits
  }
}

interface Searched {
  readonly path: string;
  readonly text: string;
  readonly hits: readonly number[];
}

function collect({ path, text, hits }: Searched, collector: HitCollector, { context }: GrepOrder): void {
  if (hits.length === 0) return;
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  collector.begin(path);
  let told = 0; // lines given so far: contexts that overlap are given once
  for (let i = 0; i < hits.length; i += 2) {
    const line = hits[i] ?? 0;
    const next = hits[i + 2] ?? Number.POSITIVE_INFINITY;
    for (let n = Math.max(told, line - context); n < line; n++) collector.line(n + 1, lines[n] ?? "", null);
    collector.line(line + 1, lines[line] ?? "", hits[i + 1] ?? 0);
    told = Math.min(line + context + 1, lines.length, next);
    for (let n = line + 1; n < told; n++) collector.line(n + 1, lines[n] ?? "", null);
  }
  collector.end(false);
}
