import type { Definition, Kind } from "./symbol.ts";

/*
 * Lua has no grammar in the package: its functions and top-level names are found by words. Comments and strings are
 * passed over, blocks counted by the words that open and close them.
 */

const TOKEN =
  /--\[(=*)\[[\s\S]*?(?:\]\1\]|$)|--[^\n]*|\[(=*)\[[\s\S]*?(?:\]\2\]|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|[A-Za-z_]\w*(?:\s*[.:]\s*[A-Za-z_]\w*)*|\d[\w.]*|\n|[={}(),;]|\.{2,3}|[^\s\w]/g;

interface Token {
  readonly text: string;
  readonly at: number;
  readonly end: number;
  readonly line: number;
}

interface Block {
  /** The definition that the block is the body of. */
  readonly found: Omit<Definition, "end"> | null;
  readonly closer: "end" | "until" | "}";
}

const NAME = /^[A-Za-z_][\w.:\s]*$/;
const WORDS = new Set(
  "and break do else elseif end false for function goto if in local nil not or repeat return then true until while".split(
    " ",
  ),
);

/** What closes the block that a word opens; `while` and `for` open theirs with their `do`. */
const CLOSERS: Readonly<Record<string, Block["closer"]>> = {
  ...{ function: "end", if: "end", do: "end", repeat: "until", "{": "}" },
};

/** Functions, by any way of naming them, and what is named outside of functions. */
export function scanLua(text: string): readonly Definition[] {
  const tokens = tokensOf(text);
  const open: Block[] = [];
  const found: Definition[] = [];
  for (const [at, { text: word, end }] of tokens.entries()) {
    const closer = Object.hasOwn(CLOSERS, word) ? CLOSERS[word] : undefined;
    if (closer !== undefined) open.push({ found: word === "function" ? functionAt(tokens, at) : null, closer });
    else if (open.length === 0) found.push(...nameAt(tokens, at));
    else if (open.at(-1)?.closer === word) found.push(...ended(open.pop(), end));
  }
  return [...found, ...open.flatMap((block) => ended(block, text.length))]; // broken text: open to its end
}

const ended = (block: Block | undefined, end: number): readonly Definition[] =>
  block?.found == null ? [] : [{ ...block.found, end }];

/** Without comments and line ends. */
function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const match of text.matchAll(TOKEN)) {
    const [found] = match;
    const isWord = NAME.test(found);
    if (found !== "\n" && !found.startsWith("--")) {
      const name = isWord ? found.replace(/\s+/g, "") : found;
      tokens.push({ text: name, at: match.index, end: match.index + found.length, line });
    }
    line += found.split("\n").length - 1;
  }
  return tokens;
}

/** The name of the function that begins here: after the word, or before it as `name = function`. */
function functionAt(tokens: readonly Token[], at: number): Block["found"] {
  const after = tokens[at + 1];
  if (after !== undefined && NAME.test(after.text)) return define(after, tokens[at] ?? after);
  const before = tokens[at - 2];
  if (tokens[at - 1]?.text !== "=" || before === undefined || !NAME.test(before.text)) return null;
  return define(before, before);
}

function define(name: Token, from: Token): Omit<Definition, "end"> {
  const kind: Kind = name.text.includes(":") ? "method" : "function";
  return { name: name.text, kind, line: name.line, start: from.at };
}

/** `local a, b = …` and `a = …` outside of every block; what is set to a function is told by that. */
function nameAt(tokens: readonly Token[], at: number): readonly Definition[] {
  const name = tokens[at];
  if (name === undefined || WORDS.has(name.text) || !NAME.test(name.text)) return [];
  const [before, next, value] = [tokens[at - 1]?.text, tokens[at + 1]?.text, tokens[at + 2]?.text];
  const isLocal = before === "local";
  const isSet = next === "=" && tokens[at + 2] !== undefined && value !== "=";
  if ((!isLocal && !isSet) || value === "function" || before === "function" || before === "=") return [];
  return [{ name: name.text, kind: "variable", line: name.line, start: name.at, end: name.end }];
}
