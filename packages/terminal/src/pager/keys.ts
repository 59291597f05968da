import type { Key } from "../keys.ts";
import { findRow, topFor } from "./find.ts";
import { PAGER_HELP } from "./help.ts";
import {
  fitting,
  isBefore,
  lastTop,
  moved,
  type PagerPlace,
  type Pages,
  type RowsOf,
  START,
  sameRow,
} from "./pages.ts";
import {
  frameOf,
  type Manner,
  openFrame,
  type PagerDocument,
  type PagerFrame,
  type PagerState,
  withFrame,
} from "./state.ts";

/** What a key's meaning depends on besides the state. */
export interface PagerSize {
  /** Of the whole screen. */
  readonly columns: number;
  readonly rows: number;
  layOut(manner: Manner): RowsOf;
}

export const pagesOf = (state: PagerState, { columns, rows, layOut }: PagerSize): Pages => ({
  sections: frameOf(state).sections,
  rowsOf: layOut(mannerOf(state, columns)),
  height: Math.max(1, rows - (state.statusRow && rows > 1 ? 1 : 0)),
});

const mannerOf = (state: PagerState, columns: number): Manner => ({
  columns: Math.max(1, columns - gutterOf(state, columns)),
  raw: state.raw,
});

/** Columns below which a row is all text. */
const NARROW_COLUMNS = 20;

/** Columns before the text: marks, and row numbers. */
export const gutterOf = ({ numbers }: PagerState, columns: number): number =>
  columns < NARROW_COLUMNS ? 0 : numbers ? 8 : 2;

/** What a key makes of the pager. Pure; letters that came together are taken one by one. */
export function pressPager(state: PagerState, key: Key, size: PagerSize): PagerState {
  const fresh = { ...state, effect: null, said: "" };
  if (fresh.typing !== null) return typePattern(fresh, key, size);
  if (key.type === "paste") return fresh;
  if (key.type === "key") return act(fresh, key.name, size);
  const [first = "", ...others] = key.text;
  const next = act(fresh, first, size);
  // What follows `/` in one piece is the pattern.
  if (others.length === 0 || next.effect !== null) return next;
  return pressPager(next, { type: "text", text: others.join("") }, size);
}

/** At another size, or with other text: the same place, as far as there is one. */
export function refitPager(state: PagerState, size: PagerSize): PagerState {
  const next = laidOutAnew(state, size);
  const { top, focus, sections } = frameOf(next);
  const fitted = fitting(pagesOf(next, size), top);
  return withFrame(next, { top: fitted, focus: Math.min(focus, Math.max(0, sections.length - 1)) });
}

/** Rows are counted anew where they are broken otherwise than before. */
function laidOutAnew(state: PagerState, { columns, layOut }: PagerSize): PagerState {
  const [before, now] = [state.laidOut, mannerOf(state, columns)];
  if (before !== null && before.columns === now.columns && before.raw === now.raw) return state;
  if (before === null) return { ...state, laidOut: now };
  const moveIn = ({ sections }: PagerFrame, place: PagerPlace): PagerPlace => {
    const section = sections[place.section];
    if (section === undefined) return place;
    return { ...place, row: sameRow(place.row, layOut(before)(section), layOut(now)(section)) };
  };
  const frames = state.frames.map((frame) => ({
    ...frame,
    top: moveIn(frame, frame.top),
    hit: frame.hit === null ? null : moveIn(frame, frame.hit),
  }));
  return { ...state, laidOut: now, frames: frames as unknown as PagerState["frames"] };
}

/** The same text read anew: whoever stood at its end goes along with it. */
export function reloadPager(state: PagerState, { sections, title }: PagerDocument, size: PagerSize): PagerState {
  const root = state.frames.length - 1;
  const isRoot = root === 0;
  const pages = pagesOf(state, size);
  const wasAtEnd = isRoot && !isBefore(frameOf(state).top, lastTop(pages));
  const frames = state.frames.map((frame, at) => (at === root ? { ...frame, sections, title } : frame));
  const next = { ...state, frames: frames as unknown as PagerState["frames"] };
  return refitPager(wasAtEnd ? toEnd(next, size) : next, size);
}

export const toEnd = (state: PagerState, size: PagerSize): PagerState => {
  const sections = frameOf(state).sections;
  return withFrame(state, { top: lastTop(pagesOf(state, size)), focus: Math.max(0, sections.length - 1) });
};

function typePattern(state: PagerState, key: Key, size: PagerSize): PagerState {
  const typing = state.typing ?? "";
  if (key.type !== "key") return { ...state, typing: typing + key.text.replaceAll("\n", " ") };
  switch (key.name) {
    case "enter":
      return find({ ...state, typing: null, pattern: typing === "" ? state.pattern : typing }, 1, size);
    case "backspace":
      return { ...state, typing: typing === "" ? null : [...typing].slice(0, -1).join("") };
    case "ctrl-u":
      return { ...state, typing: "" };
    case "escape":
    case "ctrl-c":
      return { ...state, typing: null };
    default:
      return state;
  }
}

type Act = (state: PagerState, size: PagerSize) => PagerState;

const act = (state: PagerState, name: string, size: PagerSize): PagerState =>
  (Object.hasOwn(ACTS, name) ? ACTS[name] : undefined)?.(state, size) ?? state;

/** So many rows further; the focus goes along with what is in view. */
const scroll =
  (rows: (height: number) => number): Act =>
  (state, size) => {
    const pages = pagesOf(state, size);
    return goTo(state, moved(pages, frameOf(state).top, rows(pages.height)), size);
  };

