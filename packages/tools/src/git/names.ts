import { printable } from "../fault.ts";

/*
 * git writes a name with a quote, backslash or control character in it as a C string. A path is copied from what is shown:
 * it is shown as it is. Lines of files are left alone.
 */

const QUOTED = /"(?:[^"\\]|\\.)*\\.(?:[^"\\]|\\.)*"/g;
const HEADS = /^(diff --(git|cc|combined) |--- |\+\+\+ |rename (from|to) |copy (from|to) |Binary files )/;
/** Lines of --stat, --numstat, --name-status, --name-only, --raw and --summary. */
const LISTS =
  /^( .* \| +(\d+ ?[+-]*|Bin .*|Unmerged)$|(\d+|-)\t(\d+|-)\t|[A-Z]\d*\t|"[^"\\]*\\.*"$|:\d{6} | (create|delete) mode \d{6} | (rename|copy|rewrite|mode change) )/;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** A diff or log with its quoted names made plain. */
export function withPlainNames(text: string): string {
  if (!text.includes("\\")) return text;
  let hunk: Hunk = { old: 0, fresh: 0, is_combined: false };
  const plain = (line: string): string => {
    const before = hunk;
    hunk = after(line, before);
    const isContent = isOpen(before) || isOpen(hunk) || hunk.is_combined;
    if (isContent || !(HEADS.test(line) || LISTS.test(line))) return line;
    return line.replace(QUOTED, (quoted) => printable(unquote(quoted)));
  };
  return text.split("\n").map(plain).join("\n");
}

/** Lines that are still to come by a hunk's head. The lines of a combined diff are not counted. */
interface Hunk {
  readonly old: number;
  readonly fresh: number;
  readonly is_combined: boolean;
}

const isOpen = ({ old, fresh }: Hunk): boolean => old > 0 || fresh > 0;

function after(line: string, hunk: Hunk): Hunk {
  if (isOpen(hunk)) {
    const [old, fresh] = [/^[ -]|^$/.test(line), /^[ +]|^$/.test(line)];
    return { ...hunk, old: hunk.old - Number(old), fresh: hunk.fresh - Number(fresh) };
  }
  const head = HUNK.exec(line);
  if (head !== null) return { ...hunk, old: Number(head[1] ?? 1), fresh: Number(head[2] ?? 1) };
  if (line.startsWith("@@@")) return { ...hunk, is_combined: true };
  return line.startsWith("diff --") ? { ...hunk, is_combined: false } : hunk;
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** `"a\"b"` as `a"b`: the escapes of a C string, octal bytes among them. */
export function unquote(quoted: string): string {
  const bytes: Buffer[] = [];
  for (const [part, octal, letter] of quoted.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Buffer.of(Number.parseInt(octal, 8)));
    else if (letter !== undefined) bytes.push(Buffer.of(ESCAPES[letter] ?? letter.charCodeAt(0)));
    else bytes.push(Buffer.from(part));
  }
  return Buffer.concat(bytes).toString("utf8");
}
