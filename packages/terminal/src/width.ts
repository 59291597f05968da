import { eastAsianWidth } from "get-east-asian-width";

/** Columns a tab counts for: where it would end is not known to a piece of a line. */
export const TAB_COLUMNS = 4;

/**
 * Columns the text takes on a terminal: wide characters and emoji two, combining and invisible ones none, escape
 * sequences none, a tab {@link TAB_COLUMNS}. Line ends count nothing: measure lines.
 */
export function width(text: string): number {
  if (NARROW.test(text)) return text.length;
  let columns = 0;
  for (const piece of pieces(text)) columns += piece.columns;
  return columns;
}

/**
 * The beginning of one line that fits in `columns`, never half a character or half a sequence. Where something was
 * left out `mark` ends it, if there is room; colours that the rest would have closed are closed. Tabs become blanks.
 */
export function cut(text: string, columns: number, mark = ""): string {
  const flat = flatten(text);
  if (width(flat) <= columns) return flat;
  const ending = width(mark) <= columns ? mark : "";
  const room = columns - width(ending);
  let used = 0;
  let at = 0;
  for (const piece of pieces(flat)) {
    if (used + piece.columns > room) break;
    used += piece.columns;
    at += piece.text.length;
  }
  const closers = flat.slice(at).match(SEQUENCES) ?? [];
  return flat.slice(0, at) + ending + closers.join("");
}

const flatten = (text: string): string => text.replaceAll("\t", " ".repeat(TAB_COLUMNS));

/**
 * Lines of at most `columns`, broken at blanks and between wide characters, within a word only where it is longer than
 * a line, within a character only where that is; `hang` begins every line but the first, where it leaves room for a wide
 * character. Each line closes the colours it leaves open and the next opens them again. A wide character on one column
 * stands alone on its line: it can't be halved.
 */
export function wrap(text: string, columns: number, hang = ""): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(flatten(line), Math.max(1, columns), hang));
}

function wrapLine(line: string, columns: number, hang: string): readonly string[] {
  if (width(line) <= columns) return [line];
  const page = createPage(columns, width(hang) + 2 <= columns ? hang : "");
  for (const word of words(line)) page.add(word);
  return page.lines();
}

interface Piece {
  readonly text: string;
  readonly columns: number;
  readonly sequence: boolean;
}

interface Word {
  readonly pieces: readonly Piece[];
  readonly columns: number;
  readonly blank: boolean;
}

function createPage(columns: number, hang: string) {
  const lines: string[] = [];
  const colours = createColours();
  let line = "";
  let used = 0;
  let fresh = true;

  const feed = () => {
    lines.push(line.trimEnd() + colours.close());
    line = hang + colours.open();
    used = width(hang);
    fresh = true;
  };
  const put = (piece: Piece) => {
    const isWider = used + piece.columns > columns && piece.columns > columns - width(hang);
    for (const part of isWider ? broken(piece) : [piece]) place(part);
  };
  const place = (piece: Piece) => {
    if (!piece.sequence && !fresh && used + piece.columns > columns) feed();
    line += piece.text;
    used += piece.columns;
    if (piece.sequence) colours.see(piece.text);
    else fresh = false;
  };
  return {
    add(word: Word) {
      const fits = used + word.columns <= columns;
      if (!fits && !fresh) feed();
      // Blanks at a break are dropped, those that begin the text are its indentation.
      if (word.blank && fresh && lines.length > 0) word.pieces.filter((piece) => piece.sequence).forEach(put);
      else word.pieces.forEach(put);
    },
    lines: () => (fresh && lines.length > 0 ? [...lines] : [...lines, line]),
  };
}

/**
 * The parts of a character that is wider than a line, as vowel signs beside a wide one make it: a terminal draws each in
 * cells of its own. An emoji is one picture, however many it is made of.
 */
function broken(piece: Piece): readonly Piece[] {
  if (isEmoji(piece.text)) return [piece];
  const parts: string[] = [];
  for (const char of piece.text) {
    const last = parts.length - 1;
    const begins = last < 0 || (TAKES_ROOM.test(char) && clusterColumns(parts[last] ?? "") > 0);
    if (begins) parts.push(char);
    else parts[last] += char;
  }
  return parts.map((text) => ({ text, columns: clusterColumns(text), sequence: false }));
}

