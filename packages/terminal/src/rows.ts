import { isAbsolute, relative } from "node:path";
import type { CancelAccount, CancelNode, DispatchResult } from "@smith/contract/dispatch";
import type { AgentErrorData } from "@smith/contract/error";
import type { ToolExecutionEnd } from "@smith/contract/event";
import type { Usage } from "@smith/contract/model";
import { safeLine } from "./safe.ts";
import { spinnerFrame } from "./spinner.ts";
import { costText, elapsedText, shortCount } from "./status-figures.ts";
import { aliasOf, type Theme } from "./theme.ts";
import { cut, wrap } from "./width.ts";

export interface RowOptions {
  /** Of the terminal; no row is wider. */
  readonly columns: number;
  readonly theme: Theme;
  /** False: marks of ASCII. Default true. */
  readonly unicode?: boolean;
}

/** Columns of what a call is about, of what came of it, and of an error's message. */
export const ARGS_COLUMNS = 80;
export const RESULT_COLUMNS = 120;
export const ERROR_COLUMNS = 300;

/** The one argument that says what a call is about, on one safe line: its command, path, pattern, … else its first. */
export function argsPreview(args: unknown): string {
  if (typeof args !== "object" || args === null) return preview(args === undefined ? "" : String(args), ARGS_COLUMNS);
  const named = TELLING.map((name) => (Object.hasOwn(args, name) ? Reflect.get(args, name) : undefined));
  const first: unknown = named.find((value) => value !== undefined) ?? Object.values(args)[0];
  return preview(typeof first === "string" ? first : (JSON.stringify(first) ?? ""), ARGS_COLUMNS);
}

const TELLING = ["command", "path", "pattern", "query", "url", "task", "key"] as const;

export const resultPreview = (text: string): string => preview(text, RESULT_COLUMNS);
export const errorPreview = (text: string): string => preview(text, ERROR_COLUMNS);

/** The beginning is taken first: a result may be megabytes, and only its first columns are drawn. */
const preview = (text: string, columns: number): string =>
  cut(safeLine(text.slice(0, columns * 20).toWellFormed()), columns, "…");

/** A finished call: `• bash npm test  exit 0 (12 B)`. */
export function toolRow(
  end: Pick<ToolExecutionEnd, "tool" | "ok" | "summary" | "error" | "mutation_state">,
  args: unknown,
  { columns, theme, unicode = true }: RowOptions,
): string {
  const state = stateOf(end);
  const about = argsPreview(args);
  const result = {
    ok: resultPreview,
    failed: errorPreview,
    cancelled: () => `cancelled, ${CHANGES[end.mutation_state]}`,
  }[state](end.summary);
  const told = result.startsWith(about) ? "" : ` ${about}`;
  const paint = { ok: theme.dim, failed: theme.failed, cancelled: theme.cancelled }[state];
  return cut(
    `${theme[state]((unicode ? MARKS : PLAIN_MARKS)[state])} ${theme.bold(preview(end.tool, 64))}${told}  ${paint(result)}`.trimEnd(),
    columns,
    "…",
  );
}

/** A call that never began: `✗ bash rm -r x  refused: bash is denied …`. */
export const refusedRow = (
  { tool, args, error }: { readonly tool: string; readonly args: unknown; readonly error: AgentErrorData },
  options: RowOptions,
): string => {
  const summary = `refused: ${error.message}`;
  return toolRow({ tool, ok: false, summary, error, mutation_state: "none" }, args, options);
};

type ToolState = "ok" | "failed" | "cancelled";

/** One for each state: where there is no colour they must tell it. */
const MARKS: Readonly<Record<ToolState, string>> = { ok: "•", failed: "✗", cancelled: "◦" };
const PLAIN_MARKS: typeof MARKS = { ok: "*", failed: "x", cancelled: "o" };

function stateOf({ ok, error }: Pick<ToolExecutionEnd, "ok" | "error">): ToolState {
  if (error?.kind === "cancelled") return "cancelled";
  return ok ? "ok" : "failed";
}

const CHANGES: Readonly<Record<ToolExecutionEnd["mutation_state"], string>> = {
  none: "nothing changed",
  attempted: "had changed something",
  unknown: "may have changed something",
};

export interface RunningCall {
  readonly tool: string;
  readonly args: unknown;
  readonly elapsed_ms: number;
  /** Whose call it is, where it is a child's. */
  readonly role?: string;
}

/** A call that runs: `⠙ bash npm test  3s`. The spinner turns with the time, which stays in sight when the row is cut. */
export function runningRow({ tool, args, elapsed_ms, role }: RunningCall, options: RowOptions): string {
  const { columns, theme, unicode = true } = options;
  const spinner = theme.running(spinnerFrame(elapsed_ms, unicode));
  const whose = role === undefined ? "" : `${theme.role(role)} `;
  const time = `  ${elapsedText(elapsed_ms)}`;
  const what = `${spinner} ${whose}${theme.bold(preview(tool, 64))} ${argsPreview(args)}`.trimEnd();
  return cut(cut(what, Math.max(1, columns - time.length), "…") + theme.dim(time), columns, "…");
}

