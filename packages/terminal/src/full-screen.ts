import { HIDE, SHOW, SYNC_OFF, SYNC_ON, WIPE } from "./live-area.ts";
import { cut } from "./width.ts";

/** The alternate screen: what is written to enter it, to draw on it, and to leave it. The screen writes it. */
export interface FullScreen {
  isOn(): boolean;
  /** The rows it shall show. The first wish turns it on. */
  want(lines: readonly string[]): void;
  /** Null: it is off. */
  wanted(): readonly string[] | null;
  /** What brings the terminal from what it shows to what it shall show; empty: nothing does. */
  paint(size: { readonly columns: number; readonly rows: number }): string;
  close(): string;
}

export function createFullScreen(): FullScreen {
  let wanted: readonly string[] | null = null;
  let drawn: { readonly rows: readonly string[]; readonly columns: number; readonly count: number } | null = null;
  let entered = false;

  return Object.freeze({
    isOn: () => wanted !== null,
    want(lines: readonly string[]) {
      wanted = lines;
    },
    wanted: () => wanted,
    paint({ columns, rows: count }: { readonly columns: number; readonly rows: number }) {
      if (wanted === null) return "";
      const rows = Array.from({ length: count }, (_, at) => cut(wanted?.[at] ?? "", columns));
      const isSameSize = drawn !== null && drawn.columns === columns && drawn.count === count;
      const before = isSameSize ? (drawn?.rows ?? []) : null;
      const changed = rows.map((row, at) => (before?.[at] === row ? "" : rowText(at, row)));
      const begin = entered ? "" : ENTER;
      const wipe = before === null ? WIPE : "";
      entered = true;
      drawn = { rows, columns, count };
      const body = changed.join("");
      return begin + wipe + body === "" ? "" : SYNC_ON + begin + wipe + body + SYNC_OFF;
    },
    close() {
      const text = entered ? LEAVE : "";
      wanted = null;
      drawn = null;
      entered = false;
      return text;
    },
  });
}

const ESC = "\u001b";

/** To the row, emptied, then what stands there; its colours end with it. */
const rowText = (at: number, row: string): string =>
  `${ESC}[${at + 1};1H${ESC}[2K${row}${row.includes(ESC) ? `${ESC}[0m` : ""}`;

const ENTER = `${ESC}[?1049h${HIDE}`;
const LEAVE = `${ESC}[?1049l${SHOW}`;
