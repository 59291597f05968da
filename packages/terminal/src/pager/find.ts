import { moved, type PagerPlace, type Pages } from "./pages.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out
const COLOUR = /\u001b\[[0-9;:]*m/g;

/** A row without its colours. */
export const plainOf = (row: string): string => row.replace(COLOUR, "");

/** Capitals in what is looked for are meant; without any it is found in either case. */
const foldFor = (pattern: string): ((text: string) => string) =>
  pattern === pattern.toLowerCase() ? (text) => text.toLowerCase() : (text) => text;

/** Where in a text without colours the pattern stands. */
export function hitsIn(text: string, pattern: string): readonly number[] {
  const fold = foldFor(pattern);
  const [where, what] = [fold(text), fold(pattern)];
  const found: number[] = [];
  if (what === "" || where.length !== text.length) return found; // a letter that folds to two has no place of its own
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + what.length)) found.push(at);
  return found;
}

export interface Found {
  readonly place: PagerPlace;
  /** It stands on the other side of the place that was searched from. */
  readonly wrapped: boolean;
}

/**
 * The next row that holds the text, or the last one before the place; round the end where there is none. Null: none holds it.
 * Sections whose text lacks it are not laid out.
 */
export function findRow(pages: Pages, pattern: string, from: PagerPlace, step: 1 | -1): Found | null {
  const count = pages.sections.length;
  if (pattern === "" || count === 0) return null;
  const beyond = (row: number) => (step === 1 ? row > from.row : row < from.row);
  for (let n = 0; n <= count; n++) {
    const section = (((from.section + step * n) % count) + count) % count;
    const rows = rowsWith(pages, section, pattern).filter((row) => n > 0 || beyond(row));
    const row = step === 1 ? rows[0] : rows.at(-1);
    if (row === undefined) continue;
    const wrapped = n === count || (step === 1 ? section < from.section : section > from.section);
    return { place: { section, row }, wrapped };
  }
  return null;
}

/** The rows of a section that hold the text, those too at whose end it only begins. */
function rowsWith({ sections, rowsOf }: Pages, at: number, pattern: string): readonly number[] {
  const section = sections[at];
  const fold = foldFor(pattern);
  const what = fold(pattern);
  if (section === undefined || !holds(section, fold, what)) return [];
  const rows = rowsOf(section).map((row) => fold(plainOf(row)));
  return rows.flatMap((row, index) => (row.includes(what) || beginsAtEnd(rows, index, what) ? [index] : []));
}

/** Marks of Markdown may stand between the letters in the source: only what has all its words is looked at closely. */
const holds = (section: { title: string; text: string }, fold: (text: string) => string, what: string): boolean => {
  const source = `${fold(section.title)}\n${fold(section.text)}`;
  return what.split(/\s+/).every((word) => source.includes(word));
};

function beginsAtEnd(rows: readonly string[], index: number, what: string): boolean {
  const next = rows[index + 1]?.trimStart();
  if (next === undefined || next.includes(what)) return false;
  const row = rows[index]?.trimEnd() ?? "";
  return `${row} ${next}`.includes(what) || `${row}${next}`.includes(what);
}

/** The place to look at a row from: a few rows of what stands before it stay in view. */
export const topFor = (pages: Pages, place: PagerPlace): PagerPlace =>
  moved(pages, place, -Math.min(3, Math.floor(pages.height / 4)));
