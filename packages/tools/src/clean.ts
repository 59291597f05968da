/*
 * What a terminal would obey is taken out of command output: ANSI/OSC escapes, C1 controls, NUL, bell, backspace and the
 * like; tabs and line ends stay. The cleaner is fed piece by piece, so an escape may be cut anywhere; it never holds back more than one character.
 */

type Mode = "text" | "return" | "escape" | "csi" | "string";

/** Characters that need a look; everything between them passes as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const SPECIAL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

export interface Cleaner {
  write(piece: string): string;
  /** What was held back: a lone carriage return at the very end. */
  end(): string;
}

export function createCleaner(): Cleaner {
  let mode: Mode = "text";
  return Object.freeze({
    write(piece: string): string {
      let out = "";
      let at = 0;
      while (at < piece.length) {
        const step = STEPS[mode](piece, at);
        mode = step.mode;
        at = step.at;
        out += step.out;
      }
      return out;
    },
    end(): string {
      const held = mode === "return" ? "\r" : "";
      mode = "text";
      return held;
    },
  });
}

interface Step {
  readonly mode: Mode;
  /** Where to go on; the same place means: look at this character again in the new mode. */
  readonly at: number;
  readonly out: string;
}

const STEPS: Readonly<Record<Mode, (piece: string, at: number) => Step>> = {
  text(piece, at) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(piece);
    if (found === null) return { mode: "text", at: piece.length, out: piece.slice(at) };
    return { mode: MODE_OF[found[0]] ?? "text", at: found.index + 1, out: piece.slice(at, found.index) };
  },
  return: (piece, at) => ({ mode: "text", at, out: piece[at] === "\n" ? "" : "\r" }),
  escape(piece, at) {
    const c = piece[at] ?? "";
    if (c === "[") return { mode: "csi", at: at + 1, out: "" };
    if ("]PX^_".includes(c)) return { mode: "string", at: at + 1, out: "" };
    if (c >= " " && c <= "/") return { mode: "escape", at: at + 1, out: "" };
    return { mode: "text", at: c >= "0" && c <= "~" ? at + 1 : at, out: "" };
  },
  csi(piece, at) {
    const c = piece[at] ?? "";
    if (c >= " " && c <= "?") return { mode: "csi", at: at + 1, out: "" };
    return { mode: "text", at: c >= "@" && c <= "~" ? at + 1 : at, out: "" };
  },
  /** Ends at BEL or ESC; a line end ends it too, or one unfinished title would swallow the rest of the output. */
  string(piece, at) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    const end = piece.slice(at).search(/[\x07\x1b\n]/);
    if (end === -1) return { mode: "string", at: piece.length, out: "" };
    const stop = at + end;
    if (piece[stop] === "\n") return { mode: "text", at: stop, out: "" };
    return { mode: piece[stop] === "\x1b" ? "escape" : "text", at: stop + 1, out: "" };
  },
};

/** C1 string openers are no modes: in mis-decoded text they are common, and would swallow what follows. */
const MODE_OF: Readonly<Record<string, Mode>> = { "\r": "return", "\x1b": "escape", "\x9b": "csi" };
