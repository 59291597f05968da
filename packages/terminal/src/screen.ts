import { safeText } from "./safe.ts";
import { cut, TAB_COLUMNS, width, wrap } from "./width.ts";

export interface ScreenOut {
  /** False: the text is kept, but more should wait for a drain. */
  write(text: string): boolean;
  /** 0 or nothing: not known. */
  columns(): number | undefined;
  rows(): number | undefined;
  readonly isTty: boolean;
  /** Calls once when what was written has gone out; without it the screen does not wait. */
  onDrain?(listener: () => void): void;
}

export interface ScreenOptions {
  readonly out: ScreenOut;
  /** Line ends as CR LF, as a terminal in raw mode wants them. */
  readonly crlf: boolean;
  /** `TERM=dumb`: no live area. */
  readonly dumb?: boolean;
}

/** A cell of the live area, both from 0. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The one writer to the terminal. Nothing here throws; a terminal that has gone is written to no more. */
export interface Screen {
  /** False: there is no live area; `live` does nothing and `print` writes as is. */
  readonly isLive: boolean;
  /** The size now: at least 1 by 1, 80 by 24 where it is not known. */
  size(): { readonly columns: number; readonly rows: number };
  /** Permanent text, above the live area. A line that has not ended yet is shown on top of the live area. */
  print(text: string): void;
  /** What stands below: drawn in place of the last. Without a cursor it is hidden. Call it again after a resize. */
  live(lines: readonly string[], cursor?: Cell): void;
  /** Empties the screen, permanent text too, and draws the live area at the top. */
  clear(): void;
  /** Gives the terminal to someone else: no live area, a plain cursor. What is printed meanwhile goes straight out. */
  suspend(): void;
  resume(): void;
  /** Leaves the terminal as it was found; printing goes on without a live area. */
  close(): void;
}

interface Live {
  readonly lines: readonly string[];
  readonly cursor: Cell | null;
}

interface Drawn extends Live {
  readonly columns: number;
  /** Where the cursor stands. */
  readonly at: Cell;
}

const NOTHING: Live = Object.freeze({ lines: [], cursor: null });

export function createScreen({ out, crlf, dumb = false }: ScreenOptions): Screen {
  const isLive = out.isTty && !dumb;
  let wanted: Live = NOTHING;
  let drawn: Drawn | null = null;
  /** The printed line that has not ended. */
  let open = "";
  let state: "fresh" | "on" | "suspended" | "closed" = "fresh";
  let waits = false;
  let gone = false;

  const size = () => ({ columns: sane(out.columns(), 80), rows: sane(out.rows(), 24) });
  const write = (text: string) => {
    if (gone || text === "") return;
    try {
      if (out.write(text) || out.onDrain === undefined || waits) return;
    } catch {
      gone = true; // EPIPE or EIO: whoever read has left, and the door learns it from the stream
      return;
    }
    waits = true;
    out.onDrain(() => {
      waits = false;
      update("");
    });
  };
  const ends = (text: string) => (crlf && out.isTty ? toCrlf(text) : text);
  const plain = (text: string) => write(ends(text));

  /** One write: the live area off, the text on, the live area on. */
  const update = (permanent: string) => {
    if (state === "suspended" || state === "closed") return;
    const { columns, rows } = size();
    const next = layOut(wanted, open, { columns, rows });
    if (permanent === "" && (waits || (drawn !== null && isSame(drawn, next)))) return;
    const begin = state === "fresh" ? PASTE_ON : "";
    state = "on";
    write(SYNC_ON + begin + HIDE + erase(drawn, { columns, rows }) + ends(permanent) + paint(next) + SYNC_OFF);
    drawn = next;
  };
  const takeDown = (to: "suspended" | "closed") => {
    if (state === "on") write(erase(drawn, size()) + (open === "" ? "" : ends(`${open}\n`)) + PASTE_OFF + SHOW);
    if (state === "on") open = "";
    drawn = null;
    state = to;
  };

  return Object.freeze({
    isLive,
    size,
    print(text: string) {
      if (!isLive || state === "suspended" || state === "closed") return plain(text);
      const whole = open + text;
      const end = whole.lastIndexOf("\n") + 1;
      open = whole.slice(end);
      update(whole.slice(0, end));
    },
    live(lines: readonly string[], cursor?: Cell) {
      wanted = { lines, cursor: cursor ?? null };
      if (isLive) update("");
    },
    clear() {
      if (!isLive || state === "suspended" || state === "closed") return;
      write(WIPE);
      drawn = null;
      update("");
    },
    suspend() {
      if (isLive && state !== "closed") takeDown("suspended");
    },
    resume() {
      if (state !== "suspended") return;
      state = "fresh";
      update("");
    },
    close() {
      if (isLive && state !== "closed") takeDown("closed");
    },
  });
}

/** Bare line feeds as CR LF. */
export const toCrlf = (text: string): string => text.replace(/\r?\n/g, "\r\n");

const sane = (count: number | undefined, unknown: number): number =>
  count !== undefined && count >= 1 ? Math.floor(count) : unknown;

type Size = ReturnType<Screen["size"]>;

/** The live area as it will stand: safe, cut to the columns, and of its rows those around the cursor. */
function layOut({ lines, cursor }: Live, open: string, { columns, rows }: Size): Drawn {
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
function drawable(line: string): string {
  let out = "";
  let at = 0;
  for (const { 0: colour, index } of line.matchAll(COLOUR)) {
    out += safeText(line.slice(at, index)) + colour;
    at = index + colour.length;
  }
  return (out + safeText(line.slice(at))).replaceAll("\n", " ").replaceAll("\t", " ".repeat(TAB_COLUMNS));
}

const isSame = (a: Drawn, b: Drawn): boolean =>
  a.columns === b.columns &&
  a.at.row === b.at.row &&
  a.at.column === b.at.column &&
  (a.cursor === null) === (b.cursor === null) &&
  a.lines.length === b.lines.length &&
  a.lines.every((line, index) => line === b.lines[index]);

/**
 * Takes away what was drawn. After a resize the terminal has broken the lines anew, so their rows are counted anew.
 */
function erase(drawn: Drawn | null, { columns, rows }: Size): string {
  if (drawn === null || drawn.lines.length === 0) return "";
  const { at, lines } = drawn;
  const broken = columns < drawn.columns;
  const rowsOf = (line: string) => (broken ? Math.max(1, Math.ceil(width(line) / columns)) : 1);
  const above = lines.slice(0, at.row).reduce((sum, line) => sum + rowsOf(line), 0);
  const within = broken ? Math.floor(at.column / columns) : 0;
  return `\r${up(Math.min(above + within, rows - 1))}${WIPE_BELOW}`;
}

/** Draws the live area and puts the cursor into it. */
function paint({ lines, at, cursor }: Drawn): string {
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
const SYNC_ON = `${ESC}[?2026h`;
const SYNC_OFF = `${ESC}[?2026l`;
const PASTE_ON = `${ESC}[?2004h`;
const PASTE_OFF = `${ESC}[?2004l`;
const HIDE = `${ESC}[?25l`;
const SHOW = `${ESC}[?25h`;
/** This row, then all below it. Wiping from the top left corner at once would make tmux keep the rows as history. */
const WIPE_BELOW = `${ESC}[2K${ESC}7${ESC}[1B${ESC}[J${ESC}8`;
const WIPE = `${ESC}[H${ESC}[2J`;
