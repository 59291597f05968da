/**
 * What a reader takes for characters, each whole: a letter with its marks, a joined emoji, a flag. Their sum is the text.
 * Ordinary letters are parted without the segmenter, which takes some 10 µs a character.
 */
export function graphemes(text: string): readonly string[] {
  if (PLAIN.test(text)) return text.split("");
  const found: string[] = [];
  const segmenter = new Intl.Segmenter();
  for (const { 0: run } of text.matchAll(RUNS)) {
    if (PLAIN.test(run)) found.push(...run.split(""));
    else for (const { segment } of segmenter.segment(run)) found.push(segment);
  }
  return found;
}

/** Letters that never join with one another: ASCII, Latin, Greek, Cyrillic, kana, Han, Hangul syllables. */
const LETTER =
  "\\t\\n -~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0370-\\u0482\\u048a-\\u052f\\u2010-\\u2015\\u2018-\\u201f\\u3001-\\u3029\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3";
const PLAIN = new RegExp(`^[${LETTER}]*$`);
/** Plain letters that no other character follows, or others with the letter before them. */
const RUNS = new RegExp(`[${LETTER}]+(?![^${LETTER}])|[${LETTER}]?[^${LETTER}]+`, "g");

/** Where the line around `at` begins and ends, without its line end. */
export function lineAround(text: string, at: number): { readonly start: number; readonly end: number } {
  const end = text.indexOf("\n", at);
  return { start: at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1, end: end < 0 ? text.length : end };
}

/** The nearest boundary between characters at `at` or behind it. */
export function snap(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const { start, end } = lineAround(text, at);
  let place = start;
  for (const each of graphemes(text.slice(start, end))) {
    if (place >= at) break;
    place += each.length;
  }
  return Math.max(place, at);
}

/** The boundary before `at`, which is one; 0 at the beginning. */
export function charBefore(text: string, at: number): number {
  const { start } = lineAround(text, at);
  if (at <= start) return Math.max(0, at - 1); // over the line end
  return at - (graphemes(text.slice(start, at)).at(-1)?.length ?? 0);
}

/** The boundary behind `at`, which is one; the length at the end. */
export function charAfter(text: string, at: number): number {
  const { end } = lineAround(text, at);
  if (at >= end) return Math.min(text.length, at + 1);
  return at + (graphemes(text.slice(at, end))[0]?.length ?? 0);
}

/** Where the word before `at` begins, over what stands between; `blank`: words are parted by blanks only. */
export function wordBefore(text: string, at: number, blank = false): number {
  const isWord = blank ? isSolid : isWordChar;
  let place = at;
  while (place > 0 && !isWord(charEndingAt(text, place))) place -= charEndingAt(text, place).length;
  while (place > 0 && isWord(charEndingAt(text, place))) place -= charEndingAt(text, place).length;
  return snap(text, place);
}

/** Where the word at or behind `at` ends. */
export function wordAfter(text: string, at: number): number {
  let place = at;
  while (place < text.length && !isWordChar(charAt(text, place))) place += charAt(text, place).length;
  while (place < text.length && isWordChar(charAt(text, place))) place += charAt(text, place).length;
  return snap(text, place);
}

const isSolid = (char: string): boolean => !/\s/.test(char);
/** A held paste counts as a word. */
const isWordChar = (char: string): boolean => /[\p{L}\p{N}\p{M}_\u{100000}-\u{10fffd}]/u.test(char);
const charAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0);

function charEndingAt(text: string, end: number): string {
  const pair = text.codePointAt(end - 2);
  return pair !== undefined && pair > 0xffff ? String.fromCodePoint(pair) : (text[end - 1] ?? "");
}