const goTo = (state: PagerState, place: PagerPlace, size: PagerSize): PagerState => {
  const top = fitting(pagesOf(state, size), place);
  return withFrame(state, { top, focus: top.row > 0 || top.section === 0 ? top.section : frameOf(state).focus });
};

/** To the head of a section, as far up as it goes. */
const toSection = (state: PagerState, section: number, size: PagerSize): PagerState => {
  const { sections } = frameOf(state);
  const focus = Math.min(Math.max(0, section), Math.max(0, sections.length - 1));
  return withFrame(state, { focus, top: fitting(pagesOf(state, size), { section: focus, row: 0 }) });
};

const byHeader =
  (step: 1 | -1): Act =>
  (state, size) => {
    const { sections, focus, top } = frameOf(state);
    // Back first goes to the head of what one is in the middle of.
    const isInside = step === -1 && top.section === focus && top.row > 0;
    const headed = (at: number) => sections[at]?.title !== "";
    let at = isInside ? focus : focus + step;
    while (at > 0 && at < sections.length - 1 && !headed(at)) at += step;
    return toSection(state, at, size);
  };

/** Tab only moves the mark while what it goes to is in view. */
const byFocus =
  (step: 1 | -1): Act =>
  (state, size) => {
    const { focus, sections, top } = frameOf(state);
    const next = Math.min(Math.max(0, focus + step), Math.max(0, sections.length - 1));
    const pages = pagesOf(state, size);
    const place = { section: next, row: 0 };
    const isSeen = !isBefore(place, top) && isBefore(place, moved(pages, top, pages.height));
    return isSeen ? withFrame(state, { focus: next }) : toSection(state, next, size);
  };

function find(state: PagerState, step: 1 | -1, size: PagerSize): PagerState {
  const { pattern } = state;
  if (pattern === "") return { ...state, said: "/ looks for a text" };
  const { hit, top } = frameOf(state);
  const pages = pagesOf(state, size);
  const found = findRow(pages, pattern, hit ?? { ...top, row: top.row - step }, step);
  if (found === null) return withFrame({ ...state, said: `not found: ${pattern}` }, { hit: null });
  const { place, wrapped } = found;
  const isSeen = !isBefore(place, top) && isBefore(place, moved(pages, top, pages.height));
  const next = isSeen ? top : fitting(pages, topFor(pages, place));
  const said = wrapped ? (step === 1 ? "from the top again" : "from the end again") : "";
  return withFrame({ ...state, said }, { hit: place, top: next, focus: place.section });
}

const openFocused: Act = (state) => {
  const { sections, focus, title } = frameOf(state);
  const section = sections[focus];
  if (section === undefined || sections.length === 1) return state;
  const name = section.title === "" ? title : section.title;
  return { ...state, frames: [openFrame({ title: name, sections: [section] }), ...state.frames] };
};

const goBack: Act = (state, size) => {
  const [, next, ...rest] = state.frames;
  return next === undefined ? state : refitPager({ ...state, frames: [next, ...rest] }, size);
};

const help: Act = (state) =>
  frameOf(state).sections === PAGER_HELP.sections
    ? state
    : { ...state, frames: [openFrame(PAGER_HELP), ...state.frames] };

const copy: Act = (state) => {
  const { sections, focus } = frameOf(state);
  const text = sections[focus]?.text ?? "";
  const said = `${text.length.toLocaleString("en-US")} characters for the clipboard`;
  return text === "" ? state : { ...state, said, effect: { type: "copy", text } };
};

const quit: Act = (state) => ({ ...state, effect: { type: "quit" } });
const leave: Act = (state, size) => (state.frames.length > 1 ? goBack(state, size) : quit(state, size));
const forward = scroll((height) => height);
const back = scroll((height) => -height);
const down = scroll(() => 1);
const up = scroll(() => -1);
const search: Act = (state) => ({ ...state, typing: "" });
const start: Act = (state) => withFrame(state, { top: START, focus: 0 });

const ACTS: Readonly<Record<string, Act>> = Object.freeze({
  ...{ q: quit, Q: quit, "ctrl-c": quit, escape: leave },
  ...{ j: down, down, " ": down, "ctrl-n": down, "ctrl-e": down, k: up, up, "ctrl-p": up },
  ...{ J: forward, pagedown: forward, "ctrl-f": forward, K: back, pageup: back, "ctrl-b": back },
  ...{ "ctrl-d": scroll((height) => Math.ceil(height / 2)), "ctrl-u": scroll((height) => -Math.ceil(height / 2)) },
  ...{ g: start, home: start, G: toEnd, end: toEnd },
  ...{ "/": search, n: (state, size) => find(state, 1, size) },
  ...{ b: (state, size) => find(state, -1, size), N: (state, size) => find(state, -1, size) },
  ...{ "[": byHeader(-1), "]": byHeader(1), tab: byFocus(1), "shift-tab": byFocus(-1) },
  ...{ enter: openFocused, backspace: goBack, y: copy, "?": help },
  s: (state, size) => refitPager({ ...state, statusRow: !state.statusRow }, size),
  l: (state, size) => refitPager({ ...state, numbers: !state.numbers }, size),
  "ctrl-r": (state, size) => {
    const next = { ...state, raw: !state.raw, said: state.raw ? "Markdown" : "" };
    return refitPager(next, size);
  },
} satisfies Record<string, Act>);
