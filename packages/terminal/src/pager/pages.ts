/** A part of what is paged: a message, a call, an output, or a whole text. */
export interface PagerSection {
  /** Stays the same when the text is read anew. */
  readonly id: string;
  /** One line, safe to draw; empty: the text stands alone. */
  readonly title: string;
  /** Who is heard: it decides how the title is painted. */
  readonly kind: "user" | "assistant" | "call" | "result" | "note";
  readonly text: string;
  readonly markdown: boolean;
}

/** A row of a section, both from 0. The title is row 0. */
export interface PagerPlace {
  readonly section: number;
  readonly row: number;
}

/** The rows of a section as they are drawn: never none, the last one empty. */
export type RowsOf = (section: PagerSection) => readonly string[];

/** Moving about in sections whose rows are worked out only where somebody looks. */
export interface Pages {
  readonly sections: readonly PagerSection[];
  readonly rowsOf: RowsOf;
  /** Rows in view. */
  readonly height: number;
}

const countOf = ({ sections, rowsOf }: Pages, section: number): number => {
  const found = sections[section];
  return found === undefined ? 0 : rowsOf(found).length;
};

export const isBefore = (a: PagerPlace, b: PagerPlace): boolean =>
  a.section < b.section || (a.section === b.section && a.row < b.row);

export const START: PagerPlace = Object.freeze({ section: 0, row: 0 });

/** So many rows further, or back; at the most the first or the last row there is. */
export function moved(pages: Pages, from: PagerPlace, by: number): PagerPlace {
  let { section, row } = from;
  row += by;
  while (row < 0 && section > 0) row += countOf(pages, --section);
  for (let count = countOf(pages, section); row >= count; count = countOf(pages, section)) {
    if (section >= pages.sections.length - 1) return { section, row: Math.max(0, count - 1) };
    row -= count;
    section++;
  }
  return { section, row: Math.max(0, row) };
}

/** The place from which the last row is just in view; the empty row at the end is left out. */
export function lastTop(pages: Pages): PagerPlace {
  const section = Math.max(0, pages.sections.length - 1);
  const end = { section, row: Math.max(0, countOf(pages, section) - 1) };
  return moved(pages, end, -pages.height);
}

/** The place itself, or the nearest one that exists and leaves no room below the end. */
export function fitting(pages: Pages, place: PagerPlace): PagerPlace {
  const section = Math.min(place.section, Math.max(0, pages.sections.length - 1));
  const row = section < place.section ? 0 : Math.min(place.row, Math.max(0, countOf(pages, section) - 1));
  const last = lastTop(pages);
  return isBefore(last, { section, row }) ? last : { section, row };
}

/** The row with the letter that began `row` before the text was broken otherwise. */
export function sameRow(row: number, before: readonly string[], now: readonly string[]): number {
  const letters = (text: string) => text.replace(NO_LETTERS, "").length;
  const until = before.slice(0, row).reduce((sum, each) => sum + letters(each), 0);
  let sum = 0;
  for (const [at, each] of now.entries()) {
    sum += letters(each);
    if (sum > until) return at;
  }
  return Math.max(0, now.length - 1);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours count nothing, and blanks come and go at the ends of rows
const NO_LETTERS = /\u001b\[[0-9;:]*m|\s/g;

export interface ShownRow {
  readonly place: PagerPlace;
  readonly text: string;
}

/** The rows in view from a place on. */
export function rowsFrom(pages: Pages, top: PagerPlace): readonly ShownRow[] {
  const shown: ShownRow[] = [];
  for (let { section, row } = top; section < pages.sections.length && shown.length < pages.height; section++, row = 0) {
    const found = pages.sections[section];
    const rows = found === undefined ? [] : pages.rowsOf(found);
    for (; row < rows.length && shown.length < pages.height; row++) {
      shown.push({ place: { section, row }, text: rows[row] ?? "" });
    }
  }
  return shown;
}

/** How much of the text stands above the place, from 0 to 1; by characters, so that nothing has to be laid out for it. */
export function shareAbove(pages: Pages, { section, row }: PagerPlace): number {
  const sizes = pages.sections.map(({ title, text }) => title.length + text.length + 1);
  const sum = (until: number) => sizes.slice(0, until).reduce((total, size) => total + size, 0);
  const total = sum(sizes.length);
  if (total === 0) return 0;
  return (sum(section) + (sizes[section] ?? 0) * (row / Math.max(1, countOf(pages, section)))) / total;
}
