import { refusal } from "./fault.ts";
import { nearMiss, placesOf } from "./near-miss.ts";
import { byteText, dominantEnd, endOf, type LineEnd, splitLines, toUnixEnds } from "./text-file.ts";

/** Replace, insert or delete whole lines; numbers are 1-based and inclusive. */
export interface RangeEdit {
  readonly op: "replace" | "insert" | "delete";
  readonly start: number;
  readonly end: number;
  /** For replace and insert; empty for delete. */
  readonly text: string;
}

export interface StringEdit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

/** An edited body (byte text, without BOM) and where it changed. */
export interface Edited {
  readonly body: string;
  /** Lines affected: of the new text, but of the old one for a deletion. */
  readonly first: number;
  readonly last: number;
  /** Last affected line in the new text; `first - 1` when nothing of it is left. */
  readonly last_left: number;
  readonly delta: number;
}

/** @throws {AgentError} `bad_range` when the lines named are not all there. */
export function editRange(body: string, edit: RangeEdit): Edited {
  const lines = splitLines(body);
  const { start, op } = edit;
  const end = op === "insert" ? start - 1 : edit.end;
  requireRange(lines.length, edit);
  const given = op === "delete" ? [] : givenLines(edit.text);
  const ends = endsFor(lines.slice(start - 1, end), body, edit.text);
  const before = lines.slice(0, start - 1);
  const after = lines.slice(end);
  const fresh = given.map((line, i) => byteText(line) + ends(i));
  // A last line without an end gets one when lines now follow it, and what is last now has none, as before.
  const tail = before.at(-1);
  if (fresh.length > 0 && tail !== undefined && endOf(tail) === "") before.push(`${before.pop()}${ends(0)}`);
  const all = [...before, ...fresh, ...after];
  if (after.length === 0 && !keepsFinalEnd(body, edit.text)) dropFinalEnd(all);
  return {
    body: all.join(""),
    first: start,
    last: op === "delete" ? end : start + given.length - 1,
    last_left: start + given.length - 1,
    delta: given.length - (end - start + 1),
  };
}

function requireRange(count: number, { op, start, end }: RangeEdit): void {
  const has = `the file has ${count} lines`;
  if (op === "insert") {
    if (start > count + 1) throw refusal("bad_range", `start_line ${start}: ${has}; ${count + 1} appends.`);
    return;
  }
  if (end < start) throw refusal("bad_range", `end_line ${end} is before start_line ${start}.`);
  if (start > count) throw refusal("bad_range", `start_line ${start} is past the end: ${has}.`);
  if (end > count) throw refusal("bad_range", `end_line ${end} is past the end: ${has}.`);
}

/** The lines a text stands for: a final newline ends the last, and no text is one empty line. */
const givenLines = (text: string): readonly string[] => toUnixEnds(text).replace(/\n$/, "").split("\n");

/** The end of the i-th new line: that of the line it replaces, else the one most lines of the file (or text) have. */
function endsFor(replaced: readonly string[], body: string, text: string): (i: number) => LineEnd {
  const usual = dominantEnd(body) ?? dominantEnd(text) ?? "\n";
  return (i) => (i < replaced.length ? endOf(replaced[i] ?? "") || usual : usual);
}

const keepsFinalEnd = (body: string, text: string): boolean =>
  body === "" ? text.endsWith("\n") : body.endsWith("\n");

/** An empty last line keeps its end: without it, there would be no such line. */
function dropFinalEnd(lines: string[]): void {
  const last = lines.pop();
  if (last === undefined) return;
  const bare = last.slice(0, last.length - endOf(last).length);
  lines.push(bare === "" ? last : bare);
}

/**
 * Replaces literal text; line ends match whatever their kind.
 * @throws {AgentError} `old_string_not_found`, `old_string_not_unique`.
 */
export function editStrings(body: string, edit: StringEdit): Edited {
  const wanted = byteText(toUnixEnds(edit.old_string));
  const unix = toUnixEnds(body);
  // Overlapping places count as several: which of them was meant can't be told.
  const found = occurrences(unix, wanted, edit.replace_all ? wanted.length : 1);
  requireFound(found, edit, unix);
  const original = originalOffsets(body);
  const fresh = byteText(toUnixEnds(edit.new_string)).split("\n");
  const parts: string[] = [];
  let start = 0;
  let done = 0;
  for (const at of found) {
    const from = original(at);
    const to = original(at + wanted.length);
    if (start === 0) start = lineAt(body, from);
    parts.push(body.slice(done, from), withEnds(fresh, body.slice(from, to), body));
    done = to;
  }
  const head = parts.join("");
  const lastChange = parts.at(-1) ?? "";
  const end = lineAt(head, lastChange === "" ? head.length : head.length - 1);
  const edited = head + body.slice(done);
  const last = Math.max(start, end);
  return { body: edited, first: start, last, last_left: last, delta: lineCount(edited) - lineCount(body) };
}

function requireFound(found: readonly number[], edit: StringEdit, body: string): void {
  if (found.length === 0) {
    throw refusal("old_string_not_found", `old_string is not in the file. ${nearMiss(body, edit.old_string)}`);
  }
  if (found.length > 1 && !edit.replace_all) {
    throw refusal(
      "old_string_not_unique",
      `old_string is not unique (${found.length} occurrences): ${placesOf(linesAt(body, found))}. Add lines around it, or set replace_all.`,
    );
  }
}

/** The line numbers of rising offsets. */
function linesAt(body: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let at = 0;
  return offsets.map((offset) => {
    for (let next = body.indexOf("\n", at); next !== -1 && next < offset; next = body.indexOf("\n", at)) {
      line++;
      at = next + 1;
    }
    return line;
  });
}

function occurrences(text: string, wanted: string, step: number): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step)) found.push(at);
  return found;
}

/** From an offset in the text with Unix line ends to the one in the text as it is; ask in rising order. */
function originalOffsets(body: string): (offset: number) => number {
  let dropped = 0;
  let next = body.indexOf("\r\n");
  return (offset) => {
    while (next !== -1 && next - dropped < offset) {
      dropped++;
      next = body.indexOf("\r\n", next + 2);
    }
    return offset + dropped;
  };
}

/** Joins new lines by the ends the replaced text had, place by place, else by those most lines around it have. */
function withEnds(lines: readonly string[], replaced: string, body: string): string {
  const old = splitLines(replaced).map(endOf);
  const usual = dominantEnd(replaced) ?? dominantEnd(body) ?? "\n";
  return lines.map((line, i) => (i === lines.length - 1 ? line : line + (old[i] || usual))).join("");
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;
const lineCount = (text: string): number => splitLines(text).length;
