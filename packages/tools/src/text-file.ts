import { createHash } from "node:crypto";

const HASH_DIGITS = 16;

/** SHA-256 of the bytes, first 16 hex digits. */
export const hashBytes = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, HASH_DIGITS);

/** SHA-256 of the text as UTF-8, first 16 hex digits. */
export const hashText = (text: string): string => hashBytes(Buffer.from(text, "utf8"));

/** The hash of bytes that come in pieces. */
export function createHasher() {
  const hash = createHash("sha256");
  return Object.freeze({
    add: (bytes: Uint8Array): void => void hash.update(bytes),
    hex: (): string => hash.digest("hex").slice(0, HASH_DIGITS),
  });
}

/** Bytes looked at to tell text from binary. */
export const SNIFF_BYTES = 8192;

export const looksBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, SNIFF_BYTES).includes(0);

export const BOM_BYTES = 3;

export const hasBom = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/*
 * Edits work on "byte text": a string with one character a byte (latin1). UTF-8 can be searched and cut at line ends in
 * that form, and bytes that are no UTF-8 come out as they went in.
 */
export const byteText = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
export const fromByteText = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");

export type LineEnd = "\n" | "\r\n";

/** The lines with their ends; the last may have none. A final line end makes no further line; no text, no lines. */
export const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

export const endOf = (line: string): LineEnd | "" => {
  if (!line.endsWith("\n")) return "";
  return line.endsWith("\r\n") ? "\r\n" : "\n";
};

export const withoutEnd = (line: string): string => line.slice(0, line.length - endOf(line).length);

/** The line end that most lines have; undefined where no line has one. */
export function dominantEnd(text: string): LineEnd | undefined {
  const all = text.split("\n").length - 1;
  if (all === 0) return undefined;
  const windows = text.split("\r\n").length - 1;
  return windows * 2 > all ? "\r\n" : "\n";
}

export const toUnixEnds = (text: string): string => text.replaceAll("\r\n", "\n");

/** Lines as the model sees them: `  12│text`, numbered from `first`, the numbers right-aligned. */
export function numberLines(lines: readonly string[], first: number): string {
  const width = Math.max(4, String(first + lines.length - 1).length);
  return lines.map((line, i) => `${String(first + i).padStart(width)}│${line}`).join("\n");
}
