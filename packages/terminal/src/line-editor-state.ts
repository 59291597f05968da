import { charAfter, graphemes, snap } from "./line-editor-text.ts";

/** What the door is to do after a key; the editor's own state has already changed. */
export type EditorEffect =
  /** The whole text, held pastes included; the editor is empty again. */
  | { readonly type: "submit"; readonly text: string }
  /** Ctrl-C. The text is kept: `clearText` empties it. */
  | { readonly type: "interrupt" }
  /** Ctrl-D on an empty line. */
  | { readonly type: "eof" }
  /** Esc with nothing of the editor's to close. */
  | { readonly type: "escape" }
  /** Ctrl-L. */
  | { readonly type: "clear_screen" }
  /** Tab at the end of the text: look for completions of it and hand them to `applyCompletion`. */
  | { readonly type: "complete"; readonly text: string }
  /** A chord that the editor has no use for, as `alt-h`. */
  | { readonly type: "unbound"; readonly name: string };

export interface Place {
  readonly text: string;
  /** UTF-16 offset of a boundary between characters, 0 to the text's length. */
  readonly cursor: number;
}

export interface Search {
  readonly query: string;
  /** The entry found; null: none. */
  readonly at: number | null;
  readonly before: Place;
}

/** All there is to an editor. Frozen by convention: every key makes another. */
export interface EditorState extends Place {
  /** Large pastes; in the text a private character stands for each. */
  readonly held: readonly string[];
  /** Oldest first. */
  readonly history: readonly string[];
  /** Which entry is shown, and what was being typed before; null: none. */
  readonly recalled: { readonly at: number; readonly draft: Place } | null;
  /** The last killed text, whole. */
  readonly killed: string;
  readonly undo: readonly Place[];
  /** What the last key did, for kills and letters that belong together. */
  readonly last: "type" | "kill" | null;
  /** The column, in characters, that up and down keep to. */
  readonly goal: number | null;
  readonly search: Search | null;
  /** Words offered by the last Tab. */
  readonly offered: readonly string[];
  readonly effect: EditorEffect | null;
}

/** An empty editor over a history, oldest first. */
export const createEditor = (history: readonly string[] = []): EditorState => ({
  text: "",
  cursor: 0,
  held: [],
  history,
  recalled: null,
  killed: "",
  undo: [],
  last: null,
  goal: null,
  search: null,
  offered: [],
  effect: null,
});

/** The same editor with nothing typed; history and the killed text stay. */
export const clearText = ({ history, killed }: EditorState): EditorState => ({ ...createEditor(history), killed });

/** A paste of more characters or lines than these is shown as a placeholder. */
export const HELD_CHARS = 2000;
export const HELD_LINES = 20;

const FIRST_MARK = 0x100000;
const MARKS = /[\u{100000}-\u{10fffd}]/gu;

const countLines = (text: string): number => text.split("\n").length;

/** The text as it stands in the editor: large ones, and those with characters of the kind that stand for them, are held. */
function hold(held: readonly string[], text: string): { readonly held: readonly string[]; readonly shown: string } {
  const isLarge = text.length > HELD_CHARS || countLines(text) > HELD_LINES;
  if (!isLarge && text.search(MARKS) < 0) return { held, shown: text };
  return { held: [...held, text], shown: String.fromCodePoint(FIRST_MARK + held.length) };
}

const heldAt = (held: readonly string[], mark: string): string | undefined =>
  held[(mark.codePointAt(0) ?? 0) - FIRST_MARK];

/** The text with what is held in its place. */
export const expand = (held: readonly string[], text: string): string =>
  held.length === 0 ? text : text.replace(MARKS, (mark) => heldAt(held, mark) ?? mark);

/** The whole text, as it would be submitted. */
export const textIn = ({ held, text }: EditorState): string => expand(held, text);

/** What is drawn for a held paste, as `[pasted 1,234 lines]`; undefined for any other character. */
export function labelOf(held: readonly string[], char: string): string | undefined {
  const text = heldAt(held, char);
  if (text === undefined) return undefined;
  const lines = countLines(text.replace(/\n$/, ""));
  const size = lines > 1 ? `${grouped(lines)} lines` : `${grouped(text.length)} characters`;
  return `[pasted ${size}]`;
}

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** Changes kept for undo. */
const UNDO_MAX = 200;

/** Moves the cursor. */
export const moveTo = (state: EditorState, cursor: number): EditorState => ({
  ...state,
  cursor: snap(state.text, cursor),
  last: null,
  goal: null,
});

/** Another text, which undo takes back. */
export function change(state: EditorState, text: string, cursor: number): EditorState {
  const undo = [...state.undo, { text: state.text, cursor: state.cursor }].slice(-UNDO_MAX);
  return { ...state, text, cursor: snap(text, cursor), undo, last: null, goal: null };
}

/** Puts a text in at the cursor. */
export function insert(state: EditorState, text: string): EditorState {
  const { held, shown } = hold(state.held, text);
  const { cursor } = state;
  const next = state.text.slice(0, cursor) + shown + state.text.slice(cursor);
  return { ...change(state, next, cursor + shown.length), held };
}

/** Letters: those of a word are undone together. */
export function typeText(state: EditorState, text: string): EditorState {
  const next = insert(state, text);
  const joins = state.last === "type" && !/\s/.test(text);
  return { ...next, undo: joins ? state.undo : next.undo, last: "type" };
}

/** Takes out what is between two places, the cursor left at the first. */
export const remove = (state: EditorState, from: number, to: number): EditorState =>
  from >= to ? { ...state, last: null } : change(state, state.text.slice(0, from) + state.text.slice(to), from);

/** As `remove`, but what was taken can be put in again; kills in a row are one. */
export function kill(state: EditorState, from: number, to: number): EditorState {
  if (from >= to) return { ...state, last: state.last === "kill" ? "kill" : null };
  const taken = expand(state.held, state.text.slice(from, to));
  const before = state.last === "kill" ? state.killed : "";
  const killed = to <= state.cursor ? taken + before : before + taken;
  return { ...remove(state, from, to), killed, last: "kill" };
}

/** Shows another whole text, as from the history. */
export function replaceText(state: EditorState, text: string): EditorState {
  const { held, shown } = hold(state.held, text);
  return { ...change(state, shown, shown.length), held };
}

export function undo(state: EditorState): EditorState {
  const back = state.undo.at(-1);
  return back === undefined ? state : { ...state, ...back, undo: state.undo.slice(0, -1), last: null, goal: null };
}

/** Changes the places of the characters around the cursor; at the end of a line, of the two before it. */
export function transpose(state: EditorState): EditorState {
  const { text, cursor } = state;
  const isEnd = cursor >= text.length || text[cursor] === "\n";
  const end = isEnd ? cursor : charAfter(text, cursor);
  const before = graphemes(text.slice(text.lastIndexOf("\n", end - 1) + 1, end));
  const [first, second] = before.slice(-2);
  if (first === undefined || second === undefined) return state;
  const start = end - first.length - second.length;
  return change(state, text.slice(0, start) + second + first + text.slice(end), end);
}
