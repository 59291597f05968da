/*
 * What a content search found, kept in bounded memory whichever engine found it.
 */

/** Matching lines counted in one file, and in all. */
export const FILE_MAX_HITS = 5000;
const MAX_HITS = 50_000;
const MAX_KEPT_CHARS = 16 << 20;
/** Characters of a line that are shown, and how many of them stand before the hit. */
const LINE_CHARS = 300;
const LEAD_CHARS = 100;

export interface HitLine {
  readonly number: number;
  readonly text: string;
  /** False for a line of context. */
  readonly is_hit: boolean;
}

export interface FileHits {
  /** Relative to the scope's folder. */
  readonly path: string;
  /** Matching lines, also those that `lines` has no room for. */
  readonly hits: number;
  readonly lines: readonly HitLine[];
}

export interface Hits {
  readonly files: readonly FileHits[];
  readonly total: number;
  /** False when the search stopped before its end: there are more. */
  readonly is_whole: boolean;
}

export interface HitCollector {
  begin(path: string): void;
  /** A line of the file begun; `at` is where the first hit in it starts (UTF-16 units), null for context. */
  line(number: number, text: string, at: number | null): void;
  /** Ends the file; what was found in a binary one is dropped. */
  end(isBinary: boolean): void;
  /** Nothing more is wanted. */
  isFull(): boolean;
  hits(): Hits;
}

/** `maxKept`: matching lines kept of each file. */
export function createHitCollector(maxKept: number): HitCollector {
  const files: FileHits[] = [];
  let open: { path: string; hits: number; lines: HitLine[] } | null = null;
  let total = 0;
  let chars = 0;
  let isCapped = false;
  const end = (isBinary: boolean): void => {
    if (open !== null && open.hits > 0 && !isBinary) {
      files.push(open);
      total += open.hits;
      isCapped ||= open.hits >= FILE_MAX_HITS;
    }
    open = null;
  };
  const isFull = () => total + (open?.hits ?? 0) >= MAX_HITS || chars >= MAX_KEPT_CHARS;
  return Object.freeze({
    begin(path: string): void {
      end(false);
      open = { path, hits: 0, lines: [] };
    },
    line(number: number, text: string, at: number | null): void {
      if (open === null) return;
      if (at !== null) open.hits++;
      if (open.hits > maxKept) return;
      const cut = cutAround(text, at ?? 0);
      chars += cut.length;
      open.lines.push({ number, text: cut, is_hit: at !== null });
    },
    end,
    isFull,
    hits(): Hits {
      const wasFull = isFull();
      end(false);
      return { files, total, is_whole: !wasFull && !isCapped };
    },
  });
}

/** The line, or 300 characters of it with the hit among them. */
export function cutAround(text: string, at: number): string {
  if (text.length <= LINE_CHARS) return text;
  const start = Math.max(0, Math.min(at - LEAD_CHARS, text.length - LINE_CHARS));
  const end = start + LINE_CHARS;
  // A copy without halves of surrogate pairs: a slice would keep the whole line in memory.
  const middle = Buffer.from(text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")).toString();
  return `${start > 0 ? "…" : ""}${middle}${end < text.length ? "…" : ""}`;
}
