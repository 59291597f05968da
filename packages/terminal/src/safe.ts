/**
 * Text from a model, a tool, a file or a repository, made safe to draw: escape sequences (CSI, OSC, DCS and their C1
 * forms), other control characters and bidirectional overrides are dropped; a lone carriage return becomes a line end.
 * Letters, tabs and line ends stay. What is drawn on a terminal goes through here; what goes into a pipe does not.
 */
export function safeText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  const stream = createSafeStream();
  return stream.write(text) + stream.end();
}

/** The same on one line: line ends become a blank. */
export const safeLine = (text: string): string =>
  safeText(text)
    .replace(/\s*\n\s*/g, " ")
    .trim();

/** Makes a text that comes in pieces safe to draw, also where a sequence is split between two of them. */
export interface SafeStream {
  /** What may be drawn of this piece. */
  write(piece: string): string;
  /** What was held back, at the end. */
  end(): string;
}

/** Where in a sequence the text stands, after ECMA-48. `string` is the body of an OSC, DCS, SOS, PM or APC. */
type State = "text" | "return" | "escape" | "csi" | "string" | "string_escape";

export function createSafeStream(): SafeStream {
  let state: State = "text";
  return Object.freeze({
    write(piece: string) {
      if (state === "text" && !SUSPICIOUS.test(piece)) return piece;
      let out = "";
      for (const char of piece) {
        const step = advance(state, char);
        state = step.state;
        out += step.out;
      }
      return out;
    },
    end() {
      const out = state === "return" ? "\n" : "";
      state = "text";
      return out;
    },
  });
}

interface Advance {
  readonly state: State;
  readonly out: string;
}

const advance = (state: State, char: string): Advance => RULES[state](char);

const RULES: Readonly<Record<State, (char: string) => Advance>> = {
  text: (char) => fromText(char),
  return: (char) => (char === "\n" ? { state: "text", out: "\n" } : after("\n", fromText(char))),
  escape(char) {
    if (char === "[") return swallow("csi");
    if ("]PX^_".includes(char)) return swallow("string");
    if (isIn(char, 0x20, 0x2f)) return swallow("escape");
    return isIn(char, 0x30, 0x7e) ? swallow("text") : fromText(char);
  },
  csi(char) {
    if (isIn(char, 0x20, 0x3f)) return swallow("csi");
    return isIn(char, 0x40, 0x7e) ? swallow("text") : fromText(char);
  },
  string(char) {
    if (char === BELL || char === STRING_END) return swallow("text");
    if (char === ESCAPE) return swallow("string_escape");
    // A string that its line does not end is ended here: it must not swallow all that follows.
    return char === "\n" ? fromText(char) : swallow("string");
  },
  string_escape: (char) => (char === "\\" ? swallow("text") : advance("escape", char)),
};

const ESCAPE = "\u001b";
const BELL = "\u0007";
const STRING_END = "\u009c";

const swallow = (state: State): Advance => ({ state, out: "" });
const after = (before: string, { state, out }: Advance): Advance => ({ state, out: before + out });
const isIn = (char: string, from: number, to: number): boolean =>
  char.charCodeAt(0) >= from && char.charCodeAt(0) <= to;

function fromText(char: string): Advance {
  if (char === ESCAPE) return swallow("escape");
  if (char === "\u009b") return swallow("csi");
  if ("\u0090\u0098\u009d\u009e\u009f".includes(char)) return swallow("string");
  if (char === "\r") return swallow("return");
  return SUSPICIOUS.test(char) ? swallow("text") : { state: "text", out: char };
}

/** C0 but tab and line feed, DEL with C1, and the marks that reorder text. */
const RANGES = [
  "\\u0000-\\u0008",
  "\\u000b-\\u001f",
  "\\u007f-\\u009f",
  "\\u200e\\u200f",
  "\\u202a-\\u202e",
  "\\u2066-\\u2069",
];
const SUSPICIOUS = new RegExp(`[${RANGES.join("")}]`);