/** What a job came to; a `DispatchResult` or the event that tells its end. */
export type DispatchEnd = Pick<DispatchResult, "target_role" | "status" | "evidence_counts"> &
  Partial<Pick<DispatchResult, "summary" | "cancelled" | "error" | "usage" | "duration_ms">> & {
    /** What it was sent for. */
    readonly task?: string;
  };

/** Columns of a job's task in the row of its end. */
const TASK_COLUMNS = 40;

/** `◂ Link ok  find the caller  2 verified, 1 stale  12.3k tokens $0.02  41s`, and below it what the child said, in one line. */
export function dispatchRows(end: DispatchEnd, { columns, theme }: RowOptions): readonly string[] {
  const { target_role, status, summary = "", task = "", cancelled, error, usage, duration_ms } = end;
  const paint = { ok: theme.ok, partial: theme.warn, blocked: theme.failed }[status];
  const why = cancelled === true ? " (cancelled)" : error ? ` (${preview(error.code, 40)})` : "";
  const told = [
    countsText(end.evidence_counts),
    usage === undefined ? "" : usageText(usage),
    duration_ms === undefined ? "" : elapsedText(duration_ms),
  ].filter((part) => part !== "");
  const head = `${theme.running("◂")} ${theme.role(target_role)} ${paint(status + why)}`;
  const about = task === "" ? [] : [preview(task, TASK_COLUMNS)];
  const rows = [
    [head, ...about, ...told.map(theme.dim)].join("  "),
    ...(summary === "" ? [] : [`  ${resultPreview(summary)}`]),
  ];
  return rows.map((row) => cut(row, columns, "…"));
}

const countsText = (counts: DispatchResult["evidence_counts"]): string =>
  (["verified", "stale", "unsupported"] as const)
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${verdict}`)
    .join(", ");

/** `12.3k tokens $0.02`; what the provider did not say is left out, free is not told. */
export function usageText({ input_tokens, output_tokens, cost_usd }: Usage): string {
  const known = input_tokens !== null || output_tokens !== null;
  const tokens = known ? `${shortCount((input_tokens ?? 0) + (output_tokens ?? 0))} tokens` : "";
  const cost = cost_usd !== null && cost_usd > 0 ? costText(cost_usd) : "";
  return `${tokens} ${cost}`.trim();
}

/** An error in lines of at most the columns: its code, and its message of at most {@link ERROR_COLUMNS}. */
export function errorRows(
  { code, message }: Pick<AgentErrorData, "code" | "message">,
  options: RowOptions,
): readonly string[] {
  const { columns, theme } = options;
  const text = `${theme.error(theme.bold(`✗ ${preview(code, 64)}:`))} ${theme.error(errorPreview(message))}`;
  return wrap(text, columns, "  ");
}

export const cancelledRow = (reason: string, { columns, theme }: RowOptions): string =>
  cut(theme.cancelled(`◦ cancelled (${resultPreview(reason)})`), columns, "…");

/** What a cancel stopped, node by node, and what had been changed by then, relative to `cwd` where it is below it. */
export function accountRows(account: CancelAccount, cwd: string, options: RowOptions): readonly [string, string] {
  const { columns, theme } = options;
  const nodes = account.nodes.map(doing).join("; ");
  const files = [...new Set(account.nodes.flatMap((node) => node.files_changed))]
    .map((path) => shorten(path, cwd))
    .sort();
  const changed = `${files.length} ${files.length === 1 ? "file" : "files"} changed: ${files.join(", ")}`;
  const stopped = `◦ cancelled (${resultPreview(account.reason)})${nodes === "" ? "" : `: ${nodes}`}`;
  return [
    cut(theme.cancelled(stopped), columns, "…"),
    cut(files.length === 0 ? theme.dim("  no file changed by finished calls") : `  ${changed}`, columns, "…"),
  ];
}

function doing({ role, job_id, calls }: CancelNode): string {
  const whose = job_id === null ? aliasOf(role) : `${aliasOf(role)} ${safeLine(job_id).slice(0, 4)}`;
  const cutOffs = calls.map(({ tool, mutation_state }) => `${preview(tool, 64)} (${CHANGES[mutation_state]})`);
  return `${whose} ${cutOffs.length === 0 ? "between calls" : `in ${cutOffs.join(", ")}`}`;
}

function shorten(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return safeLine(near === "" || near.startsWith("..") || isAbsolute(near) ? path : near);
}
