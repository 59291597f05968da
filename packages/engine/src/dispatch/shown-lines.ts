import type { Shown } from "./shown.ts";

/** A line of a file as it was shown, with its number. */
export interface ShownLine {
  readonly at: number;
  readonly text: string;
}

/** The lines of this file that an output shows with their numbers, or from the first on. */
export function shownLines({ tool, args, text }: Shown, path: string): readonly ShownLine[] {
  const lines = text.split(/\r?\n/);
  const header = /^(.+) · (?:over )?\d+ lines · hash /.exec(lines[0] ?? "")?.[1];
  if (header !== undefined) return isSame(header, path) ? numbered(lines, /^\s*(\d+)│(.*)$/) : [];
  const found = lines.flatMap((line) => {
    const [, file = "", at, rest = ""] = /^((?:[A-Za-z]:)?[^\s:]+)[:-](\d+)[:-](.*)$/.exec(line) ?? [];
    return at !== undefined && isSame(file, path) ? [{ at: Number(at), text: rest }] : [];
  });
  if (found.length > 0 || !mentions(args, path)) return found;
  const withNumbers = numbered(lines, /^\s*(\d+)[:\t](.*)$/);
  if (withNumbers.length > 0) return withNumbers;
  return printsWhole(tool, args) ? lines.map((line, at) => ({ at: at + 1, text: line })) : [];
}

const numbered = (lines: readonly string[], gutter: RegExp): readonly ShownLine[] =>
  lines.flatMap((line) => {
    const [, at, rest = ""] = gutter.exec(line) ?? [];
    return at === undefined ? [] : [{ at: Number(at), text: rest }];
  });

const partsOf = (path: string): readonly string[] => path.split(/[\\/]+/).filter((part) => part !== "" && part !== ".");

/** The same file as far as both are told: one path ends in the other. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [partsOf(one).toReversed(), partsOf(other).toReversed()];
  const length = Math.min(a.length, b.length);
  return length > 0 && a.slice(0, length).every((part, at) => part === b[at]);
}

const mentions = (args: string, path: string): boolean => args.includes(partsOf(path).at(-1) ?? path);

/** A command that prints one file and nothing else. */
const printsWhole = (tool: string, args: string): boolean =>
  (tool === "bash" && /"command"\s*:\s*"\s*(?:cat|git show)\s+[^\s|;&<>"]+\s*"/.test(args)) ||
  (tool === "git" && /"show"/.test(args));
