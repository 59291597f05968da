import { refusal } from "../fault.ts";
import { createHitCollector, FILE_MAX_HITS, type HitCollector, type Hits } from "./hits.ts";
import { RECORD_MAX_BYTES, type RipgrepEnd, runRipgrep, type Search } from "./ripgrep.ts";

export interface GrepOrder {
  readonly pattern: string;
  readonly ignore_case: boolean;
  readonly literal: boolean;
  /** Lines shown before and after each hit. */
  readonly context: number;
  readonly max_results: number;
}

export interface Grep extends Hits {
  /** Files searched; null when it is not known. */
  readonly searched: number | null;
  /** What the model should know besides the hits, a sentence each. */
  readonly notes: readonly string[];
}

/** Text that may be no UTF-8, as ripgrep tells it. */
type RgText = { readonly text: string } | { readonly bytes: string };

type RgMessage =
  | { readonly type: "begin"; readonly data: { readonly path: RgText } }
  | { readonly type: "match" | "context"; readonly data: RgLine }
  | { readonly type: "end"; readonly data: { readonly binary_offset: number | null } }
  | { readonly type: "summary"; readonly data: { readonly stats: { readonly searches: number } } };

interface RgLine {
  readonly lines: RgText;
  readonly line_number: number;
  readonly submatches: readonly { readonly start: number }[];
}

/**
 * Searches with ripgrep; null when there is none.
 * @throws {AgentError} `bad_pattern` with ripgrep's words; `cancelled`.
 */
export async function grepWithRipgrep(search: Search, order: GrepOrder): Promise<Grep | null> {
  const collector = createHitCollector(order.max_results);
  let searched: number | null = null;
  const end = await runRipgrep(search, {
    args: argsOf(order),
    separator: 0x0a,
    take(record) {
      const message = parse(record);
      if (message.type === "summary") searched = message.data.stats.searches;
      else collect(message, collector);
      return !collector.isFull();
    },
  });
  if (end === null) return null;
  if (end.exit_code === 2 && searched === null) throw badPattern(end.errors.join("\n"));
  const hits = collector.hits();
  const is_whole = hits.is_whole && !search.late.aborted;
  return { ...hits, is_whole, searched, notes: notesOf(end, search) };
}

/** The pattern is the value of an option: whatever it begins with, it is no option itself. */
const argsOf = ({ pattern, ignore_case, literal, context }: GrepOrder): readonly string[] => [
  "--json",
  "--crlf",
  `--max-count=${FILE_MAX_HITS}`,
  ...(context > 0 ? [`--context=${context}`] : []),
  ...(ignore_case ? ["--ignore-case"] : []),
  ...(literal ? ["--fixed-strings"] : []),
  `--regexp=${pattern}`,
];

function parse(record: Buffer): RgMessage {
  if (record.length < RECORD_MAX_BYTES) return JSON.parse(record.toString("utf8")) as RgMessage;
  // Its middle is missing; the number of the line comes after the text.
  const number = /"line_number":(\d+),"absolute_offset"/.exec(record.toString("latin1", RECORD_MAX_BYTES - 4096));
  const type = record.toString("latin1", 0, 20).startsWith('{"type":"match"') ? "match" : "context";
  const lines = { text: "[this line is too long to show]" };
  return { type, data: { lines, line_number: Number(number?.[1] ?? 0), submatches: [] } };
}

function collect(message: Exclude<RgMessage, { type: "summary" }>, collector: HitCollector): void {
  if (message.type === "begin") collector.begin(textOf(message.data.path).replace(/^\.\//, ""));
  else if (message.type === "end") collector.end(message.data.binary_offset !== null);
  else collectLine(message.data, message.type === "match", collector);
}

function collectLine({ lines, line_number, submatches }: RgLine, isHit: boolean, collector: HitCollector): void {
  const text = textOf(lines).replace(/\r?\n$/, "");
  collector.line(line_number, text, isHit ? startOf(lines, submatches[0]?.start ?? 0) : null);
}

const textOf = (given: RgText): string =>
  "text" in given ? given.text : Buffer.from(given.bytes, "base64").toString("utf8");

/** Where a byte offset is in the decoded text. */
function startOf(given: RgText, bytes: number): number {
  if (bytes === 0) return 0;
  const raw = "text" in given ? Buffer.from(given.text, "utf8") : Buffer.from(given.bytes, "base64");
  return raw.toString("utf8", 0, bytes).length;
}

/** ripgrep's complaint without the advice about its own options, which the model can't give. */
export function badPattern(complaint: string): Error {
  const words = complaint.split("\n\n")[0]?.slice(0, 1000).trim();
  const mend = complaint.includes('"\\n"')
    ? "The search goes line by line: look for what stands on one line."
    : "Mend it, or pass literal: true to search for it as it is.";
  return refusal("bad_pattern", `The pattern is no regular expression that can be searched for. ${mend}\n${words}`);
}

function notesOf(end: RipgrepEnd, { late }: Search): readonly string[] {
  const notes: string[] = [];
  if (late.aborted) notes.push("time ran out: these are the hits so far; narrow the search with path or glob");
  const [first] = end.errors;
  if (first !== undefined) notes.push(`${end.errors.length} paths could not be read, as ${first.slice(0, 300)}`);
  return notes;
}
