import { safeText } from "./safe.ts";
import { cut, TAB_COLUMNS, width, wrap } from "./width.ts";

/** A cell of the live area, both from 0. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

export interface Live {
  readonly lines: readonly string[];
  readonly cursor: Cell | null;
}

export interface Drawn extends Live {
  readonly columns: number;
  /** Where the cursor stands. */
  readonly at: Cell;
}

export const NOTHING: Live = Object.freeze({ lines: [], cursor: null });

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The live area as it will stand: safe, cut to the columns, and of its rows those around the cursor. */
export function layOut({ lines, cursor }: Live, open: string, { columns, rows }: Size): Drawn {
  const top = open === "" ? [] : wrap(drawable(open.slice(-columns * OPEN_ROWS)), columns).slice(-OPEN_ROWS);
  const all = [...top, ...lines.map((line) => cut(drawable(line), columns))];
  const wantedRow = cursor === null ? all.length - 1 : cursor.row + top.length;
  const row = Math.min(Math.max(0, wantedRow), Math.max(0, all.length - 1));
  // The last rows, or, where the cursor would be above them, those that begin with it.
  const from = Math.max(0, Math.min(all.length - rows, row));
  const column = cursor === null ? 0 : Math.min(Math.max(0, cursor.column), columns - 1);
  return { lines: all.slice(from, from + rows), cursor, columns, at: { row: row - from, column } };
}

/** Rows in which a printed line that has not ended is shown, the last of it. */
const OPEN_ROWS = 8;

/** Nothing but letters and colours. */
export function drawable(line: string): string {
  let out = "";
  let at = 0;
  for (const { 0: colour, index } of line.matchAll(COLOUR)) {
    out += safeText(line.slice(at, index)) + colour;
    at = index + colour.length;
  }
  return (out + safeText(line.slice(at))).replaceAll("\n", " ").replaceAll("\t", " ".repeat(TAB_COLUMNS));
}

export const isSame = (a: Drawn, b: Drawn): boolean =>
  a.columns === b.columns &&
  a.at.row === b.at.row &&
  a.at.column === b.at.column &&
  (a.cursor === null) === (b.cursor === null) &&
  a.lines.length === b.lines.length &&
  a.lines.every((line, index) => line === b.lines[index]);

/**
 * Takes away what was drawn. After a resize the terminal has broken the lines anew, so their rows are counted anew.
 */
export function erase(drawn: Drawn | null, { columns, rows }: Size): string {
  if (drawn === null || drawn.lines.length === 0) return "";
  const { at, lines } = drawn;
  const broken = columns < drawn.columns;
  const rowsOf = (line: string) => (broken ? Math.max(1, Math.ceil(width(line) / columns)) : 1);
  const above = lines.slice(0, at.row).reduce((sum, line) => sum + rowsOf(line), 0);
  const within = broken ? Math.floor(at.column / columns) : 0;
  return `\r${up(Math.min(above + within, rows - 1))}${WIPE_BELOW}`;
}

/** Draws the live area and puts the cursor into it. */
export function paint({ lines, at, cursor }: Drawn): string {
  if (lines.length === 0) return SHOW;
  const right = at.column > 0 ? `${ESC}[${at.column}C` : "";
  const place = `\r${up(lines.length - 1 - at.row)}${right}`;
  // A line's colours must not run into the next.
  const body = lines.map((line) => (line.includes(ESC) ? `${line}${ESC}[0m` : line)).join("\r\n");
  return body + place + (cursor === null ? "" : SHOW);
}

const up = (count: number): string => (count > 0 ? `${ESC}[${count}A` : "");

const ESC = "\u001b";
const COLOUR = new RegExp(`${ESC}\\[[0-9;:]*m`, "g");
/** All of an update is shown at once, by terminals that know how. */
export const SYNC_ON = `${ESC}[?2026h`;
export const SYNC_OFF = `${ESC}[?2026l`;
export const PASTE_ON = `${ESC}[?2004h`;
export const PASTE_OFF = `${ESC}[?2004l`;
export const HIDE = `${ESC}[?25l`;
export const SHOW = `${ESC}[?25h`;
/** This row, then all below it. Wiping from the top left corner at once would make tmux keep the rows as history. */
const WIPE_BELOW = `${ESC}[2K${ESC}7${ESC}[1B${ESC}[J${ESC}8`;
export const WIPE = `${ESC}[H${ESC}[2J`;
