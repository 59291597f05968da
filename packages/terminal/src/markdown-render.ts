import { Lexer, type Token, type Tokens } from "marked";
import { createDrawer, type Drawer } from "./markdown-draw.ts";
import { LONG_BLOCK_LINES } from "./markdown-tail.ts";
import type { Theme } from "./theme.ts";

/** A block on its way to the screen. */
export interface DrawnBlock {
  readonly text: string;
  /** It goes on with the list drawn before it: no empty line between. */
  readonly joined: boolean;
}

export interface Taken {
  readonly drawn: readonly DrawnBlock[];
  /** What may still change with the text that follows. */
  readonly rest: string;
}

/** Draws a text from its beginning on, as far as it is finished. Keeps what link names mean from one call to the next. */
export interface MarkdownRenderer {
  /** Never throws: what can't be drawn is given back as it stands. `source` must be safe to draw already. */
  take(source: string, columns: number, extent: "finished" | "all"): Taken;
}

/** Where a long block was cut: what its next piece has to know. */
type Continued = { readonly type: "list"; readonly start: number } | { readonly type: "table" } | null;

export function createMarkdownRenderer(theme: Theme): MarkdownRenderer {
  const drawer = createDrawer(theme);
  const links: Links = Object.create(null);
  let { state } = new Lexer(drawer.options);
  let continued: Continued = null;

  const drawBlock = (block: Token, columns: number): string => {
    try {
      return drawer.draw(block, columns);
    } catch {
      return block.raw.trim(); // nested deeper than can be followed: plain rather than not at all
    }
  };
  const drawAll = (source: string, columns: number): readonly DrawnBlock[] => {
    const lexer = lexerWith(drawer, links);
    lexer.state = state;
    const blocks = continueIn(lexOrPlain(lexer, source), continued);
    state = lexer.state;
    return blocks
      .map((block, at) => ({ text: drawBlock(block, columns), joined: at === 0 && continued?.type === "list" }))
      .filter(({ text }) => text !== "");
  };

  return Object.freeze({
    take(source: string, columns: number, extent: "finished" | "all"): Taken {
      const room = Math.max(1, Math.floor(columns) || 80);
      const split =
        extent === "all"
          ? { head: source, rest: "", continued: null }
          : splitAt(look(source, lexerWith(drawer, { ...links })), source, continued);
      if (split.head === "") return { drawn: [], rest: split.rest };
      const drawn = drawAll(split.head, room);
      continued = split.continued;
      return { drawn, rest: split.rest };
    },
  });
}

type Links = Lexer["tokens"]["links"];

function lexerWith({ options }: Drawer, links: Links): Lexer {
  const lexer = new Lexer(options);
  lexer.tokens.links = Object.setPrototypeOf(links, null);
  return lexer;
}

/** The blocks as they stand, or none where the lexer can't follow: then all is unfinished, and drawn plain in the end. */
function look(source: string, lexer: Lexer): readonly Token[] {
  try {
    return lexer.blockTokens(source, []);
  } catch {
    return [];
  }
}

function lexOrPlain(lexer: Lexer, source: string): readonly Token[] {
  try {
    return lexer.lex(source).filter((block) => block.type !== "space");
  } catch {
    return [{ type: "html", raw: source, text: source, block: true, pre: false } satisfies Tokens.HTML];
  }
}

/** The blocks with the first one taken for the next piece of a block that was cut. */
function continueIn(blocks: readonly Token[], continued: Continued): readonly Token[] {
  const [first, ...others] = blocks;
  if (first === undefined || continued === null || first.type !== continued.type) return blocks;
  if (continued.type === "list") return [{ ...first, start: continued.start }, ...others];
  const { rows } = first as Tokens.Table; // as in splitLong
  return rows.length === 0 ? others : blocks; // no row came after the cut: the header is drawn already
}

interface Split {
  readonly head: string;
  readonly rest: string;
  readonly continued: Continued;
}

/** Cuts the source behind what can't change any more. */
function splitAt(blocks: readonly Token[], source: string, before: Continued): Split {
  const length = lengthOf(blocks.slice(0, countFinished(blocks)));
  if (length > 0) return { head: source.slice(0, length), rest: source.slice(length), continued: null };
  return splitLong(blocks, source, before) ?? { head: "", rest: source, continued: null };
}

const lengthOf = (blocks: readonly Token[]): number => blocks.reduce((sum, { raw }) => sum + raw.length, 0);

/**
 * How many of the blocks no later line can change. An empty line ends all but lists, indented code and what runs to its
 * own end mark; another block ends all before it, except that a link definition may still get a title.
 */
function countFinished(blocks: readonly Token[]): number {
  const last = blocks.at(-1);
  if (last === undefined) return 0;
  if (last.type === "space") {
    const before = blocks.at(-2);
    return before === undefined || isEndedByBlank(before) ? blocks.length : blocks.length - 2;
  }
  if (last.type === "heading" || last.type === "hr" || isClosedFence(last)) return blocks.length;
  let count = blocks.length - 1;
  while (blocks[count - 1]?.type === "def") count -= 1;
  return count;
}

const isEndedByBlank = (block: Token): boolean =>
  ENDED_BY_BLANK.has(block.type) ||
  isClosedFence(block) ||
  (block.type === "html" && !RUNS_TO_ITS_END_MARK.test(block.raw));

const ENDED_BY_BLANK: ReadonlySet<string> = new Set([
  ...["paragraph", "text", "heading", "hr", "table", "blockquote", "def"],
]);
const RUNS_TO_ITS_END_MARK = /^ {0,3}<(?:(?:script|pre|style|textarea)(?:\s|>|$)|!|\?)/i;

function isClosedFence(block: Token): boolean {
  const lines = block.raw.trimEnd().split("\n");
  const fence = block.type === "code" ? /^ {0,3}(`{3,}|~{3,})/.exec(lines[0] ?? "")?.[1] : undefined;
  const end = lines.length > 1 ? /^ {0,3}(`{3,}|~{3,})$/.exec(lines.at(-1) ?? "")?.[1] : undefined;
  return fence !== undefined && end?.startsWith(fence) === true;
}

/**
 * A list or table of very many lines is drawn in pieces: items but the last, rows (the next get the header again).
 * Items are counted over all pieces: the source may call every one `1.`.
 */
function splitLong([block]: readonly Token[], source: string, before: Continued): Split | null {
  if (block === undefined || block.raw.split("\n").length < LONG_BLOCK_LINES) return null;
  if (block.type === "table") {
    const header = block.raw.split("\n", 2).join("\n");
    return { head: block.raw, rest: `${header}\n${source.slice(block.raw.length)}`, continued: { type: "table" } };
  }
  if (block.type !== "list") return null;
  const { items, start } = block as Tokens.List; // marked's union has an open member: its own tag can't narrow it
  const head = items
    .slice(0, -1)
    .map(({ raw }) => raw)
    .join("");
  if (head === "" || !source.startsWith(head)) return null;
  const first = before?.type === "list" ? before.start : Number(start === "" ? 1 : start);
  const continued = { type: "list" as const, start: first + items.length - 1 };
  return { head, rest: source.slice(head.length), continued };
}