/** Runs of blanks, runs of other narrow characters, and each wide character. */
function words(line: string): readonly Word[] {
  const found: Word[] = [];
  let run: Piece[] = [];
  let kind: Kind | null = null;
  const close = () => {
    const columns = run.reduce((sum, piece) => sum + piece.columns, 0);
    if (run.length > 0) found.push({ pieces: run, columns, blank: kind === "blank" });
    run = [];
  };
  for (const piece of pieces(line)) {
    const next: Kind | null = piece.sequence ? besideBlank(kind) : kindOf(piece);
    if ((kind !== null && next !== kind) || (next === "wide" && !piece.sequence)) close();
    kind = next;
    run.push(piece);
  }
  close();
  return found;
}

/** A sequence behind blanks belongs to the word that follows, any other to the word it is in. */
const besideBlank = (kind: Kind | null): Kind | null => (kind === "blank" ? null : kind);

type Kind = "blank" | "narrow" | "wide";
const kindOf = ({ text, columns }: Piece): Kind => (text === " " ? "blank" : columns > 1 ? "wide" : "narrow");

/** Which colours are on, so that a line can close them and the next open them. */
function createColours() {
  let on: { readonly sequence: string; readonly off: number }[] = [];
  return {
    see(sequence: string) {
      const code = Number(new RegExp(`${ESC}\\[(\\d+)`).exec(sequence)?.[1] ?? "0");
      const off = offOf(code);
      if (code === 0) on = [];
      else if (off === null) on = on.filter((entry) => entry.off !== code);
      else on.push({ sequence, off });
    },
    close: () => on.map(({ off }) => `\u001b[${off}m`).join(""),
    open: () => on.map(({ sequence }) => sequence).join(""),
  };
}

/** The code that ends a colour or weight; null for those that end one. */
function offOf(code: number): number | null {
  if (code === 1 || code === 2) return 22;
  if (code >= 3 && code <= 9) return code + 20;
  if (code >= 30 && code <= 38) return 39;
  if (code >= 40 && code <= 48) return 49;
  if (code >= 90 && code <= 97) return 39;
  return code >= 100 && code <= 107 ? 49 : null;
}

function* pieces(text: string): Generator<Piece> {
  let at = 0;
  for (const { 0: sequence, index } of text.matchAll(SEQUENCES)) {
    yield* clusters(text.slice(at, index));
    yield { text: sequence, columns: 0, sequence: true };
    at = index + sequence.length;
  }
  yield* clusters(text.slice(at));
}

function* clusters(text: string): Generator<Piece> {
  if (NARROW.test(text)) {
    for (const char of text) yield { text: char, columns: 1, sequence: false };
    return;
  }
  // Made when first needed: it costs 8 ms, and most prompts do without.
  const segmenter = new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) {
    yield { text: segment, columns: clusterColumns(segment), sequence: false };
  }
}

/** Columns of what is one character to a reader. */
function clusterColumns(cluster: string): number {
  if (cluster === "\t") return TAB_COLUMNS;
  const [base, ...marks] = [...cluster].filter((char) => !INVISIBLE.test(char));
  if (base === undefined) return 0;
  if (isEmoji(cluster)) return 2;
  const beside = marks.filter((char) => TAKES_ROOM.test(char));
  return [base, ...beside].reduce((sum, char) => sum + eastAsianWidth(char.codePointAt(0) ?? 0), 0);
}

const isEmoji = (cluster: string): boolean =>
  cluster.length > 1 && (FLAG.test(cluster) || KEYCAP.test(cluster) || PICTURE.test(cluster));

const ESC = "\\u001b";
/** CSI and OSC sequences, whole; what else begins with ESC, two characters. */
const SEQUENCES = new RegExp(
  `${ESC}\\[[0-?]*[ -/]*[@-~]|${ESC}\\][^\\u0007\\u001b]*(?:\\u0007|${ESC}\\\\)|${ESC}[^\\[\\]]`,
  "g",
);
/** Texts of these take a column a character: spares the tables and the segmenter on nearly every line. */
const NARROW =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25fc\u2713-\u2718\u2800-\u28ff]*$/;
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Surrogate}]/u;
const TAKES_ROOM = /[\p{Spacing_Mark}\uff00-\uffef]/u;
const FLAG = /^\p{Regional_Indicator}{2}$/u;
const KEYCAP = /^[\d#*]\ufe0f?\u20e3$/u;
/** A picture asked for as such: with a variation selector, a skin tone, or joined to another one. */
const PICTURE = /^\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier}|\u200d.*\p{Extended_Pictographic})/u;
