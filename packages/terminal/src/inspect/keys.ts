import { textOf } from "@smith/contract/message";
import type { Key } from "../keys.ts";
import { type PagerSize, pressPager, refitPager } from "../pager/keys.ts";
import { createPager } from "../pager/state.ts";
import { transcriptDocument } from "../pager/transcript.ts";
import type { InspectState } from "./state.ts";

/** What a key makes of the view. Pure. */
export function pressInspect(state: InspectState, key: Key, size: PagerSize): InspectState {
  const fresh = { ...state, effect: null, said: "", isFault: false };
  if (fresh.open !== null) return pressOpen(fresh, key, size);
  if (key.type === "paste") return { ...fresh, asks: false };
  const names = key.type === "key" ? [key.name] : [...key.text];
  let next: InspectState = fresh;
  for (const name of names) {
    if (next.effect !== null) break; // what was asked for is done first
    next = next.asks ? answer(next, name) : act(next, name, size);
  }
  return inView(next, size);
}

/** The marked row is in view, at whatever size. */
export function inView(state: InspectState, size: Pick<PagerSize, "rows">): InspectState {
  const height = heightOf(size);
  const last = Math.max(0, state.rows.length - height);
  const top = Math.min(Math.max(state.top, state.at - height + 1), state.at, last);
  return { ...state, top: Math.max(0, top) };
}

/** Rows of the list. */
export const heightOf = ({ rows }: Pick<PagerSize, "rows">): number => Math.max(1, rows - (rows > 1 ? 1 : 0));

/** The pager's keys, until it is left; its own copying goes on. */
function pressOpen(state: InspectState, key: Key, size: PagerSize): InspectState {
  if (state.open === null) return state;
  const isBack = key.type === "key" && key.name === "backspace" && state.open.frames.length === 1;
  const open = pressPager(state.open, key, size);
  if (isBack && state.open.typing === null) return { ...state, open: null };
  if (open.effect?.type === "quit") return inView({ ...state, open: null }, size);
  return { ...state, open: refitPager(open, size), effect: open.effect };
}

/** Only a plain y deletes. */
function answer(state: InspectState, name: string): InspectState {
  const row = state.rows[state.at];
  const asked = { ...state, asks: false };
  if (row === undefined || name.toLowerCase() !== "y") return { ...asked, said: "nothing was deleted" };
  return { ...asked, effect: { type: "remove", row } };
}

type Act = (state: InspectState, size: PagerSize) => InspectState;

const act = (state: InspectState, name: string, size: PagerSize): InspectState =>
  (Object.hasOwn(ACTS, name) ? ACTS[name] : undefined)?.(state, size) ?? state;

const move =
  (by: (height: number) => number): Act =>
  (state, size) => ({
    ...state,
    at: Math.min(Math.max(0, state.at + by(heightOf(size))), Math.max(0, state.rows.length - 1)),
  });

/** To the line of the user's that opens the next turn, or this one, or the one before. */
const byTurn =
  (step: 1 | -1): Act =>
  (state) => {
    const opens = state.rows.flatMap(({ message }, at) => (message.role === "user" && message.round === 0 ? [at] : []));
    const found = step === 1 ? opens.find((at) => at > state.at) : opens.findLast((at) => at < state.at);
    return { ...state, at: found ?? (step === 1 ? Math.max(0, state.rows.length - 1) : 0) };
  };

const ofRow =
  (wish: (state: InspectState, row: InspectState["rows"][number], size: PagerSize) => InspectState): Act =>
  (state, size) => {
    const row = state.rows[state.at];
    return row === undefined ? state : wish(state, row, size);
  };

const open = ofRow((state, { message }, size) => {
  const { sections } = transcriptDocument({ messages: [message], unreadable: 0, undone: [] });
  return { ...state, open: refitPager(createPager({ title: "message", sections }), size) };
});
const ask = ofRow((state) => ({ ...state, asks: true }));
const edit = ofRow((state, row) => ({ ...state, effect: { type: "edit", row } }));
const copy = ofRow((state, { message }) => {
  const text = textOf(message.content);
  const said = `${text.length.toLocaleString("en-US")} characters for the clipboard`;
  return text === "" ? state : { ...state, said, effect: { type: "copy", text } };
});
const takeBack: Act = (state) =>
  state.lastChange === null
    ? { ...state, said: "nothing was changed here since smith began" }
    : { ...state, effect: { type: "take_back" } };
const quit: Act = (state) => ({ ...state, effect: { type: "quit" } });
const [down, up, forward, back] = [
  ...[move(() => 1), move(() => -1), move((height) => height), move((height) => -height)],
] as const;

const ACTS: Readonly<Record<string, Act>> = Object.freeze({
  ...{ q: quit, Q: quit, "ctrl-c": quit, escape: quit },
  ...{ j: down, down, " ": down, k: up, up, J: forward, pagedown: forward, "ctrl-f": forward },
  ...{ K: back, pageup: back, "ctrl-b": back, "[": byTurn(-1), "]": byTurn(1) },
  ...{ g: move(() => Number.NEGATIVE_INFINITY), home: move(() => Number.NEGATIVE_INFINITY) },
  ...{ G: move(() => Number.POSITIVE_INFINITY), end: move(() => Number.POSITIVE_INFINITY) },
  ...{ enter: open, v: open, d: ask, delete: ask, e: edit, y: copy, u: takeBack },
  r: (state) => ({ ...state, effect: { type: "reload" } }),
} satisfies Record<string, Act>);
