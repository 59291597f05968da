import { safeText } from "./safe.ts";
import type { Theme } from "./theme.ts";
import { cut } from "./width.ts";

/** Changed lines, and bytes of the whole preview, that are still shown in place; above it only the pager shows them. */
export const DIFF_INLINE_LINES = 20;
export const DIFF_INLINE_BYTES = 4096;

export interface DiffLine {
  readonly kind: "header" | "removed" | "added";
  /** With its `-` or `+`, without its end; safe to draw. */
  readonly text: string;
}

export interface EditDiff {
  /** Every hunk: its header, what went, what came. No lines around. */
  readonly full: readonly DiffLine[];
  /** `full`, or nothing where it is too long for a preview: `reason` says in what. */
  readonly inline: readonly DiffLine[];
  readonly reason: "line_limit" | "byte_limit" | null;
  readonly stats: DiffStats;
}

/** Lines and UTF-8 bytes that went (`old`) and came (`new`); `full_bytes` of the preview. */
export interface DiffStats {
  readonly old_lines: number;
  readonly new_lines: number;
  readonly delta_lines: number;
  readonly changed_lines: number;
  readonly old_bytes: number;
  readonly new_bytes: number;
  readonly full_bytes: number;
}

/** What an edit did, from the text before and after it; `before` null: it could not be read, and lines have no number. */
export async function diffEdit(before: string | null, after: string): Promise<EditDiff> {
  const hunks = await findHunks(linesOf(before ?? ""), linesOf(after));
  const full = hunks.flatMap((hunk) => drawHunk(hunk, before !== null));
  const stats = countAll(hunks, full);
  const reason = reasonFor(stats);
  return { full, inline: reason === null ? full : [], reason, stats };
}

/** The lines in colour, each cut to the columns. */
export const drawDiff = (
  lines: readonly DiffLine[],
  { columns, theme }: { readonly columns: number; readonly theme: Theme },
): readonly string[] => {
  const paint = { header: theme.hunk, removed: theme.removed, added: theme.added };
  return lines.map(({ kind, text }) => paint[kind](cut(text, columns, "…")));
};

function reasonFor({ changed_lines, full_bytes }: DiffStats): EditDiff["reason"] {
  if (changed_lines > DIFF_INLINE_LINES) return "line_limit";
  return full_bytes > DIFF_INLINE_BYTES ? "byte_limit" : null;
}

/** Lines that gave way to others; the places count from 0. Lines keep their ends. */
interface Hunk {
  readonly old_at: number;
  readonly new_at: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** With its end: CRLF for LF is a change too. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Edits that a comparison looks for before it takes the whole stretch for changed. */
const MAX_EDITS = 1000;

async function findHunks(old: readonly string[], now: readonly string[]): Promise<readonly Hunk[]> {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const shorter = Math.min(old.length, now.length) - start;
  while (end < shorter && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const all: Hunk = { old_at: start, new_at: start, removed, added };
  if (removed.length === 0 && added.length === 0) return [];
  if (removed.length === 0 || added.length === 0) return [all]; // nothing to compare, no library to load
  const { diffArrays } = await import("diff");
  const changes = diffArrays([...removed], [...added], { maxEditLength: MAX_EDITS });
  return changes === undefined ? [all] : gather(changes, start);
}

interface Change {
  readonly added: boolean;
  readonly removed: boolean;
  readonly value: readonly string[];
}

/** Neighbouring changes are one hunk. */
function gather(changes: readonly Change[], start: number): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let open: { removed: string[]; added: string[] } | null = null;
  let [old_at, new_at] = [start, start];
  for (const { added, removed, value } of changes) {
    if (!added && !removed) open = null;
    else if (open === null) {
      open = { removed: [], added: [] };
      hunks.push({ old_at, new_at, ...open });
    }
    if (removed) open?.removed.push(...value);
    if (added) open?.added.push(...value);
    if (!added) old_at += value.length;
    if (!removed) new_at += value.length;
  }
  return hunks;
}

function drawHunk({ old_at, new_at, removed, added }: Hunk, numbered: boolean): readonly DiffLine[] {
  const place = (at: number, lines: readonly string[]) => `${numbered ? at + 1 : "?"},${lines.length}`;
  // Where only line ends differ the lines look the same: then their ends are told.
  const told = removed.length === added.length && removed.every((line, at) => bare(line) === bare(added[at] ?? ""));
  const show = (line: string) => safeText(bare(line)) + (told ? endOf(line) : "");
  return [
    { kind: "header", text: `@@ -${place(old_at, removed)} +${place(new_at, added)} @@` },
    ...removed.map((line) => ({ kind: "removed" as const, text: `-${show(line)}` })),
    ...added.map((line) => ({ kind: "added" as const, text: `+${show(line)}` })),
  ];
}

const bare = (line: string): string => line.replace(/\r?\n$/, "");

function endOf(line: string): string {
  if (line.endsWith("\r\n")) return " (CRLF)";
  return line.endsWith("\n") ? " (LF)" : " (no line end)";
}

function countAll(hunks: readonly Hunk[], full: readonly DiffLine[]): DiffStats {
  const removed = hunks.flatMap((hunk) => hunk.removed);
  const added = hunks.flatMap((hunk) => hunk.added);
  return {
    old_lines: removed.length,
    new_lines: added.length,
    delta_lines: added.length - removed.length,
    changed_lines: removed.length + added.length,
    old_bytes: bytesOf(removed.join("")),
    new_bytes: bytesOf(added.join("")),
    full_bytes: bytesOf(full.map(({ text }) => text).join("\n")),
  };
}

const bytesOf = (text: string): number => Buffer.byteLength(text);
