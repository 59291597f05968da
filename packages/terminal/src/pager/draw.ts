import { safeLine } from "../safe.ts";
import type { Theme } from "../theme.ts";
import { cut, width } from "../width.ts";
import { hitsIn, plainOf } from "./find.ts";
import { gutterOf, type PagerSize, pagesOf } from "./keys.ts";
import { isBefore, lastTop, type PagerPlace, rowsFrom, type ShownRow, START, shareAbove } from "./pages.ts";
import { frameOf, type PagerState } from "./state.ts";

export interface PagerLook {
  readonly theme: Theme;
  /** False: marks of ASCII. */
  readonly unicode: boolean;
  /** What goes on meanwhile, for the status row; empty: nothing. */
  readonly news: string;
}

/** The whole screen: as many rows as it has, each of at most its columns. */
export function drawPager(state: PagerState, size: PagerSize, look: PagerLook): readonly string[] {
  const pages = pagesOf(state, size);
  const gutter = gutterOf(state, size.columns);
  const rows = rowsFrom(pages, frameOf(state).top).map((row) =>
    cut(gutterText(state, row, { gutter, look }) + textOf(state, row, look.theme), size.columns),
  );
  const empty = Array.from({ length: Math.max(0, pages.height - rows.length) }, () => look.theme.dim("~"));
  const body = [...rows, ...empty];
  return state.statusRow && size.rows > 1 ? [...body, statusRow(state, size, look)] : body;
}

function textOf({ pattern }: PagerState, { text }: ShownRow, theme: Theme): string {
  if (pattern === "") return text;
  const plain = plainOf(text);
  const hits = hitsIn(plain, pattern);
  if (hits.length === 0) return text;
  let [out, at] = ["", 0];
  for (const hit of hits) {
    out += plain.slice(at, hit) + theme.invert(plain.slice(hit, hit + pattern.length));
    at = hit + pattern.length;
  }
  return out + plain.slice(at);
}

/** `>` stands before the row that was found, a bar before the part that is marked. */
function gutterText(
  state: PagerState,
  { place }: ShownRow,
  { gutter, look }: { readonly gutter: number; readonly look: PagerLook },
): string {
  if (gutter === 0) return "";
  const { hit, focus, sections } = frameOf(state);
  const isHit = hit !== null && hit.section === place.section && hit.row === place.row;
  const isFocus = place.section === focus && sections.length > 1;
  const bar = isFocus ? look.theme.heading(look.unicode ? "▌" : "|") : " ";
  const mark = isHit ? look.theme.warn(">") : bar;
  if (!state.numbers) return `${mark} `;
  return `${mark}${look.theme.dim(`${place.row + 1}`.padStart(gutter - 2))} `;
}

function statusRow(state: PagerState, size: PagerSize, { theme, unicode, news }: PagerLook): string {
  const { columns } = size;
  if (state.typing !== null)
    return cut(`/${tail(safeLine(state.typing), columns - 2)}${theme.colour ? theme.invert(" ") : "_"}`, columns);
  const frame = frameOf(state);
  const where = placeWord(state, size);
  const depth = state.frames.length > 1 ? ["Backspace goes back"] : [];
  const said = state.said === "" ? depth : [safeLine(state.said)];
  const parts = [
    safeLine(frame.title),
    where,
    ...(state.raw ? ["source"] : []),
    ...said,
    ...(news === "" ? [] : [news]),
  ];
  const text = parts.join(unicode ? " · " : " - ");
  const keys = "q leaves, / finds, ? keys";
  const room = columns - width(text) - width(keys) - 3;
  const row = room < 0 ? ` ${text} ` : ` ${text}${" ".repeat(room)} ${keys} `;
  return theme.invert(cut(theme.colour ? row : `-${row}`, columns)); // without colour a dash tells it apart
}

/** The end of a text, where it is longer than the room. */
function tail(text: string, columns: number): string {
  let shown = text;
  while (shown !== "" && width(shown) > columns) shown = [...shown].slice(1).join("");
  return shown;
}

function placeWord(state: PagerState, size: PagerSize): string {
  const pages = pagesOf(state, size);
  const { top } = frameOf(state);
  const last = lastTop(pages);
  if (isAt(last, START)) return "all";
  if (isAt(top, START)) return "top";
  return isBefore(top, last) ? `${Math.floor(100 * shareAbove(pages, top))} %` : "end";
}

const isAt = (a: PagerPlace, b: PagerPlace): boolean => a.section === b.section && a.row === b.row;
