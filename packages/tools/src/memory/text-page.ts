/** Characters of one page. Longer limits are cut to it. */
export const PAGE_CHARS = 20_000;
/** Room for the line that names the next page. */
export const HINT_CHARS = 200;

/**
 * A part of a text and, where more follows, a line that says how to go on. A text that fits comes as it is, to the unit.
 * No page ends in half a surrogate pair, so that pages joined are the text again.
 */
export function pageOf(text: string, { offset, limit }: { offset: number; limit: number }): string {
  if (offset > 0 && offset >= text.length) {
    return `[offset ${offset} is past the end: there are ${text.length} characters]`;
  }
  const end = wholeEnd(text, offset, offset + Math.min(limit, PAGE_CHARS));
  const part = text.slice(offset, end);
  if (end >= text.length) return part;
  return `${part}\n[characters ${offset}-${end - 1} of ${text.length}; continue with offset ${end}]`;
}

/** Where the page ends: one character earlier when it would cut a pair in two, or later when that were no page at all. */
function wholeEnd(text: string, offset: number, end: number): number {
  const cutsPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(end - 1, end + 1));
  if (!cutsPair) return end;
  return end - 1 > offset ? end - 1 : end + 1;
}
