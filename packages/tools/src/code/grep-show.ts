import type { Grep, GrepOrder } from "./grep-rg.ts";
import type { FileHits, HitLine } from "./hits.ts";
import { farnessOf } from "./kinds.ts";
import type { Scope } from "./scope.ts";
import { count, remarks } from "./words.ts";

/** Characters of the whole answer, and what is set aside of them for the last lines. */
export const GREP_CHARS = 20_000;
const LAST_LINES_CHARS = 1200;
/** While files wait unseen, one file shows this many hits at most. */
const FAIR_SHARE = 20;

export interface Shown {
  readonly text: string;
  /** Matching lines and files in the text. */
  readonly hits: number;
  readonly files: number;
}

/** The hits as `path:line: text`, the likeliest files first, and what was left out. */
export function showHits(grep: Grep, order: GrepOrder, scope: Scope): Shown {
  const ranked = rank(grep.files);
  const shares = shareOut(ranked, order.max_results);
  const lines: string[] = [];
  let room = GREP_CHARS - LAST_LINES_CHARS;
  let hits = 0;
  let files = 0;
  for (const [i, file] of ranked.entries()) {
    const taken = fit(takeHits(file, shares[i] ?? 0, order.context), file, { scope, room, context: order.context });
    lines.push(...taken.lines);
    hits += taken.hits;
    files += taken.hits > 0 ? 1 : 0;
    room -= taken.chars;
    if (taken.is_cut) break;
  }
  const left = leftOut(grep, ranked, { hits, files });
  return { text: [...lines, ...remarks([...left, ...grep.notes])].join("\n"), hits, files };
}

/** Source before tests before what is generated; in each, the files with more hits first. */
const rank = (files: readonly FileHits[]): readonly FileHits[] =>
  files
    .map((file) => ({ file, far: farnessOf(file.path) }))
    .sort((a, b) => a.far - b.far || b.file.hits - a.file.hits || (a.file.path < b.file.path ? -1 : 1))
    .map(({ file }) => file);

/** How many hits each file shows: a fair share each, then what room is left, in order of rank. */
function shareOut(files: readonly FileHits[], maxResults: number): readonly number[] {
  let left = maxResults;
  const give = (wanted: number): number => {
    const given = Math.min(wanted, left);
    left -= given;
    return given;
  };
  const fair = files.map(({ hits }) => give(Math.min(hits, FAIR_SHARE)));
  return fair.map((share, i) => share + (share === 0 ? 0 : give((files[i]?.hits ?? 0) - share)));
}

/** The lines with the first `count` hits and the context around them. */
function takeHits({ lines }: FileHits, count: number, context: number): readonly HitLine[] {
  const hitLines = lines.filter(({ is_hit }) => is_hit).slice(0, count);
  const last = hitLines.at(-1);
  if (last === undefined) return [];
  return lines.filter(({ number, is_hit }) => number <= last.number || (!is_hit && number <= last.number + context));
}

interface Fit {
  readonly scope: Scope;
  readonly room: number;
  readonly context: number;
}

/** As many of the lines as there is room for, written out. */
function fit(lines: readonly HitLine[], { path }: FileHits, { scope, room, context }: Fit) {
  const shown = scope.show(path);
  const out: string[] = [];
  let chars = 0;
  let hits = 0;
  let before: number | undefined;
  for (const { number, text, is_hit } of lines) {
    const line = is_hit ? `${shown}:${number}: ${text}` : `${shown}-${number}- ${text}`;
    const gap = context > 0 && before !== undefined && number > before + 1 ? ["--"] : [];
    const cost = line.length + 1 + gap.length * 3;
    if (chars + cost > room) return { lines: out, chars, hits, is_cut: true };
    out.push(...gap, line);
    chars += cost;
    hits += is_hit ? 1 : 0;
    before = number;
  }
  return { lines: out, chars, hits, is_cut: false };
}

function leftOut(grep: Grep, ranked: readonly FileHits[], shown: { hits: number; files: number }): readonly string[] {
  const hits = grep.total - shown.hits;
  if (hits === 0) return grep.is_whole ? [] : ["the search was stopped here: there may be more matches"];
  const atLeast = grep.is_whole ? "" : "at least ";
  const files = ranked.length - shown.files;
  const where = files === 0 ? "" : `, ${count(files, "file")} of them not shown at all`;
  const more = `${count(hits, "more match", "more matches")} (${atLeast}${grep.total} in ${count(ranked.length, "file")}${where})`;
  return [`${atLeast}${more}; narrow the search with path, glob or the pattern`];
}
