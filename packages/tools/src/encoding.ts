import { isUtf8 } from "node:buffer";
import { BOM_BYTES, hasBom, looksBinary } from "./text-file.ts";

/** How a file holds its text. `unknown`: bytes that are no UTF-8, of some older encoding that nothing in the file names. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "unknown";

/** A text as UTF-8 without its byte order mark, and the way back to the bytes of its file. */
export interface Decoded {
  readonly encoding: Encoding;
  readonly body: Buffer;
  encode(body: Buffer): Buffer;
}

/** The encoding that a byte order mark at the beginning names; null without one of UTF-16. */
export function markOf(head: Uint8Array): "utf-16le" | "utf-16be" | null {
  const [a, b, c, d] = head;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? null : "utf-16le"; // with two NUL it would be UTF-32
  return a === 0xfe && b === 0xff ? "utf-16be" : null;
}

/** Null for what is no text: NUL bytes, or UTF-16 that would not come back as it was. */
export function decode(bytes: Buffer): Decoded | null {
  const mark = markOf(bytes);
  if (mark !== null) return decode16(bytes, mark);
  if (looksBinary(bytes)) return null;
  const markBytes = hasBom(bytes) ? BOM_BYTES : 0;
  const head = bytes.subarray(0, markBytes);
  const original = bytes.subarray(markBytes);
  return {
    encoding: isUtf8(bytes) ? "utf-8" : "unknown",
    body: original,
    encode: (body) => Buffer.concat([head, markBytes > 0 ? withoutNewMark(body, original) : body]),
  };
}

/** A text that brings a mark of its own to a file that has one does not double it. */
const withoutNewMark = (body: Buffer, original: Buffer): Buffer =>
  hasBom(body) && !hasBom(original) ? body.subarray(BOM_BYTES) : body;

const MARK_16 = "\ufeff";

function decode16(bytes: Buffer, encoding: "utf-16le" | "utf-16be"): Decoded | null {
  if (bytes.length % 2 === 1) return null;
  const text = turned(bytes, encoding).toString("utf16le");
  if (!text.isWellFormed()) return null;
  const original = Buffer.from(text.slice(MARK_16.length), "utf8");
  return {
    encoding,
    body: original,
    encode: (body) =>
      turned(Buffer.from(MARK_16 + withoutNewMark(body, original).toString("utf8"), "utf16le"), encoding),
  };
}

const turned = (bytes: Buffer, encoding: "utf-16le" | "utf-16be"): Buffer =>
  encoding === "utf-16be" ? Buffer.from(bytes).swap16() : bytes;

/** What a file that is no text looks like, for a message: `binary (it holds NUL bytes)`. */
export function whyBinary(head: Uint8Array): string {
  if (markOf(head) !== null) return "binary: it begins with the mark of UTF-16, but is damaged";
  const [a, b, c, d] = head;
  if (a === 0xff && b === 0xfe && c === 0 && d === 0)
    return "UTF-32, which is not read here: iconv turns it into UTF-8";
  const guess = unmarked16(head);
  return guess === null ? "binary (it holds NUL bytes)" : `binary, or ${guess} without its byte order mark`;
}

/** In UTF-16 of mostly ASCII every second byte is NUL and no other. */
function unmarked16(head: Uint8Array): "UTF-16LE" | "UTF-16BE" | null {
  const nul = (first: number) => head.filter((byte, at) => at % 2 === first && byte === 0).length;
  const [even, odd] = [nul(0), nul(1)];
  const most = head.length * 0.4;
  if (head.length < 4) return null;
  if (even === 0 && odd > most) return "UTF-16LE";
  return odd === 0 && even > most ? "UTF-16BE" : null;
}
