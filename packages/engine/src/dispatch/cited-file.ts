import { isAbsolute, join } from "node:path";
import type { Shown } from "./shown.ts";

/** The files as they are now. */
export interface Tree {
  readonly cwd: string;
  readonly project_root: string | null;
  /** The text of a regular file; null for anything else. Must not throw. */
  readFile(path: string): Promise<string | null>;
}

export interface CitedFile {
  readonly lines: readonly string[];
}

/** Paths that are tried at most: a name may be mentioned everywhere. */
const TRIED = 12;

/** The file that a citation means: as written, from the folder or the root, or where an output names it. Null = none. */
export async function findFile(cited: string, tree: Tree, shown: readonly Shown[]): Promise<CitedFile | null> {
  const path = cleaned(cited);
  const named = [path, path.replace(/^[ab]\//, ""), ...mentionsOf(path, shown)];
  const places = named.flatMap((each) =>
    isAbsolute(each)
      ? [each, join(tree.project_root ?? tree.cwd, each)]
      : [join(tree.cwd, each), join(tree.project_root ?? tree.cwd, each)],
  );
  for (const place of [...new Set(places)].slice(0, TRIED)) {
    const text = await tree.readFile(place);
    if (text !== null) return { lines: linesOf(text) };
  }
  return null;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop(); // what follows the last line end is no line
  return lines;
}

/** Without marks around it, with slashes one way, without `./`. */
const cleaned = (path: string): string =>
  path
    .trim()
    .replace(/^[`"'(<[]+|[`"')>\],;]+$/g, "")
    .replace(/^file:\/\//, "")
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "");

/** Longer paths in the outputs, or in what was asked for, that end in this one. */
function mentionsOf(path: string, shown: readonly Shown[]): readonly string[] {
  const ending = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const mention = new RegExp(String.raw`[\p{L}\p{N}_@./+-]*/${ending}(?![\p{L}\p{N}_])`, "gu");
  const found = shown.flatMap(({ args, text }) => [...`${args}\n${text}`.matchAll(mention)].map(([each]) => each));
  return [...new Set(found)];
}
