import { change, type EditorState, type Place, replaceText, type Search } from "./line-editor-state.ts";
import { graphemes, lineAround } from "./line-editor-text.ts";

/** One line up in the text, or from its first line to the entry before. */
export function up(state: EditorState): EditorState {
  const { start } = lineAround(state.text, state.cursor);
  return start === 0 ? recall(state, -1) : toLine(state, start - 1);
}

/** One line down, or from the last line to the entry behind, and at last to what was being typed. */
export function down(state: EditorState): EditorState {
  const { end } = lineAround(state.text, state.cursor);
  return end === state.text.length ? recall(state, 1) : toLine(state, end + 1);
}

function toLine(state: EditorState, inLine: number): EditorState {
  const { text, cursor } = state;
  const goal = state.goal ?? graphemes(text.slice(lineAround(text, cursor).start, cursor)).length;
  const { start, end } = lineAround(text, inLine);
  const column = graphemes(text.slice(start, end)).slice(0, goal).join("").length;
  return { ...state, cursor: start + column, goal, last: null };
}

function recall(state: EditorState, by: -1 | 1): EditorState {
  const { recalled, history, text, cursor } = state;
  const at = (recalled?.at ?? history.length) + by;
  const draft = recalled?.draft ?? { text, cursor };
  if (at < 0 || at > history.length || (recalled === null && by > 0)) return state;
  if (at === history.length) return { ...change(state, draft.text, draft.cursor), recalled: null };
  return { ...replaceText(state, history[at] ?? ""), recalled: { at, draft } };
}

/** Ctrl-R: begins a search, or goes on to the next older entry. */
export function searchBack(state: EditorState): EditorState {
  const { search, text, cursor } = state;
  if (search === null) return { ...state, search: { query: "", at: null, before: { text, cursor } } };
  return search.query === "" ? state : found(state, search, (search.at ?? 0) - 1);
}

/** More of the query: the newest entry that holds it. */
export function searchFor(state: EditorState, search: Search, query: string): EditorState {
  if (query === "") return { ...back(state, search.before), search: { ...search, query, at: null } };
  return found(state, { ...search, query }, state.history.length - 1);
}

/** Leaves the search: with what was found, or with what was there before. */
export const endSearch = (state: EditorState, keep: boolean): EditorState => {
  if (state.search === null) return state;
  const { before, at } = state.search;
  if (!keep || at === null) return { ...back(state, before), search: null };
  const undo = [...state.undo, before];
  return { ...state, undo, search: null, recalled: { at, draft: state.recalled?.draft ?? before } };
};

const back = (state: EditorState, { text, cursor }: Place): EditorState => ({ ...state, text, cursor });

/** Shows the newest entry not behind `from` that holds the query and differs from what is shown; else stays. */
function found(state: EditorState, search: Search, from: number): EditorState {
  const fold = search.query === search.query.toLowerCase() ? (text: string) => text.toLowerCase() : String;
  const shown = search.at === null ? null : state.history[search.at];
  const isOther = search.query === state.search?.query;
  for (let at = from; at >= 0; at--) {
    const entry = state.history[at] ?? "";
    if (!fold(entry).includes(fold(search.query)) || (isOther && entry === shown)) continue;
    return { ...replaceText(state, entry), undo: state.undo, search: { ...search, at } };
  }
  return isOther ? state : { ...back(state, search.before), search: { ...search, at: null } };
}
