import type { InspectRow } from "@smith/contract/inspect";
import { firstLine, textOf } from "@smith/contract/message";
import { drawPager, type PagerLook } from "../pager/draw.ts";
import type { PagerSize } from "../pager/keys.ts";
import { safeLine } from "../safe.ts";
import type { Theme } from "../theme.ts";
import { cut, width } from "../width.ts";
import { heightOf, inView } from "./keys.ts";
import type { InspectState } from "./state.ts";

/** Characters of a message that its row may need. */
const HEAD_CHARS = 500;

/** The whole screen. */
export function drawInspect(state: InspectState, size: PagerSize, look: PagerLook): readonly string[] {
  if (state.open !== null) return drawPager(state.open, size, look);
  const { top, rows } = inView(state, size);
  const height = heightOf(size);
  const list = rows.slice(top, top + height).map((row, at) => rowText(state, row, { at: top + at, size, look }));
  const none = rows.length === 0 ? ["Nothing is stored of this session yet."] : [];
  const shown = [...none, ...list].slice(0, height).map((row) => cut(row, size.columns, look.unicode ? "…" : "..."));
  const empty = Array.from({ length: Math.max(0, height - shown.length) }, () => look.theme.dim("~"));
  return size.rows > 1 ? [...shown, ...empty, statusRow(state, size, look)] : shown;
}

interface Place {
  readonly at: number;
  readonly size: PagerSize;
  readonly look: PagerLook;
}

function rowText(state: InspectState, row: InspectRow, { at, look }: Place): string {
  const { theme, unicode } = look;
  const goes = state.asks && state.rows[state.at]?.takes.includes(row.seq) === true;
  const mark = goes ? theme.error("x") : at === state.at ? theme.heading(unicode ? "▌" : "|") : " ";
  const digits = `${state.rows.at(-1)?.seq ?? 0}`.length;
  const number = theme.dim(`${row.seq}`.padStart(digits));
  const { message, undone } = row;
  const text = safeLine(firstLine(textOf(message.content).slice(0, HEAD_CHARS * 4), HEAD_CHARS));
  const calls = message.role === "assistant" ? (message.tool_calls ?? []).map(({ name }) => `[${safeLine(name)}]`) : [];
  const head = `${number} ${theme.dim(message.turn_id.padEnd(3))} ${whoText(message, theme)}`;
  const body = [head, ...(undone ? [theme.warn("(undone)")] : []), ...calls.map(theme.running), text];
  const line = body.filter((part) => part !== "").join(" ");
  return `${mark} ${at === state.at ? theme.bold(line) : line}`;
}

function whoText(message: InspectRow["message"], theme: Theme): string {
  switch (message.role) {
    case "user":
      return theme.heading("you");
    case "assistant":
      return theme.ok(message.is_error === true ? "Smith (cut off)" : "Smith");
    case "tool":
      return message.ok ? theme.dim(safeLine(message.name)) : theme.failed(`${safeLine(message.name)} failed`);
    default:
      return message satisfies never;
  }
}

const KEYS = "Enter views, e edits, d deletes, u undoes, q leaves";

function statusRow(state: InspectState, { columns }: PagerSize, { theme, unicode, news }: PagerLook): string {
  if (state.asks) return theme.warn(cut(question(state), columns));
  const { rows, at, unreadable, said } = state;
  const lost = unreadable === 0 ? [] : [`${unreadable} damaged left out`];
  const where = rows.length === 0 ? "empty" : `${at + 1} of ${rows.length}`;
  const parts = ["messages", where, ...lost, ...(said === "" ? [] : [safeLine(said)]), ...(news === "" ? [] : [news])];
  const text = parts.join(unicode ? " · " : " - ");
  const room = columns - width(text) - width(KEYS) - 3;
  const row = room < 0 ? ` ${text} ` : ` ${text}${" ".repeat(room)} ${KEYS} `;
  const shown = cut(theme.colour ? row : `-${row}`, columns);
  return theme.invert(state.isFault ? theme.error(shown) : shown);
}

function question({ rows, at }: InspectState): string {
  const row = rows[at];
  const more = (row?.takes.length ?? 1) - 1;
  const why = row?.message.role === "user" ? "its turn" : "the call and its results";
  const along = more === 0 ? "" : ` and ${more} more that can't stand without it (${why})`;
  return `Delete message ${row?.seq ?? ""}${along}? y deletes, any other key does not`;
}
