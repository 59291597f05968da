import { readFile, stat } from "node:fs/promises";
import type { z } from "zod";

/** A Markdown file with keys at its top. */
export interface Written {
  /** The keys, not checked yet; an empty object where there are none. */
  readonly head: unknown;
  /** What stands below them, trimmed. */
  readonly body: string;
  /** The line, from 1, on which the value at a path of keys stands; that of the nearest key above it, else 1. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Why a file is none, and where. */
export interface Unreadable {
  readonly fault: string;
  readonly line: number | null;
}

/** A file above this is no prompt, bytes. */
const MAX_BYTES = 256 * 1024;

/** Never rejects. */
export async function readWritten(file: string): Promise<Written | Unreadable> {
  const bytes = await readRegular(file).catch((thrown: NodeJS.ErrnoException) => thrown.code ?? "unknown fault");
  if (bytes === null) return { fault: "is no file.", line: null };
  if (typeof bytes === "string") return { fault: `can't be read (${bytes}).`, line: null };
  if (bytes.length > MAX_BYTES) {
    return { fault: `is left out: it has ${bytes.length} bytes, and can have ${MAX_BYTES}.`, line: null };
  }
  const text = bytes
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n");
  return understand(text);
}

export const placeOf = (file: string, line: number | null): string => (line === null ? file : `${file}:${line}`);

/** Why a file's keys don't do, with the line of the first that does not. */
export function refusedHead(file: string, { lineOf }: Written, { issues }: z.ZodError): string {
  const told = issues.map(({ code, path, message, ...issue }) => {
    const keys = code === "unrecognized_keys" ? (issue as { keys: readonly string[] }).keys : [];
    const what = keys.length > 0 ? `there is no key ${keys.join(", ")}` : `${path.join(".") || "the head"}: ${message}`;
    return { line: lineOf(keys.length > 0 ? keys : path), what };
  });
  return `${placeOf(file, told[0]?.line ?? null)} is left out: ${told.map(({ what }) => what).join("; ")}.`;
}

/** Null for what is no regular file: a pipe would be waited for without end. */
async function readRegular(file: string): Promise<Buffer | null> {
  return (await stat(file)).isFile() ? await readFile(file) : null;
}

async function understand(text: string): Promise<Written | Unreadable> {
  const [head, rest] = partHead(text);
  const body = rest.trim();
  if (head === null || head.trim() === "") return { head: {}, body, lineOf: () => 1 };
  try {
    return await readHead(head, body);
  } catch (thrown) {
    return { fault: `is left out: ${firstSentence(thrown)}`, line: 1 }; // nested too deeply, or too many aliases
  }
}

async function readHead(head: string, body: string): Promise<Written | Unreadable> {
  const { isMap, LineCounter, parseDocument } = (await import("yaml")).default; // CommonJS: bundled, it has no other export
  const lines = new LineCounter();
  const parsed = parseDocument(head, { lineCounter: lines });
  const at = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line + 1); // below `---`
  const [broken] = parsed.errors;
  if (broken !== undefined) return { fault: `is left out: ${firstSentence(broken)}`, line: at(broken.pos[0]) };
  return {
    head: parsed.toJS() ?? {},
    body,
    lineOf([key]) {
      const pair = isMap(parsed.contents) ? parsed.contents.items.find((each) => String(each.key) === key) : undefined;
      return at((pair?.key as { range?: readonly number[] } | undefined)?.range?.[0]);
    },
  };
}

/** Without the place, which is told otherwise, and the picture of it. */
const firstSentence = (thrown: unknown): string =>
  `${String(thrown instanceof Error ? thrown.message : thrown).split(/ at line \d+|\n/, 1)[0]}.`;

/** What stands between `---` lines at the top, and the rest. */
function partHead(content: string): readonly [head: string | null, body: string] {
  const [whole, head] = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(content) ?? [];
  return whole === undefined ? [null, content] : [head ?? "", content.slice(whole.length)];
}
