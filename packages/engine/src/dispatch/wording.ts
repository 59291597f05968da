/*
 * When is a cited text the same as a shown one? White space does not count, nor do the gutters that tools put before a
 * line, nor comment leaders that a re-wrapped quote leaves out. Everything else does.
 */

/** One text in the ways it may be cited. */
export interface Wording {
  /** As running text. */
  readonly texts: readonly string[];
  /** As lines between line ends; empty ones are left out. */
  readonly lined: readonly string[];
}

const SPACED_MARK = / ?([^\p{L}\p{N}_ ]) ?/gu;

/** White space collapsed, and gone where it parts no two words; typographic quotes made plain. */
const plain = (text: string): string =>
  text
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s+/g, " ")
    .replace(SPACED_MARK, "$1")
    .replace(/,(?=[)\]}])/g, "") // a list that is put on one line loses its last comma
    .trim();

/** What tools put before a line: `  12│`, `src/a.ts:12:`, `src/a.ts-12-`, `12:`, `12<tab>`, blame. */
const GUTTERS: readonly RegExp[] = [
  /^\s*\d+│/,
  /^\^?[0-9a-f]{7,40}\s.*?\d+\)\s?/,
  /^(?:[A-Za-z]:)?[^\s:]*[^\s:\d][:-]\d+[:-](?:\d+:)?/,
  /^\s*\d+[:\t|-]/,
  /^[\w@./\\+-]+\.\w+:/,
];
const COMMENT = /^\s*(?:\/\/+|\/\*+|\*+\/?|#+|--|;+|>)\s?/;
const DIFF = /^[+-]/;

const withoutGutter = (line: string): string => {
  const gutter = GUTTERS.find((each) => each.test(line));
  return gutter === undefined ? line : line.replace(gutter, "");
};

const STRIPS: readonly ((line: string) => string)[] = [
  (line) => line,
  withoutGutter,
  (line) => line.replace(DIFF, ""),
  (line) => withoutGutter(line).replace(COMMENT, ""),
];

export function wordingOf(text: string): Wording {
  const lines = text.split(/\r?\n/);
  const ways = [...new Set(STRIPS.map((strip) => lines.map(strip).join("\n")))];
  return { texts: ways.map(plain), lined: ways.map((way) => joined(way.split("\n"))) };
}

const joined = (lines: readonly string[]): string =>
  `\n${lines
    .map(plain)
    .filter((line) => line !== "")
    .join("\n")}\n`;

/** Characters of a line that a tool may have cut. */
const LONG_LINE = 160;

/** Whether these lines stand in the text, as lines. */
export function hasLines(lines: readonly string[], { lined, texts }: Wording): boolean {
  const wanted = joined(lines);
  if (lined.some((each) => each.includes(wanted))) return true;
  const [only, ...more] = lines.map(plain).filter((line) => line !== "");
  if (only === undefined || more.length > 0 || only.length <= LONG_LINE) return false;
  return texts.some((each) => each.includes(only.slice(0, LONG_LINE)));
}

/** Whether the quote stands in the text; where it has an ellipsis, whether its parts do, in order. */
export function hasQuote(quote: string, { texts }: Wording): boolean {
  const ways = wordingOf(unquoted(quote)).texts;
  if (ways.some((way) => texts.some((text) => indexOf(way, text, 0) >= 0))) return true;
  const parts = unquoted(quote)
    .split(/…|\[\.\.\.\]|(?<=\s|^)\.{3}(?=\s|$)|\n\s*\.{3}\s*\n|\.{3}$/)
    .map(plain)
    .filter((part) => part !== "");
  return (
    parts.join("") !== plain(unquoted(quote)) && parts.every(isTelling) && texts.some((text) => hasInOrder(parts, text))
  );
}

function hasInOrder(parts: readonly string[], text: string): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}

const isDigit = (char: string | undefined): boolean => char !== undefined && /\d/.test(char);

/** Where it stands, not in the middle of a number: `line 5` is not in `line 50`. */
function indexOf(wanted: string, text: string, from: number): number {
  if (wanted === "") return -1;
  for (let at = text.indexOf(wanted, from); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    const cutsBefore = isDigit(wanted[0]) && isDigit(text[at - 1]);
    const cutsAfter = isDigit(wanted.at(-1)) && isDigit(text[end]);
    if (!cutsBefore && !cutsAfter) return at;
  }
  return -1;
}

/** The quote without the marks people put around one. */
const unquoted = (quote: string): string =>
  quote
    .trim()
    .replace(/^(`+|"|'|“|‘)([\s\S]*?)(`+|"|'|”|’)$/, (whole, open: string, inner: string, close: string) =>
      isPair(open, close) && !inner.includes(close) ? inner : whole,
    );

const isPair = (open: string, close: string): boolean =>
  open === close || (open === "“" && close === "”") || (open === "‘" && close === "’");

/** Enough to tell it from any other text: a bracket alone stands everywhere. */
export const isTelling = (text: string): boolean => (text.match(/[\p{L}\p{N}]/gu) ?? []).length >= 3;
