import { estimate } from "./status.ts";
import { elapsedText, shortCount } from "./status-figures.ts";
import type { ChildStatus, StatusView, Work } from "./status-view.ts";
import type { Theme } from "./theme.ts";
import { cut, width } from "./width.ts";

export interface StatusLook {
  readonly columns: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly theme: Pick<Theme, "dim" | "bold" | "running" | "warn" | "role">;
  /** What the spinner shows now. */
  readonly frame: string;
  /** False: the tree in ASCII. Default true. */
  readonly unicode?: boolean;
}

/** Rows of children; those beyond are counted. */
const CHILD_ROWS = 12;

/** What goes on, in one word or two: `thinking`, `streaming`, `running bash`, `idle`, `error`, `cancelled`. */
export function statusWord(work: Work): string {
  if (work.cancelling) return "cancelling";
  if (work.activity !== "tool") return work.activity;
  const [first, ...others] = work.calls;
  if (first === undefined) return "thinking";
  if (others.length === 0) return `running ${first.tool}`;
  const isSame = others.every((call) => call.tool === first.tool);
  return `running ${work.calls.length}${isSame ? ` × ${first.tool}` : " calls"}`;
}

/** The status rows: what the turn is at, and a row for each running child. None while no turn runs. */
export function statusLines(view: StatusView, look: StatusLook): readonly string[] {
  if (view.started_at === null || !isAtWork(view)) return [];
  const { columns, theme, frame } = look;
  const subject = view.activity === "tool" && view.calls.length === 1 ? (view.calls[0]?.subject ?? "") : "";
  const word = wordOf(view, theme);
  const figures = [elapsed(view, look.now), tokensOf(view), view.cancelling ? "" : "Esc cancels"];
  const tail = theme.dim(figures.filter(isSome).join(" · "));
  const head = `${frame} ${word}`;
  return [joined({ head, middle: theme.dim(subject), tail }, columns), ...childLines(view.children, look)];
}

function wordOf(view: StatusView, theme: StatusLook["theme"]): string {
  if (view.cancelling) return theme.warn("cancelling …");
  return view.waiting === "" ? theme.running(statusWord(view)) : theme.warn(view.waiting);
}

const isAtWork = ({ activity }: Work): boolean =>
  activity === "thinking" || activity === "streaming" || activity === "tool";

const isSome = (text: string): boolean => text !== "";

const elapsed = ({ started_at }: Work, now: number): string =>
  started_at === null ? "" : elapsedText(now - started_at);

function tokensOf(work: Work): string {
  const out = work.output_tokens + estimate(work.streamed_chars);
  const total = work.input_tokens + out;
  return total === 0 ? "" : `${shortCount(total)} tokens`;
}

interface Row {
  readonly head: string;
  /** Gives way first. */
  readonly middle: string;
  readonly tail: string;
}

/** Columns below which a cut middle says nothing. */
const MIDDLE_MIN = 8;

function joined({ head, middle, tail }: Row, columns: number): string {
  const rest = tail === "" ? "" : ` ${tail}`;
  const room = columns - width(head) - width(rest) - 1;
  const between = width(middle) === 0 || room < Math.min(MIDDLE_MIN, width(middle)) ? "" : ` ${cut(middle, room, "…")}`;
  return cut(head + between + rest, columns);
}

function childLines(children: readonly ChildStatus[], look: StatusLook): readonly string[] {
  const rows = walk(children, null, "", look);
  if (rows.length <= CHILD_ROWS) return rows;
  const more = cut(`  and ${rows.length - CHILD_ROWS + 1} more`, look.columns);
  return [...rows.slice(0, CHILD_ROWS - 1), look.theme.dim(more)];
}

function walk(
  children: readonly ChildStatus[],
  parent: string | null,
  indent: string,
  look: StatusLook,
): readonly string[] {
  const [fork, last, bar] = look.unicode === false ? ["|- ", "`- ", "|  "] : ["├─ ", "└─ ", "│  "];
  const own = children.filter((child) => child.parent_job_id === parent);
  return own.flatMap((child, at) => {
    const isLast = at === own.length - 1;
    const row = childLine(child, indent + (isLast ? last : fork), look);
    return [row, ...walk(children, child.job_id, indent + (isLast ? "   " : bar), look)];
  });
}

function childLine(child: ChildStatus, branch: string, look: StatusLook): string {
  const { theme } = look;
  const doing = child.cancelling ? "cancelling" : child.activity === "idle" ? "waiting" : statusWord(child);
  const head = `${theme.dim(branch)}${theme.role(child.role)}`;
  const figures = [doing, child.waiting, elapsed(child, look.now), tokensOf(child)];
  const tail = theme.dim(`· ${figures.filter(isSome).join(" · ")}`);
  return joined({ head, middle: child.task, tail }, look.columns);
}
