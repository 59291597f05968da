import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Parser, Query, QueryMatch, Tree } from "web-tree-sitter";
import { refusal } from "../../fault.ts";
import type { Language } from "./languages.ts";
import { scanLua } from "./lua.ts";
import { type Definition, type FileSymbols, KINDS, nest } from "./symbol.ts";

/** One file may take this long, ms; nothing else runs meanwhile. */
const FILE_MAX_MS = 2000;

export interface SymbolParser {
  /**
   * The symbols of a text; null when it took too long.
   * @throws {AgentError} `no_grammar` when the grammar's package can't be loaded.
   */
  parse(text: string, language: Language): Promise<FileSymbols | null>;
}

interface Ready {
  readonly parser: Parser;
  readonly query: Query;
}

/** Grammars are loaded when the first file of their language comes, once. */
export function createSymbolParser(): SymbolParser {
  const loaded = new Map<string, Promise<Ready>>();
  const ready = (grammar: string, query: string): Promise<Ready> => {
    const known = loaded.get(grammar) ?? load(grammar, query);
    loaded.set(grammar, known);
    known.catch(() => loaded.delete(grammar)); // the caller gets the failure; the next file may try again
    return known;
  };
  return Object.freeze({
    async parse(text: string, { name, grammar, query }: Language): Promise<FileSymbols | null> {
      if (grammar === null) return { symbols: nest(scanLua(text)), has_errors: false };
      return parseWith(await ready(grammar, query), text, name);
    },
  });
}

async function load(grammar: string, source: string): Promise<Ready> {
  const syntax = await import("web-tree-sitter").catch((thrown: unknown) => {
    throw missing("web-tree-sitter", thrown);
  });
  await syntax.Parser.init();
  const language = await syntax.Language.load(await grammarBytes(grammar));
  const parser = new syntax.Parser();
  parser.setLanguage(language);
  return Object.freeze({ parser, query: new syntax.Query(language, source) });
}

async function grammarBytes(grammar: string): Promise<Uint8Array> {
  const file = `@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`;
  try {
    return await readFile(createRequire(import.meta.url).resolve(file));
  } catch (thrown) {
    throw missing(file, thrown);
  }
}

const missing = (what: string, thrown: unknown): Error =>
  refusal(
    "no_grammar",
    `Symbols can't be read: ${what} could not be loaded (${thrown instanceof Error ? thrown.message.split("\n")[0] : String(thrown)}). Install Smith again, or look with code_grep.`,
  );

function parseWith({ parser, query }: Ready, text: string, language: string): FileSymbols | null {
  const end = performance.now() + FILE_MAX_MS;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > end });
  if (tree === null) {
    parser.reset(); // else it would go on where it stopped, with the next text
    return null;
  }
  try {
    return symbolsOf(tree, query, { language, end });
  } finally {
    tree.delete();
  }
}

function symbolsOf(tree: Tree, query: Query, { language, end }: { language: string; end: number }): FileSymbols | null {
  const root = tree.rootNode;
  const matches = query.matches(root, { progressCallback: () => performance.now() > end });
  if (performance.now() > end) return null;
  const best = new Map<number, { readonly pattern: number; readonly found: Definition }>();
  for (const match of matches) {
    const named = definitionIn(match, language);
    if (named === null) continue;
    const { at, found } = named;
    const before = best.get(at);
    if (before === undefined || match.patternIndex < before.pattern)
      best.set(at, { pattern: match.patternIndex, found });
  }
  return { symbols: nest([...best.values()].map(({ found }) => found)), has_errors: root.hasError };
}

function definitionIn({ captures }: QueryMatch, language: string): { at: number; found: Definition } | null {
  const named = captures.find(({ name }) => name === "name")?.node;
  const whole = captures.find(({ name }) => name !== "name" && !name.startsWith("_"));
  if (named === undefined || whole === undefined) return null;
  const name = plainName(named.text);
  if (name === "") return null;
  const { startIndex, endIndex } = whole.node;
  const kind = kindOf(whole.name, name, language);
  return {
    at: named.startIndex,
    found: { name, kind, line: named.startPosition.row + 1, start: startIndex, end: endIndex },
  };
}

/** Without quotes, and without the sign that marks a symbol or variable. */
const plainName = (text: string): string => text.replace(/^(["'`])(.*)\1$/s, "$2").replace(/^[:$](?=\w)/, "");

function kindOf(capture: string, name: string, language: string): Definition["kind"] {
  if (capture === "prototype") return capture;
  if (capture === "variable" && language === "Python" && /^[A-Z][A-Z0-9_]*$/.test(name)) return "const";
  return KINDS.find((kind) => kind === capture) ?? "variable";
}
