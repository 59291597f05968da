import type { Completion } from "./completion.ts";
import { remember } from "./history.ts";
import type { Key } from "./keys.ts";
import { down, endSearch, searchBack, searchFor, up } from "./line-editor-history.ts";
import {
  change,
  clearText,
  type EditorEffect,
  type EditorState,
  insert,
  kill,
  moveTo,
  remove,
  textIn,
  transpose,
  typeText,
  undo,
} from "./line-editor-state.ts";
import { charAfter, charBefore, graphemes, lineAround, wordAfter, wordBefore } from "./line-editor-text.ts";

/** What a key makes of the editor. Pure; `effect` says what the door has to do. */
export function edit(state: EditorState, key: Key): EditorState {
  const fresh: EditorState = { ...state, effect: null, offered: [] };
  if (fresh.search !== null) return inSearch(fresh, key);
  if (key.type === "text") return typeText(fresh, key.text);
  if (key.type === "paste") return insert(fresh, key.text.replace(/\r\n?/g, "\n"));
  if (key.name === "escape" && state.offered.length > 0) return fresh;
  const bound = Object.hasOwn(KEYS, key.name) ? KEYS[key.name] : undefined;
  return bound?.(fresh) ?? withEffect(fresh, { type: "unbound", name: key.name });
}

function inSearch(state: EditorState, key: Key): EditorState {
  const { search } = state;
  if (search === null) return state;
  if (key.type !== "key") return searchFor(state, search, search.query + (key.text.split("\n")[0] ?? ""));
  switch (key.name) {
    case "ctrl-r":
      return searchBack(state);
    case "backspace":
      return searchFor(state, search, graphemes(search.query).slice(0, -1).join(""));
    case "escape":
    case "ctrl-g":
    case "ctrl-c":
      return endSearch(state, false);
    case "tab":
      return endSearch(state, true);
    case "enter": // what was not found is not submitted
      return search.at === null && search.query !== "" ? endSearch(state, false) : edit(endSearch(state, true), key);
    default:
      return edit(endSearch(state, true), key);
  }
}

const withEffect = (state: EditorState, effect: EditorEffect): EditorState => ({ ...state, effect });

/** Enter: submits, but a backslash at the very end asks for another line. */
function enter(state: EditorState): EditorState {
  const { text, cursor } = state;
  const slashes = /\\*$/.exec(text)?.[0].length ?? 0;
  if (cursor === text.length && slashes % 2 === 1) return change(state, `${text.slice(0, -1)}\n`, cursor);
  const whole = textIn(state);
  return withEffect({ ...clearText(state), history: remember(state.history, whole) }, { type: "submit", text: whole });
}

const newLine = (state: EditorState): EditorState => insert(state, "\n");
const lineStart = ({ text, cursor }: EditorState): number => lineAround(text, cursor).start;
const lineEnd = ({ text, cursor }: EditorState): number => lineAround(text, cursor).end;
const left = (state: EditorState): EditorState => moveTo(state, charBefore(state.text, state.cursor));
const right = (state: EditorState): EditorState => moveTo(state, charAfter(state.text, state.cursor));
const wordLeft = (state: EditorState): EditorState => moveTo(state, wordBefore(state.text, state.cursor));
const wordRight = (state: EditorState): EditorState => moveTo(state, wordAfter(state.text, state.cursor));
const home = (state: EditorState): EditorState => moveTo(state, lineStart(state));
const end = (state: EditorState): EditorState => moveTo(state, lineEnd(state));
const rubOut = (state: EditorState): EditorState => remove(state, charBefore(state.text, state.cursor), state.cursor);
const deleteChar = (state: EditorState): EditorState =>
  remove(state, state.cursor, charAfter(state.text, state.cursor));
const killWordBefore = (state: EditorState): EditorState =>
  kill(state, wordBefore(state.text, state.cursor), state.cursor);
const killWordAfter = (state: EditorState): EditorState =>
  kill(state, state.cursor, wordAfter(state.text, state.cursor));

/** To the end of the line; at its end, the line end itself. */
const killToEnd = (state: EditorState): EditorState =>
  kill(state, state.cursor, lineEnd(state) > state.cursor ? lineEnd(state) : charAfter(state.text, state.cursor));

/** To the beginning of the line; at its beginning, the line end before it. */
const killToStart = (state: EditorState): EditorState =>
  kill(
    state,
    state.cursor === lineStart(state) ? charBefore(state.text, state.cursor) : lineStart(state),
    state.cursor,
  );

const tab = (state: EditorState): EditorState =>
  state.cursor === state.text.length ? withEffect(state, { type: "complete", text: state.text }) : state;

const KEYS: Readonly<Record<string, (state: EditorState) => EditorState>> = {
  enter,
  "alt-enter": newLine,
  "shift-enter": newLine,
  "ctrl-enter": newLine,
  "ctrl-j": newLine,
  "ctrl-alt-j": newLine,
  left,
  right,
  up,
  down,
  home,
  end,
  "ctrl-b": left,
  "ctrl-f": right,
  "ctrl-p": up,
  "ctrl-n": down,
  "ctrl-a": home,
  "ctrl-e": end,
  "alt-b": wordLeft,
  "alt-left": wordLeft,
  "ctrl-left": wordLeft,
  "alt-f": wordRight,
  "alt-right": wordRight,
  "ctrl-right": wordRight,
  "ctrl-home": (state) => moveTo(state, 0),
  "ctrl-end": (state) => moveTo(state, state.text.length),
  backspace: rubOut,
  "shift-backspace": rubOut,
  delete: deleteChar,
  "ctrl-d": (state) => (state.text === "" ? withEffect(state, { type: "eof" }) : deleteChar(state)),
  "ctrl-k": killToEnd,
  "ctrl-u": killToStart,
  "ctrl-w": (state) => kill(state, wordBefore(state.text, state.cursor, true), state.cursor),
  "alt-backspace": killWordBefore,
  "ctrl-backspace": killWordBefore,
  "alt-d": killWordAfter,
  "alt-delete": killWordAfter,
  "ctrl-delete": killWordAfter,
  "ctrl-y": (state) => (state.killed === "" ? state : insert(state, state.killed)),
  "ctrl-t": transpose,
  "ctrl-_": undo,
  "ctrl-r": searchBack,
  tab,
  escape: (state) => withEffect(state, { type: "escape" }),
  "ctrl-c": (state) => withEffect(state, { type: "interrupt" }),
  "ctrl-l": (state) => withEffect(state, { type: "clear_screen" }),
};

/**
 * Puts in what the words that were found have in common, the whole word and a blank where there is one; where nothing is
 * gained they are offered. Completions of a text that has changed meanwhile are dropped.
 */
export function applyCompletion(state: EditorState, { text, typed, words }: Completion): EditorState {
  const fresh: EditorState = { ...state, effect: null };
  const [first] = words;
  if (first === undefined || state.text !== text || state.cursor !== text.length) return fresh;
  const put = (word: string) =>
    change(fresh, text.slice(0, text.length - typed.length) + word, Number.MAX_SAFE_INTEGER);
  if (words.length === 1) return put(first.endsWith("/") ? first : `${first} `);
  const common = commonStart(words);
  if (common.length > typed.length && common.startsWith(typed)) return put(common);
  return { ...fresh, offered: words };
}

function commonStart(words: readonly string[]): string {
  const [first = [], ...others] = words.map(graphemes);
  const differs = first.findIndex((char, at) => others.some((other) => other[at] !== char));
  return (differs < 0 ? first : first.slice(0, differs)).join("");
}
