import { createFullScreen } from "./full-screen.ts";
import {
  type Cell,
  type Drawn,
  drawable,
  erase,
  HIDE,
  isSame,
  type Live,
  layOut,
  NOTHING,
  PASTE_OFF,
  PASTE_ON,
  paint,
  SHOW,
  SYNC_OFF,
  SYNC_ON,
  WIPE,
} from "./live-area.ts";

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
  /**
   * Takes the whole terminal, the alternate screen, for these rows, or draws them anew there. Null gives it back as it was.
   * What is printed meanwhile stands there afterwards.
   */
  full(lines: readonly string[] | null): void;
  /** A sequence that moves nothing: a question, a text for the clipboard, a picture. False: it was not sent. */
  send(sequence: string): boolean;
  /**
   * A picture with the live area: shown anew, or with null taken away. It goes by itself before anybody else has the
   * terminal. Where there is no live area, and while the terminal can't keep up, nothing is shown.
   */
  picture(frame: PictureFrame | null): void;
  /** Gives the terminal to someone else: no live area, a plain cursor. What is printed meanwhile goes straight out. */
  suspend(): void;
  resume(): void;
  /** Leaves the terminal as it was found; printing goes on without a live area. */
  close(): void;
}

/** Two sequences that move nothing. */
export interface PictureFrame {
  readonly show: string;
  readonly erase: string;
}

export function createScreen({ out, crlf, dumb = false }: ScreenOptions): Screen {
  const isLive = out.isTty && !dumb;
  let wanted: Live = NOTHING;
  let drawn: Drawn | null = null;
  /** The printed line that has not ended. */
  let open = "";
  let state: "fresh" | "on" | "suspended" | "closed" = "fresh";
  let waits = false;
  let gone = false;
  const whole = createFullScreen();
  /** Printed while the whole terminal was taken. */
  let kept = "";
  /** What had the whole terminal before it was given to someone else. */
  let comeBack: readonly string[] | null = null;

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
      if (whole.isOn()) write(whole.paint(size()));
      else update("");
    });
  };
  const ends = (text: string) => (crlf && out.isTty ? toCrlf(text) : text);
  const plain = (text: string) => write(ends(text));

  /** One write: the live area off, the text on, the live area on. */
  const update = (permanent: string) => {
    if (state === "suspended" || state === "closed" || whole.isOn()) return;
    const { columns, rows } = size();
    const next = layOut(wanted, open, { columns, rows });
    if (permanent === "" && (waits || (drawn !== null && isSame(drawn, next)))) return;
    const begin = state === "fresh" ? PASTE_ON : "";
    state = "on";
    write(SYNC_ON + begin + HIDE + erase(drawn, { columns, rows }) + ends(permanent) + paint(next) + SYNC_OFF);
    drawn = next;
  };
  /** Takes away what a picture shows; empty: there is none. */
  let eraser = "";
  const dropPicture = () => {
    write(eraser);
    eraser = "";
  };
  const giveBack = () => {
    if (!whole.isOn()) return;
    write(whole.close());
    const printed = kept;
    kept = "";
    update(printed);
  };
  const takeDown = (to: "suspended" | "closed") => {
    dropPicture();
    if (state === "on") write(erase(drawn, size()) + (open === "" ? "" : ends(`${open}\n`)) + PASTE_OFF + SHOW);
    if (state === "on") open = "";
    drawn = null;
    state = to;
  };

  const screen: Screen = Object.freeze({
    isLive,
    size,
    print(text: string) {
      if (!isLive || state === "suspended" || state === "closed") return plain(text);
      const all = open + text;
      const end = all.lastIndexOf("\n") + 1;
      open = all.slice(end);
      if (whole.isOn()) kept += all.slice(0, end);
      else update(all.slice(0, end));
    },
    live(lines: readonly string[], cursor?: Cell) {
      wanted = { lines, cursor: cursor ?? null };
      if (isLive) update("");
    },
    full(lines: readonly string[] | null) {
      if (!isLive || state === "suspended" || state === "closed") return;
      if (lines === null) return giveBack();
      dropPicture();
      whole.want(lines.map(drawable));
      if (!waits) write(whole.paint(size()));
    },
    send(sequence: string) {
      const may = isLive && !gone && !waits && state !== "suspended" && state !== "closed";
      if (may) write(sequence);
      return may;
    },
    picture(frame: PictureFrame | null) {
      if (frame === null) return dropPicture();
      if (state !== "on" || whole.isOn() || waits) return;
      eraser = frame.erase;
      write(frame.show);
    },
    clear() {
      if (!isLive || state === "suspended" || state === "closed" || whole.isOn()) return;
      write(WIPE);
      drawn = null;
      update("");
    },
    suspend() {
      if (!isLive || state === "closed") return;
      const lines = whole.wanted();
      giveBack();
      takeDown("suspended");
      comeBack = lines;
    },
    resume() {
      if (state !== "suspended") return;
      state = "fresh";
      update("");
      if (comeBack !== null) screen.full(comeBack);
      comeBack = null;
    },
    close() {
      if (!isLive || state === "closed") return;
      giveBack();
      takeDown("closed");
    },
  });
  return screen;
}

/** Bare line feeds as CR LF. */
export const toCrlf = (text: string): string => text.replace(/\r?\n/g, "\r\n");

const sane = (count: number | undefined, unknown: number): number =>
  count !== undefined && count >= 1 ? Math.floor(count) : unknown;
