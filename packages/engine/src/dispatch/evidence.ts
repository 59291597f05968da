import type { DispatchResult, Evidence, EvidenceVerdict } from "@smith/contract/dispatch";
import { readCitation } from "./citation.ts";
import { type CitedFile, findFile, type Tree } from "./cited-file.ts";
import type { Shown } from "./shown.ts";
import { shownLines } from "./shown-lines.ts";
import { hasLines, hasQuote, isTelling, type Wording, wordingOf } from "./wording.ts";

/** What evidence is checked against. */
export interface EvidenceGround extends Tree {
  readonly shown: readonly Shown[];
}

type Verdict = Pick<EvidenceVerdict, "verdict" | "why">;
type Heard = Shown & { readonly wording: Wording };

const VERIFIED: Verdict = { verdict: "verified", why: "" };
const stale = (why: string): Verdict => ({ verdict: "stale", why });
const unsupported = (why: string): Verdict => ({ verdict: "unsupported", why });

/**
 * Whether each cited text stands in what the job was shown, and still in the file. That is all: `verified` means that it
 * was shown and stands there, not that it is true. Whatever tool showed it, the rule is the same.
 */
export async function checkEvidence(
  evidence: readonly Evidence[],
  ground: EvidenceGround,
): Promise<readonly EvidenceVerdict[]> {
  if (evidence.length === 0) return [];
  const heard: Heard[] = [];
  for (const each of ground.shown) {
    heard.push({ ...each, wording: wordingOf(each.text) });
    await new Promise((resolve) => setImmediate(resolve)); // a long job was shown megabytes: others go on meanwhile
  }
  const check = async (entry: Evidence, index: number) => ({ index, ...(await checkEntry(entry, heard, ground)) });
  return Promise.all(evidence.map(check));
}

export function countVerdicts(checks: readonly EvidenceVerdict[]): DispatchResult["evidence_counts"] {
  const count = (verdict: EvidenceVerdict["verdict"]) => checks.filter((each) => each.verdict === verdict).length;
  return { verified: count("verified"), stale: count("stale"), unsupported: count("unsupported") };
}

async function checkEntry(entry: Evidence, heard: readonly Heard[], ground: EvidenceGround): Promise<Verdict> {
  if (heard.length === 0) return unsupported("the job read nothing: no output was shown to it");
  const pool = narrowed(entry.receipt, heard);
  if (pool.length === 0) return unsupported(`${entry.receipt} is no receipt of this job`);
  const { path, lines } = placeOf(entry);
  const quote = entry.quote ?? "";
  if (isTelling(quote)) return checkQuote({ quote, path, receipt: entry.receipt }, pool, ground);
  if (lines === undefined) return unsupported("nothing to check: it gives neither a quote nor lines of a file");
  const of = path ?? pathShownBy(pool);
  if (of === undefined) return unsupported("nothing to check: it gives lines, but of no file");
  return checkLines({ path: of, lines }, pool, ground);
}

