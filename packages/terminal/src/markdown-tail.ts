/** The part of a streamed text that is not drawn yet, and when it is worth a look whether some of it can be. */
export interface MarkdownTail {
  /** Takes a line without its end; true when blocks may be finished after it. */
  add(line: string): boolean;
  text(): string;
  /** Told after a look what is left. */
  keep(rest: string): void;
}

/** Lines after which a look is taken anyway: long lists and tables are drawn in pieces. */
export const LONG_BLOCK_LINES = 200;
/** Characters above which a look that found nothing must be paid for by growth, so that all looks cost what one does. */
const CHEAP = 8 * 1024;
const GROWTH = 9 / 8;

/**
 * Says cheaply where a lexer would find blocks to be finished, from nothing but the lines, so that how a text was cut
 * into pieces can't change what is drawn. It may say so too often or too late, never wrongly: the lexer decides.
 */
export function createMarkdownTail(): MarkdownTail {
  let source = "";
  /** What the first line begins: another kind further down shows that the first block is over. */
  let head: Kind | null = null;
  let fence: string | null = null;
  let blankBefore = true;
  let lines = 0;
  let barren = 0;

  /** Whether the line ends a block by what it is. */
  const ends = (line: string): boolean => {
    const blank = line.trim() === "";
    const wasBlank = blankBefore;
    blankBefore = blank;
    if (fence !== null) return closes(fence, line);
    if (blank) return !wasBlank;
    const kind = kindOf(line);
    const another = head !== null && kind !== "text" && kind !== head;
    return (wasBlank && /^ ?\S/.test(line)) || another || STANDS_ALONE.test(line);
  };

  return Object.freeze({
    add(line: string) {
      source += `${line}\n`;
      lines += 1;
      const ended = ends(line);
      if (fence !== null) fence = ended ? null : fence;
      else fence = openedBy(line);
      head ??= headOf(line);
      const due = lines >= LONG_BLOCK_LINES || ended;
      return due && (source.length < CHEAP || source.length >= barren * GROWTH);
    },
    text: () => source,
    keep(rest: string) {
      barren = rest.length < source.length ? 0 : source.length;
      source = rest;
      head = headOf(rest);
      lines = 0;
    },
  });
}

type Kind = "list" | "quote" | "fence" | "table" | "text";

/** What a line at the left edge begins. */
function kindOf(line: string): Kind {
  if (/^ ?(?:[-*+]|\d{1,9}[.)])\s/.test(line)) return "list";
  if (line.startsWith(">")) return "quote";
  if (/^(?:`{3}|~{3})/.test(line)) return "fence";
  return /^ *\|? *:?-+[-:| ]*$/.test(line) && line.includes("|") ? "table" : "text";
}

const headOf = (source: string): Kind | null => {
  const first = /^[ \t]*\S.*/m.exec(source)?.[0];
  return first === undefined ? null : kindOf(first);
};

/** Headings and rules: complete with their line. */
const STANDS_ALONE = /^ {0,3}(?:#{1,6}(?:\s|$)|(?:\*\s*){3,}$|(?:-\s*){3,}$|(?:_\s*){3,}$|=+\s*$)/;
const MARKERS = /^(?:\s|[-*+](?=\s)|\d{1,9}[.)](?=\s)|>)*/;

/** The marks of the code fence that a line opens, in a list or quote too. */
const openedBy = (line: string): string | null =>
  /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line.replace(MARKERS, ""))?.slice(1).find(Boolean) ?? null;

function closes(fence: string, line: string): boolean {
  const marks = line.replace(MARKERS, "").trim();
  return marks.length >= fence.length && marks.replaceAll(fence.charAt(0), "") === "";
}
