import { isUtf8 } from "node:buffer";
import { checkCancelled } from "@smith/contract/cancel";
import { BOM_BYTES, createHasher, hasBom } from "./text-file.ts";

/** Lines and characters of one page, whichever is spent first. */
export const PAGE_LINES = 2000;
export const PAGE_CHARS = 50_000;
/** Files above this are not hashed. */
export const HASH_MAX_BYTES = 64 << 20;
/** Files are read on to count their lines up to here. */
const COUNT_MAX_BYTES = 1 << 30;

export interface Page {
  readonly lines: readonly string[];
  /** Lines of the whole file; `counted_all` is false when the file was too large to count them all. */
  readonly total: number;
  readonly counted_all: boolean;
  readonly hash: string | null;
  /** Some line shown is not valid UTF-8. */
  readonly lossy: boolean;
  /** Bytes left out of the page's only line, which alone was over the limit. */
  readonly cut_bytes: number;
}

export interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

/** What is read from: an open file, or bytes that are there already. */
export interface PageSource {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

export const bytesSource = (bytes: Buffer): PageSource =>
  Object.freeze({
    read: async (buffer: Buffer, offset: number, length: number, position: number) => ({
      bytesRead: bytes.copy(buffer, offset, position, position + length),
    }),
  });

/** Reads `range` of an open text in one pass that keeps no more than the page in memory. */
export async function readPage(handle: PageSource, range: PageRange, signal: AbortSignal): Promise<Page> {
  const collector = createCollector(range);
  const hasher = createHasher();
  const buffer = Buffer.allocUnsafe(1 << 18);
  let size = 0;
  for (;;) {
    checkCancelled(signal);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size);
    const countedAll = bytesRead === 0;
    if (countedAll || (size >= COUNT_MAX_BYTES && collector.isFull())) {
      const hash = countedAll && size <= HASH_MAX_BYTES ? hasher.hex() : null;
      return { ...collector.finish(), counted_all: countedAll, hash };
    }
    const chunk = buffer.subarray(0, bytesRead);
    if (size <= HASH_MAX_BYTES) hasher.add(chunk);
    collector.take(size === 0 && hasBom(chunk) ? chunk.subarray(BOM_BYTES) : chunk);
    size += bytesRead;
  }
}

/** Cuts chunks into lines, counts them all and keeps those of the page. */
function createCollector({ offset, limit }: PageRange) {
  const lines: string[] = [];
  const pending = createPending();
  let ended = 0;
  let chars = 0;
  let full = false;
  let lossy = false;
  let cutBytes = 0;

  const keep = (hasEnd: boolean): void => {
    const line = pending.text(hasEnd);
    const fits = chars + line.text.length + 1 <= PAGE_CHARS;
    if (!fits && lines.length > 0) {
      full = true;
      return;
    }
    const text = fits ? line.text : headOf(line.text);
    cutBytes = fits ? 0 : Math.max(1, line.bytes - Buffer.byteLength(text)); // undecodable bytes grow when shown
    lines.push(text);
    lossy ||= line.lossy;
    chars += text.length + 1;
    full = lines.length >= limit || !fits;
  };
  const endLine = (hasEnd: boolean): void => {
    ended++;
    if (ended >= offset && !full) keep(hasEnd);
    pending.clear();
  };

  return Object.freeze({
    isFull: () => full,
    take(chunk: Buffer): void {
      let from = 0;
      while (from < chunk.length) {
        const at = chunk.indexOf(0x0a, from);
        const to = at === -1 ? chunk.length : at;
        pending.add(chunk.subarray(from, to), ended + 1 >= offset && !full);
        if (at !== -1) endLine(true);
        from = to + 1;
      }
    },
    finish() {
      if (pending.bytes() > 0) endLine(false);
      return { lines, total: ended, lossy, cut_bytes: cutBytes };
    },
  });
}

/** The line being read: its bytes as far as a page could show them, and how many there were. */
function createPending() {
  const maxKept = PAGE_CHARS * 4;
  let pieces: Buffer[] = [];
  let kept = 0;
  let bytes = 0;
  return Object.freeze({
    bytes: () => bytes,
    add(piece: Buffer, wanted: boolean): void {
      bytes += piece.length;
      if (!wanted || kept >= maxKept) return;
      const copy = Buffer.from(piece.subarray(0, maxKept - kept)); // the read buffer is used again
      pieces.push(copy);
      kept += copy.length;
    },
    text(hasEnd: boolean): { text: string; bytes: number; lossy: boolean } {
      const whole = Buffer.concat(pieces);
      const body = hasEnd && kept === bytes && whole.at(-1) === 0x0d ? whole.subarray(0, -1) : whole;
      const lossy = !isUtf8(kept === bytes ? body : body.subarray(0, lastWholeChar(body)));
      return { text: body.toString("utf8"), bytes: bytes - (whole.length - body.length), lossy };
    },
    clear(): void {
      pieces = [];
      kept = 0;
      bytes = 0;
    },
  });
}

/** Where the last UTF-8 character of the bytes begins: a cut may have halved it. */
function lastWholeChar(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return Math.max(at, 0);
}

const headOf = (text: string): string => {
  const end = PAGE_CHARS - 1;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return text.slice(0, splitsPair ? end - 1 : end);
};
