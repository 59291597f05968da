import type { Theme } from "./theme.ts";
import { width, wrap } from "./width.ts";

export type Align = "left" | "right" | "center" | null;

/** A table whose cells are drawn already, on one line each. */
export interface DrawnTable {
  readonly align: readonly Align[];
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Columns below which a cell can't be read any more; then the rows are told one below the other. */
const CELL_MIN = 4;
const BETWEEN = " │ ";

/** Lines of a table that is at most `columns` wide: cells are wrapped, or rows told as `header: cell` lines. */
export function drawTable(table: DrawnTable, columns: number, theme: Theme): readonly string[] {
  const room = columns - BETWEEN.length * (table.header.length - 1);
  const widths = shrink(naturalWidths(table), room);
  if (widths === null) return drawRecords(table, columns);
  const header = drawRow(table.header.map(theme.bold), widths, table.align);
  const rule = theme.dim(widths.map((each) => "─".repeat(each)).join("─┼─"));
  return [...header, rule, ...table.rows.flatMap((row) => drawRow(row, widths, table.align))];
}

const naturalWidths = ({ header, rows }: DrawnTable): readonly number[] =>
  header.map((cell, at) => rows.reduce((most, row) => Math.max(most, width(row[at] ?? "")), Math.max(1, width(cell))));

/** The widths, the widest made narrower until all fit; null when they can't. */
function shrink(natural: readonly number[], room: number): readonly number[] | null {
  const least = natural.reduce((sum, each) => sum + Math.min(each, CELL_MIN), 0);
  if (least > room) return null;
  let limit = Math.max(...natural);
  const at = (most: number) => natural.map((each) => Math.min(each, most));
  const sum = (widths: readonly number[]) => widths.reduce((total, each) => total + each, 0);
  if (sum(natural) <= room) return natural;
  let low = CELL_MIN;
  // The highest limit that fits, by halving: cells may be a message long.
  while (low < limit) {
    const middle = Math.ceil((low + limit) / 2);
    if (sum(at(middle)) <= room) low = middle;
    else limit = middle - 1;
  }
  return at(low);
}

function drawRow(cells: readonly string[], widths: readonly number[], align: readonly Align[]): readonly string[] {
  const wrapped = widths.map((columns, at) => wrap(cells[at] ?? "", columns));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((columns, at) => pad(wrapped[at]?.[line] ?? "", columns, align[at] ?? null))
      .join(BETWEEN)
      .trimEnd(),
  );
}

function pad(text: string, columns: number, align: Align): string {
  const missing = Math.max(0, columns - width(text));
  if (align === "right") return " ".repeat(missing) + text;
  if (align !== "center") return text + " ".repeat(missing);
  const before = Math.floor(missing / 2);
  return " ".repeat(before) + text + " ".repeat(missing - before);
}

const drawRecords = ({ header, rows }: DrawnTable, columns: number): readonly string[] =>
  (rows.length === 0 ? [header.map(() => "")] : rows).flatMap((row, at) => [
    ...(at === 0 ? [] : [""]),
    ...header.flatMap((name, cell) => wrap(`${name}: ${row[cell] ?? ""}`.trimEnd(), columns)),
  ]);
