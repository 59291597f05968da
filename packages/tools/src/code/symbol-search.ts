import { open } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers";
import { checkCancelled } from "@smith/contract/cancel";
import { farnessOf } from "./kinds.ts";
import { runRipgrep, type Search } from "./ripgrep.ts";
import { fileExpression, fitOf, type SymbolQuery } from "./symbol-query.ts";
import { symbolLanguage } from "./syntax/languages.ts";
import { type FileAnswer, PARSED_MAX_BYTES, type SymbolReader, type Unread } from "./syntax/reader.ts";
import type { CodeSymbol, Kind } from "./syntax/symbol.ts";
import { walk } from "./walk.ts";
import { count, unreadNotes } from "./words.ts";

/** Files read at once: while one is parsed the next ones come. */
const READ_AT_ONCE = 16;
/** Between two files other work of the process is let in when this has passed, ms. */
const TURN_MS = 20;

export interface SymbolHit extends CodeSymbol {
  /** Relative to the scope's folder. */
  readonly path: string;
}

export interface SymbolSearch {
  /** Best first. */
  readonly hits: readonly SymbolHit[];
  /** Source files that hold the name somewhere, and were looked at. */
  readonly files: number;
  /** False when the time ran out. */
  readonly is_whole: boolean;
  readonly notes: readonly string[];
}

/**
 * The symbols of the scope that fit. Only files that hold the name are parsed.
 * @throws {AgentError} `cancelled`; `no_grammar`; `search_failed`.
 */
export async function findSymbols(query: SymbolQuery, search: Search, reader: SymbolReader): Promise<SymbolSearch> {
  const listed = await candidates(query, search);
  const found: RatedHit[] = [];
  const unread = new Map<Unread, number>();
  let files = 0;
  let turn = performance.now();
  while (files < listed.paths.length && !search.late.aborted) {
    checkCancelled(search.signal);
    const some = listed.paths.slice(files, files + READ_AT_ONCE);
    const answers = await Promise.all(some.map((path) => reader.read(join(search.scope.dir, path))));
    files += some.length;
    for (const [at, answer] of answers.entries()) {
      if (answer.unread !== null) unread.set(answer.unread, (unread.get(answer.unread) ?? 0) + 1);
      found.push(...hitsIn(answer, some[at] ?? "", query));
    }
    if (performance.now() - turn < TURN_MS) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    turn = performance.now();
  }
  const is_whole = files === listed.paths.length && !search.late.aborted;
  return { hits: rank(found), files, is_whole, notes: [...listed.notes, ...notesOf(unread, is_whole)] };
}

interface RatedHit extends SymbolHit {
  readonly fit: number;
}

const hitsIn = ({ symbols }: FileAnswer, path: string, query: SymbolQuery): readonly RatedHit[] =>
  (symbols?.symbols ?? []).flatMap((symbol) => {
    const fit = fitOf(symbol, query);
    return fit === null ? [] : [{ ...symbol, path, fit }];
  });

interface Candidates {
  readonly paths: readonly string[];
  readonly notes: readonly string[];
}

/** The source files that hold the name, in order of path. */
async function candidates(query: SymbolQuery, search: Search): Promise<Candidates> {
  const { file } = search.scope;
  if (file !== null) return { paths: [file], notes: [] };
  const paths: string[] = [];
  const end = await runRipgrep(search, {
    args: ["--files-with-matches", "--null", "--ignore-case", `--regexp=${fileExpression(query)}`],
    separator: 0,
    take(record) {
      const path = record.toString("utf8").replace(/^\.\//, "");
      if (symbolLanguage(path) !== undefined) paths.push(path);
      return true;
    },
  });
  if (end === null) return await candidatesSlowly(query, search);
  const [first] = end.errors;
  const notes = first === undefined ? [] : [`${end.errors.length} paths could not be read, as ${first.slice(0, 300)}`];
  return { paths: paths.toSorted(), notes };
}

async function candidatesSlowly(query: SymbolQuery, search: Search): Promise<Candidates> {
  const expression = new RegExp(fileExpression(query), "i");
  const paths: string[] = [];
  const unread: (readonly [path: string, errno: string])[] = [];
  for await (const path of walk(search, (...what) => unread.push(what))) {
    if (symbolLanguage(path) !== undefined && (await holds(join(search.scope.dir, path), expression))) paths.push(path);
  }
  return { paths, notes: ["ripgrep could not be used: this is a slower built-in search", ...unreadNotes(unread)] };
}

/** Files too large to be parsed are let through, to be told of. */
async function holds(path: string, expression: RegExp): Promise<boolean> {
  try {
    await using file = await open(path, "r");
    if ((await file.stat()).size > PARSED_MAX_BYTES) return true;
    return expression.test(await file.readFile("utf8"));
  } catch {
    return true; // gone or not ours to read: the reader tells which
  }
}

/** Of two symbols that fit alike, what a person means by a name goes before a part of something. */
const WEIGHT: Readonly<Partial<Record<Kind, number>>> = { impl: 1, variable: 1, field: 2, member: 2 };

/** A function within a function is known there alone. */
const weightOf = ({ kind, depth }: SymbolHit): number => WEIGHT[kind] ?? (kind === "function" && depth > 0 ? 1 : 0);

function rank(found: readonly RatedHit[]): readonly SymbolHit[] {
  const far = new Map<string, number>();
  for (const { path } of found) if (!far.has(path)) far.set(path, farnessOf(path));
  return found
    .map((hit) => ({ hit, far: far.get(hit.path) ?? 0, weight: weightOf(hit) }))
    .sort(
      (a, b) =>
        a.hit.fit - b.hit.fit ||
        a.far - b.far ||
        a.weight - b.weight ||
        a.hit.name.length - b.hit.name.length ||
        (a.hit.path < b.hit.path ? -1 : Number(a.hit.path > b.hit.path)) ||
        a.hit.line - b.hit.line,
    )
    .map(({ hit }) => hit);
}

function notesOf(unread: ReadonlyMap<Unread, number>, isWhole: boolean): readonly string[] {
  const told = (why: Unread, words: string) => {
    const files = unread.get(why);
    return files === undefined ? [] : [`${count(files, "file")} ${words}`];
  };
  return [
    ...(isWhole ? [] : ["time ran out: these are the symbols so far; narrow the search with path"]),
    ...told("large", `over ${PARSED_MAX_BYTES >> 20} MiB not parsed`),
    ...told("slow", "not parsed: it took too long"),
    ...told("unreadable", "could not be read"),
  ];
}
