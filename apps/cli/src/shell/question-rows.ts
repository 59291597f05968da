import { relative } from "node:path";
import type { ConfirmRequest } from "@smith/contract/confirm";
import {
  diffEdit,
  type EditorState,
  type Rendered,
  renderEditor,
  safeLine,
  safeText,
  type Theme,
  width,
  wrap,
} from "@smith/terminal";
import { plannedChange } from "./planned-change.ts";

/** Characters of a job's task, and of its id, that are shown. */
const TASK_CHARS = 200;
const ID_CHARS = 4;
/** Characters of a hook's reason. */
const DOUBT_CHARS = 200;

/** Who wants to do what. */
function headOf({ tool, role, job_id, task, doubt }: ConfirmRequest, theme: Theme): string {
  const why = doubt === null ? "" : theme.dim(` (${safeLine(doubt.slice(0, DOUBT_CHARS).toWellFormed())})`);
  const what = `${theme.warn("?")} ${theme.role(role)} wants to run ${theme.bold(safeLine(tool))}${why}`;
  if (job_id === null) return what;
  const about = task === null ? "" : `: ${safeLine(task.slice(0, TASK_CHARS).toWellFormed())}`;
  return `${what} ${theme.dim(`for job ${safeLine(job_id).slice(0, ID_CHARS)}${about}`)}`;
}

/** What the call would do, in painted lines: the diff of an edit or a write, else its arguments, whole. */
export async function detailOf(request: ConfirmRequest, theme: Theme): Promise<readonly string[]> {
  const planned = request.fault === null ? plannedChange(request) : null;
  const args = () => argsLines(request.args, theme);
  if (planned === null) return args();
  if ("refused" in planned) return [theme.warn(`It would be refused: ${planned.refused}.`), ...args()];
  const { path, before, after } = planned;
  const { full, stats } = await diffEdit(before, after);
  const paint = { header: theme.hunk, removed: theme.removed, added: theme.added };
  const counts = before === "" ? `new, ${stats.new_lines} lines` : `+${stats.new_lines} -${stats.old_lines} lines`;
  return [
    `${theme.name(safeLine(shorten(path, request.cwd)))} ${theme.dim(counts)}`,
    ...full.map(({ kind, text }) => paint[kind](text)),
    ...hiddenIn(after, theme),
  ];
}

const shorten = (path: string, cwd: string): string => {
  const near = relative(cwd, path);
  return near === "" || near.startsWith("..") ? path : near;
};

/** A command as it stands, everything else by its name. */
function argsLines(args: unknown, theme: Theme): readonly string[] {
  if (typeof args !== "object" || args === null) return [JSON.stringify(args) ?? ""];
  return Object.entries(args).flatMap(([name, value]: readonly [string, unknown]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const lines = safeText(text).split("\n");
    const shown = name === "command" ? lines : named(safeLine(name), lines, theme);
    return [...shown, ...(typeof value === "string" ? hiddenIn(value, theme) : [])];
  });
}

const named = (name: string, lines: readonly string[], theme: Theme): readonly string[] =>
  lines.length === 1
    ? [`${theme.dim(`${name}:`)} ${lines[0]}`]
    : [theme.dim(`${name}:`), ...lines.map((line) => `  ${line}`)];

/** Whoever approves has to know that there is more than is seen. */
const hiddenIn = (text: string, theme: Theme): readonly string[] =>
  safeText(text) === text ? [] : [theme.warn("It holds control characters, which are not shown here; e shows them.")];

/** Breaks the detail into rows, and leaves out what there is no room for, with a row that says so. */
function fitDetail(
  detail: readonly string[],
  { columns, room, theme }: { readonly columns: number; readonly room: number; readonly theme: Theme },
): readonly string[] {
  const rows = detail.flatMap((line) => wrap(`  ${line}`, columns, "  "));
  if (rows.length <= room) return rows;
  const kept = Math.max(0, room - 1);
  return [...rows.slice(0, kept), theme.dim(`  … ${rows.length - kept} more rows; e opens all in your editor`)];
}

/** Of a question, what is drawn. */
export interface Shown {
  readonly request: ConfirmRequest;
  readonly detail: readonly string[];
  /** The reason that is being typed; null: a key is waited for. */
  readonly reason: EditorState | null;
  /** Why what was edited can't be taken. */
  readonly fault: string | null;
  readonly mayRun: boolean;
}

interface Painting {
  readonly theme: Theme;
  readonly unicode: boolean;
}

/** The question in at most `room` rows, where its head, its fault and the keys leave that much. */
export function drawQuestion(
  { request, detail, reason, fault, mayRun }: Shown,
  { columns, room }: { readonly columns: number; readonly room: number },
  { theme, unicode }: Painting,
): Rendered {
  const head = wrap(headOf(request, theme), columns, "  ");
  const why =
    fault === null
      ? []
      : safeText(fault)
          .split("\n")
          .flatMap((line) => wrap(theme.error(`  ${line}`), columns, "  "));
  const prompt = `no, because ${unicode ? "▸" : ">"} `;
  const below =
    reason === null
      ? keyRows({ tool: request.tool, mayRun }, { columns, theme, unicode })
      : renderEditor(reason, { columns, prompt });
  const fixed = head.length + why.length + below.lines.length;
  const above = [...head, ...fitDetail(detail, { columns, room: Math.max(1, room - fixed), theme }), ...why];
  const { row, column } = below.cursor;
  return { lines: [...above, ...below.lines], cursor: { row: above.length + row, column } };
}

function keyRows(
  { tool, mayRun }: { readonly tool: string; readonly mayRun: boolean },
  { columns, theme, unicode }: Painting & { readonly columns: number },
): Rendered {
  const always = `always ${safeLine(tool)}`;
  const keys: readonly (readonly [string, string])[] = [
    ...(mayRun ? [["y", "yes"] as const] : []),
    ...[["n", "no"] as const, ["m", "no, with a message"] as const],
    ...(mayRun ? [["a", always] as const] : []),
    ...[["e", "edit"] as const, ["Ctrl-C", "cancel"] as const],
  ];
  const text = keys.map(([key, does]) => `${theme.bold(key)} ${theme.dim(does)}`).join(unicode ? " · " : " | ");
  const lines = wrap(text, columns);
  return { lines, cursor: { row: lines.length - 1, column: width(lines.at(-1) ?? "") } };
}
