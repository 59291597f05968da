import { fromByteText, splitLines, toUnixEnds, withoutEnd } from "./text-file.ts";

/** Longer texts are not searched for what resembles: the help must not cost more than a read. */
const MAX_CHARS = 8 << 20;
const SHOWN_CHARS = 80;
const PLACES_TOLD = 5;

/** One way in which a text can differ though it was meant: both sides are brought to one form, line by line. */
interface Forgiving {
  readonly differs_in: string;
  forgive(line: string): string;
}

const squeezed = (line: string): string => line.replace(/\s+/g, " ").trim();
const typed = (line: string): string =>
  line
    .normalize("NFKC")
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c-\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, "");

const WAYS: readonly Forgiving[] = [
  { differs_in: "white space", forgive: squeezed },
  { differs_in: "quotes, dashes or the form of letters", forgive: (line) => squeezed(typed(line)) },
  { differs_in: "upper and lower case", forgive: (line) => squeezed(line).toLowerCase() },
  { differs_in: "escapes", forgive: (line) => squeezed(line.replace(/\\(["'`\\])/g, "$1")) },
];

/**
 * What a text that is not in the file may have meant: one sentence, with a line number where there is one.
 * @param body byte text, whatever its line ends; `wanted` as it was sent
 */
export function nearMiss(body: string, wanted: string): string {
  const lines = body.length > MAX_CHARS ? [] : splitLines(fromByteText(body)).map(withoutEnd);
  const sought = withoutBlankEnds(toUnixEnds(wanted).split("\n"));
  if (sought.length === 0) return "It is nothing but white space.";
  if (sought.some((line) => line.includes("\ufffd"))) {
    return "U+FFFD stands for bytes that are no UTF-8: edit these lines by number (op).";
  }
  const bare = sought.map((line) => line.replace(/^ *\d+│/, ""));
  if (sought.every((line) => /^ *\d+│/.test(line))) {
    const at = findLines(lines, bare, (line) => line);
    if (at !== -1) return `Without the line numbers of read it is at line ${at + 1}: leave them out.`;
  }
  return differing(lines, sought) ?? literalBreaks(lines, wanted) ?? beginning(lines, sought) ?? NO_TRACE;
}

const NO_TRACE = "Read it again and copy the text exactly.";

function differing(lines: readonly string[], sought: readonly string[]): string | null {
  for (const { differs_in, forgive } of WAYS) {
    const at = findLines(lines, sought, forgive);
    if (at === -1) continue;
    const off = sought.findIndex((line, i) => lines[at + i] !== line);
    // Where each line is as it should be, it is the ends of the text that are not.
    if (off === -1) continue;
    const [there, sent] = [quoted(lines[at + off] ?? ""), quoted(sought[off] ?? "")];
    return `It differs in ${differs_in} at line ${at + off + 1}: the file has ${there}, old_string ${sent}.`;
  }
  return null;
}

/** `\n` sent as two characters. */
function literalBreaks(lines: readonly string[], wanted: string): string | null {
  if (!/\\[nt]/.test(wanted)) return null;
  const meant = wanted.replaceAll("\\n", "\n").replaceAll("\\t", "\t");
  const at = findLines(lines, withoutBlankEnds(meant.split("\n")), (line) => line);
  return at === -1
    ? null
    : `It is at line ${at + 1} with real line ends and tabs: it was sent with \\n or \\t as two characters.`;
}

/** How far the text is there, where it begins. */
function beginning(lines: readonly string[], sought: readonly string[]): string | null {
  const first = squeezed(sought[0] ?? "");
  if (first.length < 3) return null;
  const starts = lines.flatMap((line, at) => (squeezed(line) === first ? [at] : []));
  const [best] = starts.map((at) => ({ at, same: sameLines(lines, at, sought) })).sort((a, b) => b.same - a.same);
  if (best === undefined) return null;
  const { at, same } = best;
  const [there, sent] = [lines[at + same], sought[same] ?? ""];
  const has = there === undefined ? "ends there" : `has ${quoted(there)}`;
  return `It begins at line ${at + 1}, but differs from line ${at + same + 1} on: the file ${has}, old_string ${quoted(sent)}.`;
}

function sameLines(lines: readonly string[], at: number, sought: readonly string[]): number {
  const differs = sought.findIndex((line, i) => squeezed(lines[at + i] ?? "\0") !== squeezed(line));
  return differs === -1 ? sought.length : differs;
}

/** The index of the first line of the only or first such place; -1 = none. A part of a line counts where one is sought. */
function findLines(lines: readonly string[], sought: readonly string[], form: (line: string) => string): number {
  const wanted = sought.map(form);
  const [first = ""] = wanted;
  if (first === "") return -1;
  const formed = lines.map(form);
  return formed.findIndex((line, at) =>
    wanted.length === 1
      ? line.includes(first)
      : wanted.every((each, i) => matches(formed[at + i], each, i, wanted.length)),
  );
}

/** The first line of a text may be the end of one in the file, and the last the beginning. */
function matches(line: string | undefined, wanted: string, at: number, count: number): boolean {
  if (line === undefined) return false;
  if (at === 0) return line.endsWith(wanted);
  return at === count - 1 ? line.startsWith(wanted) : line === wanted;
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => line.trim() !== "");
  const to = lines.findLastIndex((line) => line.trim() !== "");
  return from === -1 ? [] : lines.slice(from, to + 1);
}

const quoted = (text: string): string =>
  JSON.stringify(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS).toWellFormed()}…` : text);

/** `the 3 places begin at lines 1, 4 and 9`; of many the first five. */
export function placesOf(numbers: readonly number[]): string {
  const told = numbers.slice(0, PLACES_TOLD);
  const rest = numbers.length - told.length;
  const list = rest > 0 ? `${told.join(", ")} and ${rest} more` : `${told.slice(0, -1).join(", ")} and ${told.at(-1)}`;
  return `the ${numbers.length} places begin at lines ${list}`;
}
