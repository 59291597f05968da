export interface SplitOptions {
  /** Size of a piece at most. */
  readonly limit: number;
  /** How a text is measured; default: UTF-16 units. */
  size?(text: string): number;
  /** Closes a code fence at the end of a piece and opens it again in the next; default true. */
  readonly fences?: boolean;
}

const units = (text: string): number => text.length;

/**
 * Parts a text into pieces that fit: after a newline if there is one in the second half of what fits, else at a blank,
 * else hard, never inside a character. Only the white space at a cut is lost. No piece is empty.
 */
export function split(text: string, { limit, size = units, fences = true }: SplitOptions): readonly string[] {
  const pieces: string[] = [];
  let rest = text.toWellFormed().trimEnd();
  let open: string | null = null;
  while (rest.trim() !== "") {
    const prefix: string = open === null ? "" : `${open}\n`;
    const whole = prefix + rest;
    if (size(whole) <= limit) {
      pieces.push(whole);
      break;
    }
    const room = limit - size(prefix) - (fences ? size(CLOSE) : 0);
    const end = cutAt(rest, fitting(rest, room, size));
    const body = rest.slice(0, end).trimEnd();
    rest = afterCut(rest, end, open !== null);
    if (body === "") continue;
    open = fences ? fenceAfter(body, open) : null;
    pieces.push(prefix + body + (open === null ? "" : CLOSE));
  }
  return pieces;
}

const CLOSE = "\n```";

/** How many UTF-16 units from the start fit; at least one character. */
function fitting(text: string, room: number, size: (text: string) => number): number {
  let [low, high] = [0, Math.min(text.length, Math.max(room, 1))];
  if (size(text.slice(0, high)) <= room) low = high;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (size(wellEnded(text, middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const end = wellEnded(text, low).length;
  return end > 0 ? end : String.fromCodePoint(text.codePointAt(0) ?? 32).length;
}

/** The first `end` units without half of a character. */
const wellEnded = (text: string, end: number): string => {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, end - 1) : text.slice(0, end);
};

function cutAt(text: string, end: number): number {
  const newline = text.lastIndexOf("\n", end);
  if (newline >= end / 2) return newline;
  const blank = text.slice(0, end + 1).search(/\s\S*$/);
  if (blank >= end / 2) return blank;
  return end;
}

/** The newline of the cut goes; in code every blank after it stays, for it may be indentation. */
function afterCut(text: string, end: number, inCode: boolean): string {
  const rest = text.slice(end);
  if (rest.startsWith("\n")) return inCode ? rest.slice(1) : rest.replace(/^\n+/, "");
  return inCode ? rest : rest.replace(/^[ \t]+/, "");
}

/** The line that opened the fence that is open after a text; null when none is. */
function fenceAfter(text: string, open: string | null): string | null {
  let now = open;
  for (const line of text.split("\n")) {
    const fence = /^ {0,3}```+[^`]*$/.exec(line);
    if (fence !== null) now = now === null ? line.trim().slice(0, 40) : null;
  }
  return now;
}
