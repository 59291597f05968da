/**
 * What the terminal sent, parted: typed letters, a paste, one whole key sequence (also a single control character), or what
 * is no key: the terminal's own answer to a question, whole.
 */
export interface Token {
  readonly type: "text" | "paste" | "sequence" | "answer";
  readonly text: string;
}

/** Parts the stream of a terminal. Pure but for what it holds back; the caller keeps the time. */
export interface Decoder {
  push(text: string): readonly Token[];
  /** What the held text comes to when nothing followed for {@link Decoder.waitMs}. */
  flush(): readonly Token[];
  /** Milliseconds after which held text must be flushed; null: nothing is held, or it may wait for ever. */
  waitMs(): number | null;
}

/** A lone Esc is told from the beginning of a sequence by this silence, ms. */
const ESCAPE_MS = 50;
/** A terminal's answer may come in pieces, ms. */
const ANSWER_MS = 1000;
/** How long the end of a paste may turn out to be no end, because the pasted text held the marker itself, ms. */
const AFTER_PASTE_MS = 20;

export function createDecoder(): Decoder {
  let rest = "";
  let paste: Paste | null = null;

  const take = (text: string): Token[] => {
    const tokens: Token[] = [];
    const scanned = scan(text, tokens);
    rest = scanned.rest;
    if (scanned.paste === null) return tokens;
    paste = createPaste();
    return [...tokens, ...feed(scanned.paste)];
  };
  const feed = (text: string): readonly Token[] => {
    if (paste === null) return take(text);
    // Inside a paste this can only be someone whose terminal never sent the end.
    if (text === "\u0003") return [...conclude(), ...take(text)];
    const next = paste.add(text);
    return next === null ? [] : [...conclude(), ...take(next)];
  };
  const conclude = (): readonly Token[] => {
    const text = paste?.text() ?? "";
    paste = null;
    return [{ type: "paste", text }];
  };

  return Object.freeze({
    push(text: string) {
      const whole = rest + text;
      rest = "";
      return feed(whole);
    },
    flush() {
      if (paste !== null) {
        const after = paste.after();
        return after === null ? [] : [...conclude(), ...take(after)];
      }
      const held = rest;
      rest = "";
      return settle(held);
    },
    waitMs() {
      if (paste !== null) return paste.after() === null ? null : AFTER_PASTE_MS;
      if (rest === "") return null;
      return ANSWER.test(rest) && rest.length > 2 ? ANSWER_MS : ESCAPE_MS;
    },
  });
}

/** A held beginning that nothing followed: Esc, or Alt with a letter that also begins sequences, or a torn sequence. */
function settle(held: string): readonly Token[] {
  if (held === "\u001b\u001b") return [sequence("\u001b"), sequence("\u001b")];
  return held.length === 0 || held.length > 2 ? [] : [sequence(held)];
}

function createPaste() {
  const pieces: string[] = [];
  let tail = ""; // may hold the beginning of the end marker
  let after: string | null = null;

  const split = (text: string) => {
    const end = text.indexOf(PASTE_END);
    if (end < 0) return false;
    pieces.push(text.slice(0, end));
    after = text.slice(end + PASTE_END.length);
    return true;
  };
  /** Another end without a start between: the one before was pasted text. */
  const extend = (text: string): string | null => {
    after = text;
    for (;;) {
      const end = after.indexOf(PASTE_END);
      const start = after.indexOf(PASTE_START);
      if (start >= 0 && (end < 0 || start < end)) return after;
      if (end < 0) return null;
      split(after);
    }
  };
  return {
    /** What follows the paste, once that is certain; null before. */
    add(text: string): string | null {
      if (after !== null) return extend(after + text);
      const whole = tail + text;
      tail = "";
      if (split(whole)) return extend(after ?? "");
      const cut = Math.max(0, whole.length - PASTE_END.length + 1);
      pieces.push(whole.slice(0, cut));
      tail = whole.slice(cut);
      return null;
    },
    after: () => after,
    text: () => (pieces.join("") + (after === null ? tail : "")).replace(/\r\n?/g, "\n"),
  };
}
type Paste = ReturnType<typeof createPaste>;

interface Scanned {
  /** An unfinished sequence at the end. */
  readonly rest: string;
  /** What follows the start of a paste; null: none began. */
  readonly paste: string | null;
}

/** Parts a text from its beginning, up to the start of a paste. Answers and torn sequences are dropped. */
function scan(text: string, tokens: Token[]): Scanned {
  let at = 0;
  while (at < text.length) {
    if (text.startsWith(PASTE_START, at)) return { rest: "", paste: text.slice(at + PASTE_START.length) };
    if (match(UNFINISHED, text, at) !== "") return { rest: text.slice(at), paste: null };
    const { token, length } = next(text, at);
    if (token !== null) tokens.push(token);
    at += length;
  }
  return { rest: "", paste: null };
}

/** What stands at a place, and how long it is; no token: it is dropped. */
function next(text: string, at: number): { readonly token: Token | null; readonly length: number } {
  const letters = match(LETTERS, text, at);
  if (letters !== "") return { token: { type: "text", text: letters }, length: letters.length };
  const key = text[at] === "\u001b" ? match(KEY, text, at) : match(CONTROL, text, at);
  if (key !== "") return { token: sequence(key), length: key.length };
  const answer = match(DROPPED, text, at);
  return { token: answer === "" ? null : { type: "answer", text: answer }, length: Math.max(1, answer.length) };
}

const sequence = (text: string): Token => ({ type: "sequence", text });

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
const ESC = "\\u001b";
const BODY = "[^\\u0007\\u001b\\u009c]*";
const LETTERS = /\P{Control}+/uy;
const CONTROL = /[^\P{Control}\u0080-\u009f]/uy;
const ANSWER = new RegExp(`^${ESC}[\\]PX^_]`);
/** To the end of the text, and more may come: Esc, CSI, SS3, or the body of an OSC, DCS, SOS, PM or APC. */
const UNFINISHED = new RegExp(
  `(?:${ESC}{1,2}(?:\\[[0-?]*[ -/]*|\\[\\[|O[0-9;]*)?|${ESC}[\\]PX^_]${BODY}${ESC}?)$`,
  "y",
);
/** Keys: CSI without the private marks that answers have, the console's function keys, SS3, Alt with a character. */
const KEY = new RegExp(
  `${ESC}{1,2}\\[(?:\\[[A-E]|[0-9;:]*[A-HZPQSu~^$])|${ESC}{1,2}O[0-9;]*[A-Za-z]|${ESC}(?=${ESC})|${ESC}[^\\u001b\\[O\\]PX^_\\u0080-\\u009f]`,
  "yu",
);
/** Answers (strings, reports, focus, mouse) and what no terminal should send. */
const DROPPED = new RegExp(
  `${ESC}[\\]PX^_]${BODY}(?:\\u0007|\\u009c|${ESC}\\\\|(?=${ESC}))|${ESC}{1,2}\\[[0-?]*[ -/]*[@-~]?|${ESC}{1,2}O`,
  "y",
);