/** A receipt only narrows the search; one that is not of this job leaves nothing to search. */
function narrowed(receipt: string | undefined, heard: readonly Heard[]): readonly Heard[] {
  if (receipt === undefined || receipt.trim() === "") return heard;
  const [, where = "", number] = /^(?:\[?receipt\s+|output:)?(?:(.+)\/)?\[?r?(\d+)\]?$/i.exec(receipt.trim()) ?? [];
  if (number === undefined || !/^(?:output\/)?(?:t1)?$/.test(where)) return [];
  return heard.filter(({ receipt_id }) => receipt_id === `r${number}`);
}

/** Path and lines; they may both stand in the path, as `a.ts:12`. */
function placeOf({ path, lines }: Evidence): Pick<Evidence, "path" | "lines"> {
  if (path === undefined || path.trim() === "") return { lines };
  const read = /[:#(,]|\blines?\b/i.test(path.replace(/^[A-Za-z]:/, "")) ? readCitation(path) : {};
  return { path: read.lines === undefined ? path : (read.path ?? path), lines: lines ?? read.lines };
}

/** The file that the one output in question is a page of. */
function pathShownBy(pool: readonly Heard[]): string | undefined {
  const [only, ...more] = pool;
  return more.length > 0 ? undefined : /^(.+) · (?:over )?\d+ lines · hash /.exec(only?.text ?? "")?.[1];
}

interface QuoteCitation {
  readonly quote: string;
  readonly path: string | undefined;
  readonly receipt: string | undefined;
}

async function checkQuote(
  { quote, path, receipt }: QuoteCitation,
  pool: readonly Heard[],
  ground: EvidenceGround,
): Promise<Verdict> {
  if (!pool.some(({ wording }) => hasQuote(quote, wording))) {
    return unsupported(
      `the quote stands in ${receipt === undefined ? "nothing this job was shown" : `no part of ${receipt}`}`,
    );
  }
  if (path === undefined || !namesFile(path)) return VERIFIED;
  const file = await findFile(path, ground, pool);
  if (file === null) return stale(`it was shown, but there is no file ${path} now`);
  if (hasQuote(quote, wordingOf(file.lines.join("\n")))) return VERIFIED;
  return stale(`it was shown, but ${path} does not say so now`);
}

/** An address or a command is no file that could be looked at. */
const namesFile = (path: string): boolean =>
  !/^[a-z][a-z0-9+.-]+:\/\//i.test(path) && !(/\s/.test(path.trim()) && !/[\\/]/.test(path)) && /[./\\]/.test(path);

interface LinesCitation {
  readonly path: string;
  readonly lines: string;
}

async function checkLines(
  { path, lines }: LinesCitation,
  pool: readonly Heard[],
  ground: EvidenceGround,
): Promise<Verdict> {
  const [from = 0, to = from] = (lines.match(/\d+/g) ?? []).map(Number);
  const range = { from: Math.min(from, to), to: Math.max(from, to) };
  const file = await findFile(path, ground, pool);
  const where = `${range.from === range.to ? "line" : "lines"} ${lines} of ${path}`;
  const stands = (window: readonly string[]) => pool.some(({ wording }) => hasLines(window, wording));
  const [exact = [], ...near] = file === null ? [] : windowsOf(file, range);
  if (isTelling(exact.join("")) && stands(exact)) return VERIFIED;
  if (wasShownOtherwise(path, range, { file, pool })) return stale(`${where} read differently now than when shown`);
  if (near.some((window) => isTelling(window.join("")) && stands(window))) return VERIFIED;
  if (file === null) return unsupported(`there is no file ${path}`);
  if (range.from > file.lines.length) return unsupported(`${path} has only ${file.lines.length} lines`);
  return unsupported(`${where} stand in nothing this job was shown`);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Lines by which a citation may be off at either end. */
const OFF_BY = 2;

/** The cited lines as they stand now, first; then those that begin and end up to two lines elsewhere. */
function windowsOf({ lines }: CitedFile, { from, to }: Range): readonly (readonly string[])[] {
  const shifts = Array.from({ length: 2 * OFF_BY + 1 }, (_, at) => at - OFF_BY).sort(
    (a, b) => Math.abs(a) - Math.abs(b),
  );
  return shifts
    .flatMap((first) => shifts.map((last) => [from + first, to + last] as const))
    .filter(([first, last]) => first >= 1 && first <= last)
    .map(([first, last]) => lines.slice(first - 1, last));
}

/** Some of these lines were shown with their numbers, and now say something else. */
function wasShownOtherwise(
  path: string,
  { from, to }: Range,
  { file, pool }: { file: CitedFile | null; pool: readonly Heard[] },
): boolean {
  const before = pool.flatMap((each) => shownLines(each, path)).filter(({ at }) => at >= from && at <= to);
  return before.some(({ at, text }) => text.trim() !== (file?.lines[at - 1] ?? "").trim());
}
