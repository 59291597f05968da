import { type Stats, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { hashBytes, looksBinary } from "../../text-file.ts";
import { type Language, shebangLanguage, symbolLanguage } from "./languages.ts";
import { createSymbolParser } from "./parser.ts";
import type { FileSymbols } from "./symbol.ts";

/** Larger files are not parsed, bytes. */
export const PARSED_MAX_BYTES = 1 << 20;
/** Symbols kept; beyond them those of the files parsed first are let go. */
const KEPT_SYMBOLS = 300_000;
/** A file changed less than this before it was read, ms, may change again without its times telling. */
const TOO_FRESH_MS = 100;

/** Why there are no symbols: it is no text, of no known language, too large, took too long, or can't be read. */
export type Unread = "binary" | "language" | "large" | "slow" | "unreadable";

export type FileAnswer =
  | { readonly symbols: FileSymbols; readonly language: string; readonly unread: null }
  | { readonly symbols: null; readonly language: string | null; readonly unread: Unread };

export interface SymbolReader {
  /**
   * The symbols of a regular file (absolute path). What was parsed once is kept by the hash of its bytes.
   * @throws {AgentError} `no_grammar` when the parser can't be loaded.
   */
  read(path: string): Promise<FileAnswer>;
}

interface Seen {
  /** What the system says of the file; no two contents have the same. */
  readonly facts: string;
  readonly answer: FileAnswer;
}

export function createSymbolReader(): SymbolReader {
  const parser = createSymbolParser();
  const byHash = new Map<string, FileAnswer>();
  const byPath = new Map<string, Seen>();
  let kept = 0;
  const keep = (key: string, answer: FileAnswer): void => {
    byHash.set(key, answer);
    kept += weightOf(answer);
    for (const [oldest, old] of byHash) {
      if (kept <= KEPT_SYMBOLS) break;
      byHash.delete(oldest);
      kept -= weightOf(old);
    }
    if (byPath.size > byHash.size * 4 + 1000) byPath.clear();
  };
  const parse = async (bytes: Uint8Array, path: string): Promise<FileAnswer> => {
    if (looksBinary(bytes)) return { symbols: null, language: null, unread: "binary" };
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString("utf8")
      .replace(/^\ufeff/, "");
    const language = symbolLanguage(path) ?? shebangLanguage(text);
    if (language === undefined) return { symbols: null, language: null, unread: "language" };
    const key = `${language.name}:${hashBytes(bytes)}`;
    const known = byHash.get(key);
    if (known !== undefined) return known;
    const answer = await parseText(text, language);
    keep(key, answer);
    return answer;
  };
  const parseText = async (text: string, language: Language): Promise<FileAnswer> => {
    const symbols = await parser.parse(text, language);
    if (symbols === null) return { symbols, language: language.name, unread: "slow" };
    return { symbols, language: language.name, unread: null };
  };
  return Object.freeze({
    async read(path: string): Promise<FileAnswer> {
      const stats = statOf(path);
      if (stats === undefined || !stats.isFile()) return UNREADABLE; // opening a pipe could block for ever
      const facts = factsOf(stats);
      const seen = byPath.get(path);
      if (seen?.facts === facts) return seen.answer;
      if (stats.size > PARSED_MAX_BYTES) return { symbols: null, language: null, unread: "large" };
      const bytes = await readAll(path);
      if (bytes === null) return UNREADABLE;
      const answer = await parse(bytes, path);
      if (Date.now() - stats.ctimeMs > TOO_FRESH_MS) byPath.set(path, { facts, answer });
      else byPath.delete(path);
      return answer;
    },
  });
}

const UNREADABLE: FileAnswer = Object.freeze({ symbols: null, language: null, unread: "unreadable" });

const weightOf = (answer: FileAnswer): number => 1 + (answer.symbols?.symbols.length ?? 0);

const factsOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string => `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;

/** At once: of thousands of files that did not change, the waiting would be the most of it. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // behind something that can't be passed
  }
}

async function readAll(path: string): Promise<Uint8Array | null> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, "r");
    return await file.readFile();
  } catch {
    return null; // gone or not ours to read since it was listed
  } finally {
    await file?.close();
  }
}
