import { type EditorState, labelOf } from "./line-editor-state.ts";
import { graphemes } from "./line-editor-text.ts";
import { safeLine } from "./safe.ts";
import type { Theme } from "./theme.ts";
import { cut, width } from "./width.ts";

export interface EditorView {
  /** Columns of the terminal, at least 1. */
  readonly columns: number;
  /** What stands before the text; may hold colours. Cut where it would leave no room to type. */
  readonly prompt: string;
  /** What stands before the further lines of the text. Default: two blanks. */
  readonly continuation?: string;
  /** Drawn dimmed behind the text while the cursor is at its end, as the rest of a completion. */
  readonly hint?: string;
  readonly theme?: Pick<Theme, "dim">;
}

export interface Rendered {
  /** Lines of at most `columns`, safe to draw. */
  readonly lines: readonly string[];
  /** Both from 0; the column in cells. */
  readonly cursor: { readonly row: number; readonly column: number };
}

/** Rows of words that a completion offers. */
const OFFERED_ROWS = 6;

/** The editor as lines, broken where cells end, never inside a wide character. */
export function renderEditor(state: EditorState, view: EditorView): Rendered {
  const columns = Math.max(1, Math.floor(view.columns) || 1);
  const dim = view.theme?.dim ?? String;
  const page = createPage(columns);
  page.raw(fit(promptOf(state, view), columns));
  const lookOf = createLooks(state.held, dim);
  const continuation = fit(view.continuation ?? "  ", columns);
  let at = 0;
  for (const char of graphemes(state.text)) {
    const look = char === "\n" ? LINE_END : lookOf(char);
    if (at === state.cursor) page.mark(look.columns);
    if (look === LINE_END) page.feed(continuation);
    else page.put(look);
    at += char.length;
  }
  if (state.cursor >= at) {
    page.mark(1);
    for (const char of graphemes(safeLine(view.hint ?? ""))) page.put({ ...lookOf(char), text: dim(char) });
  }
  const { lines, cursor } = page.done();
  return { lines: [...lines, ...offer(state.offered, columns, dim)], cursor };
}

const LINE_END: Look = Object.freeze({ text: "", columns: 0 });

function promptOf({ search }: EditorState, { prompt }: EditorView): string {
  if (search === null) return prompt;
  const failed = search.query !== "" && search.at === null;
  return `(${failed ? "not found" : "search"}: ${safeLine(search.query)}) `;
}

/** A prompt that leaves two columns to type in, where there are as many. */
const fit = (text: string, columns: number): string => cut(text, Math.max(0, columns - 2));

interface Look {
  readonly text: string;
  readonly columns: number;
}

/** How a character is drawn. Measuring is slow for what is not ASCII, so each is measured once. */
function createLooks(held: readonly string[], dim: (text: string) => string): (char: string) => Look {
  const known = new Map<string, Look>();
  return (char) => {
    const before = known.get(char);
    if (before !== undefined) return before;
    const look = lookOf(char, labelOf(held, char), dim);
    known.set(char, look);
    return look;
  };
}

function lookOf(char: string, label: string | undefined, dim: (text: string) => string): Look {
  if (label !== undefined) return { text: dim(label), columns: label.length };
  if (char === "\t") return { text: "    ", columns: 4 };
  if (char < " " || char === "\u007f") {
    return { text: dim(`^${String.fromCharCode((char.codePointAt(0) ?? 0) ^ 0x40)}`), columns: 2 };
  }
  const text = UNSAFE.test(char) ? "\ufffd" : char;
  return { text, columns: width(text) };
}

/** C1 controls, marks that reorder text, halves of characters: never drawn. */
const UNSAFE = /[\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Surrogate}]/u;

function createPage(columns: number) {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  let cursor = { row: 0, column: 0 };
  const feed = (start = "") => {
    lines.push(line);
    line = start;
    used = width(start);
  };
  return {
    raw(text: string) {
      line += text;
      used += width(text);
    },
    feed,
    put(look: Look) {
      if (look.columns > columns) return split(look);
      if (used + look.columns > columns) feed();
      line += look.text;
      used += look.columns;
    },
    /** The cursor stands on the next character, of so many columns. */
    mark(next: number) {
      if (used >= columns || (used + next > columns && next <= columns)) feed();
      cursor = { row: lines.length, column: used };
    },
    done: () => ({ lines: [...lines, line], cursor }),
  };

  /** A character with more columns than the terminal: one mark for all of it. */
  function split(look: Look) {
    if (used + 1 > columns) feed();
    line += look.columns === 2 ? "\u00b7" : "#";
    used += 1;
  }
}

/** Words in columns, so many rows; the rest as a count. */
function offer(words: readonly string[], columns: number, dim: (text: string) => string): readonly string[] {
  if (words.length === 0) return [];
  const safe = words.map(safeLine);
  const cell = Math.min(columns, Math.max(...safe.map(width)) + 2);
  const perRow = Math.max(1, Math.floor(columns / cell));
  const rows = Math.ceil(safe.length / perRow);
  const shown = rows > OFFERED_ROWS ? OFFERED_ROWS - 1 : rows;
  const lines = Array.from({ length: shown }, (_, row) => {
    const inRow = safe.slice(row * perRow, (row + 1) * perRow);
    return cut(
      inRow
        .map((word) => word + " ".repeat(Math.max(0, cell - width(word))))
        .join("")
        .trimEnd(),
      columns,
      "…",
    );
  });
  const left = safe.length - shown * perRow;
  return [...lines, ...(left > 0 ? [cut(`… ${left} more`, columns)] : [])].map(dim);
}
