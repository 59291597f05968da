import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { AgentEvent } from "@smith/contract/event";
import { type DiffStats, diffEdit, drawDiff, type Theme } from "@smith/terminal";

/** What an edit did to its file, for the rows below it. */
export interface EditPreviews {
  /** Keeps the file as it is before the call. It is read at once: the tool has not begun yet. */
  onStart(event: Started): void;
  /** The file as it is now beside what was kept; null: the call was no edit, or its file can't be shown. */
  onEnd(event: Ended): Change | null;
}

export interface Change {
  readonly before: string;
  readonly after: string;
}

type Started = AgentEvent & { readonly type: "tool_execution_started" };
type Ended = AgentEvent & { readonly call_id: string; readonly ok: boolean };

/** Bytes of a file above which it is not read for a preview. */
const MAX_BYTES = 256 * 1024;
const EDITING = new Set(["edit", "write"]);

export function createEditPreviews(cwd: string): EditPreviews {
  const kept = new Map<string, { readonly path: string; readonly before: string | null }>();
  return Object.freeze({
    onStart(event: Started) {
      const path = EDITING.has(event.tool) ? pathIn(event.args) : null;
      if (path === null) return;
      const whole = resolve(cwd, path);
      kept.set(placeOf(event), { path: whole, before: textOf(whole) });
    },
    onEnd(event: Ended) {
      const known = kept.get(placeOf(event));
      kept.delete(placeOf(event));
      if (known === undefined || known.before === null || !event.ok) return null;
      const after = textOf(known.path);
      return after === null || after === known.before ? null : { before: known.before, after };
    },
  });
}

/** The changed lines, indented; or only their number where they are many. */
export async function previewRows(
  { before, after }: Change,
  { columns, theme }: { readonly columns: number; readonly theme: Theme },
): Promise<readonly string[]> {
  const { inline, stats, reason } = await diffEdit(before, after);
  if (reason !== null) return [theme.dim(`  ${countText(stats)}`)];
  // Of a new file all lines are new: where they stand needs no saying.
  const told = before === "" ? inline.filter(({ kind }) => kind !== "header") : inline;
  return drawDiff(told, { columns: Math.max(1, columns - INDENT.length), theme }).map((row) => INDENT + row);
}

const INDENT = "  ";

const countText = ({ new_lines, old_lines }: DiffStats): string => `+${new_lines} -${old_lines} lines`;

/** Empty for a file that is not there; null for one that is no text, or too large. */
export function textOf(path: string): string | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return "";
    if (!stat.isFile() || stat.size > MAX_BYTES) return null;
    const text = readFileSync(path, "utf8");
    return text.includes("\0") ? null : text;
  } catch {
    return null; // a preview is a comfort: what can't be read has none
  }
}

function pathIn(args: unknown): string | null {
  const path: unknown = typeof args === "object" && args !== null && "path" in args ? args.path : null;
  return typeof path === "string" ? path : null;
}

/** Call ids repeat in the conversations of children. */
const placeOf = (event: AgentEvent & { readonly call_id: string }): string => `${event.job_id ?? ""}/${event.call_id}`;
