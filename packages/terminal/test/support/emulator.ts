/** A terminal small enough to be believed: it knows what the screen sends, and throws at anything else. */
export interface Emulator {
  write(text: string): void;
  /** Breaks long lines anew, as modern terminals do. */
  resize(columns: number, rows: number): void;
  /** The rows in view, without blanks at their ends. */
  rows(): readonly string[];
  /** What has scrolled away, then the rows in view, without empty ones at the end. */
  all(): readonly string[];
  /** The colour codes in force at a cell, as `31` or `1;31`. */
  colourAt(row: number, column: number): string;
  cursor(): { readonly row: number; readonly column: number; readonly visible: boolean };
  modes(): readonly string[];
  columns(): number;
  height(): number;
  /** Kitty's pictures by their ids, where they were put up last. */
  pictures(): ReadonlyMap<string, Picture>;
}

export interface Picture {
  readonly row: number;
  readonly column: number;
  /** The keys of its control data. */
  readonly keys: Readonly<Record<string, string>>;
  /** Base64 of all its chunks. */
  readonly data: string;
}

interface CellState {
  text: string;
  colour: string;
}
interface Row {
  cells: CellState[];
  /** Goes on in the next row because it was too long. */
  wrapped: boolean;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal reads
const SEQUENCE = /\u001b\[(\??)([0-9;]*)([A-Za-z])|(\u001b[78]|[\u0000-\u001f\u007f-\u009f])/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const GRAPHICS = /(\u001b_G[^\u001b]*\u001b\\)/;

const emptyRow = (): Row => ({ cells: [], wrapped: false });

function broken(cells: readonly CellState[], columns: number): Row[] {
  const rows = [emptyRow()];
  for (const cell of cells) {
    const last = rows.at(-1) ?? emptyRow();
    const isFull = cell.text !== "" && last.cells.length + (WIDE.test(cell.text) ? 2 : 1) > columns;
    if (isFull) {
      last.wrapped = true;
      rows.push({ cells: [cell], wrapped: false });
    } else last.cells.push(cell);
  }
  return rows;
}

export function createEmulator(width: number, height: number): Emulator {
  let columns = width;
  let count = height;
  let lines: Row[] = [emptyRow()];
  let top = 0;
  let y = 0;
  let x = 0;
  let pending = false;
  let saved = { x: 0, y: 0 };
  let colour = "";
  let visible = true;
  let aside: { lines: Row[]; top: number; y: number; x: number } | null = null;
  const modes = new Set<string>();

  const at = (index: number): Row => {
    while (lines.length <= index) lines.push(emptyRow());
    return lines[index] as Row;
  };
  const down = () => {
    y++;
    at(y);
    top = Math.max(top, y - count + 1);
  };
  const put = (char: string) => {
    const size = WIDE.test(char) ? 2 : 1;
    if (pending || x + size > columns) {
      at(y).wrapped = true;
      down();
      x = 0;
      pending = false;
    }
    const { cells } = at(y);
    while (cells.length < x) cells.push({ text: " ", colour: "" });
    cells[x] = { text: char, colour };
    if (size === 2) cells[x + 1] = { text: "", colour };
    x += size;
    if (x >= columns) {
      x = columns - 1;
      pending = true;
    }
  };
  const control = (char: string) => {
    pending = false;
    if (char === "\u001b7") saved = { x, y: y - top };
    else if (char === "\u001b8") {
      x = saved.x;
      y = top + saved.y;
    } else if (char === "\r") x = 0;
    else if (char === "\n") down();
    else throw new Error(`the terminal was sent ${JSON.stringify(char)}`);
  };
  /** A screen of its own, beside the one that scrolls. */
  const alternate = (on: boolean) => {
    if (on === (aside !== null)) throw new Error(`the alternate screen was turned ${on ? "on" : "off"} twice`);
    if (on) {
      aside = { lines, top, y, x };
      [lines, top, y, x] = [[emptyRow()], 0, 0, 0];
    } else if (aside !== null) {
      ({ lines, top, y, x } = aside);
      aside = null;
    }
  };
  const setMode = (mode: string, on: boolean) => {
    if (mode === "25") visible = on;
    else if (mode === "1049") alternate(on);
    else if (on) modes.add(mode);
    else modes.delete(mode);
  };
  const commands: Readonly<Record<string, (args: string) => void>> = {
    h: (args) => setMode(args, true),
    l: (args) => setMode(args, false),
    A: (args) => {
      y = Math.max(top, y - Number(args));
    },
    C: (args) => {
      x = Math.min(columns - 1, x + Number(args));
    },
    B: (args) => {
      y = Math.min(top + count - 1, y + Number(args));
    },
    "2K"() {
      at(y).cells.length = 0;
      at(y).wrapped = false;
    },
    J() {
      at(y).cells.length = Math.min(at(y).cells.length, x);
      at(y).wrapped = false;
      lines.length = y + 1;
    },
    "2J"() {
      for (let each = top; each < lines.length; each++) lines[each] = emptyRow();
    },
    G: (args) => {
      x = Math.min(columns - 1, Number(args) - 1);
    },
    H(args) {
      const [row = "1", column = "1"] = args.split(";");
      y = top + Number(row || "1") - 1;
      x = Number(column || "1") - 1;
      at(y);
    },
  };
  const pictures = new Map<string, Picture>();
  let growing: string | null = null;
  const graphics = (sequence: string) => {
    const [control = "", data = ""] = sequence.slice(3, -2).split(";");
    const keys = Object.fromEntries(control.split(",").map((pair) => pair.split("=") as [string, string]));
    if (keys["a"] === "d") return void pictures.delete(keys["i"] ?? "");
    const id: string = growing ?? keys["i"] ?? "";
    const known = growing === null ? { row: y - top, column: x, keys, data: "" } : pictures.get(id);
    if (known === undefined) throw new Error(`the terminal was sent data of no picture ${id}`);
    pictures.set(id, { ...known, data: known.data + data });
    growing = keys["m"] === "1" ? id : null;
  };
  const command = (args: string, final: string) => {
    if (final === "m") {
      colour = args === "" || args === "0" ? "" : [colour, args].filter(Boolean).join(";");
      return;
    }
    pending = false;
    const known = commands[final === "J" || final === "K" ? args + final : final];
    if (known === undefined) throw new Error(`the terminal was sent CSI ${args}${final}`);
    known(args);
  };
  const letters = (text: string) => {
    for (const { segment } of new Intl.Segmenter().segment(text)) put(segment);
  };
  const textOf = ({ cells }: Row) =>
    cells
      .map((cell) => cell.text)
      .join("")
      .trimEnd();

  const draw = (text: string) => {
    let from = 0;
    for (const found of text.matchAll(SEQUENCE)) {
      letters(text.slice(from, found.index));
      from = found.index + found[0].length;
      if (found[4] !== undefined) control(found[4]);
      else command(found[2] ?? "", found[3] ?? "");
    }
    const rest = text.slice(from);
    if (rest.includes("\u001b")) throw new Error(`the terminal was sent ${JSON.stringify(rest)}`);
    letters(rest);
  };

  return {
    write(whole) {
      for (const part of whole.split(GRAPHICS)) {
        if (part.startsWith("\u001b_G")) graphics(part);
        else draw(part);
      }
    },
    resize(newColumns, newRows) {
      const old = lines;
      lines = [];
      let place = { y: 0, x: 0 };
      let cells: CellState[] = [];
      let offset = -1;
      for (const [index, { cells: own, wrapped }] of old.entries()) {
        if (index === y) offset = cells.length + x;
        cells.push(...own);
        if (wrapped && index < old.length - 1) continue;
        if (offset >= 0) place = { y: lines.length + Math.floor(offset / newColumns), x: offset % newColumns };
        lines.push(...broken(cells, newColumns));
        cells = [];
        offset = -1;
      }
      columns = newColumns;
      count = newRows;
      y = place.y;
      x = place.x;
      pending = false;
      at(y);
      top = Math.max(0, lines.length - count);
    },
    rows: () => Array.from({ length: count }, (_, index) => textOf(lines[top + index] ?? emptyRow())),
    all() {
      const found = lines.map(textOf);
      while (found.at(-1) === "") found.pop();
      return found;
    },
    colourAt: (r, c) => lines[top + r]?.cells[c]?.colour ?? "",
    cursor: () => ({ row: y - top, column: x, visible }),
    modes: () => [...modes].sort(),
    columns: () => columns,
    height: () => count,
    pictures: () => pictures,
  };
}
