import { runRipgrep, type Search } from "./ripgrep.ts";
import { walk } from "./walk.ts";
import { unreadNotes } from "./words.ts";

/** Files listed at most. */
const MAX_FILES = 200_000;

export interface Listing {
  /** Relative to the scope's folder, in no order. */
  readonly paths: readonly string[];
  /** What the model should know of how the list came about; `[]` when it is whole. */
  readonly notes: readonly string[];
}

/** Every file of the scope that the ignore files and rules let through. */
export async function listFiles(search: Search): Promise<Listing> {
  const { file } = search.scope;
  if (file !== null) return { paths: [file], notes: [] };
  const paths: string[] = [];
  const end = await runRipgrep(search, {
    args: ["--files", "--null"],
    separator: 0,
    take: (record) => paths.push(record.toString("utf8").replace(/^\.\//, "")) < MAX_FILES,
  });
  if (end !== null) return { paths, notes: notesOf(paths.length, end.errors, search) };
  const unread: (readonly [path: string, errno: string])[] = [];
  for await (const path of walk(search, (...what) => unread.push(what))) if (paths.push(path) >= MAX_FILES) break;
  return { paths, notes: [...notesOf(paths.length, [], search), ...unreadNotes(unread)] };
}

function notesOf(count: number, errors: readonly string[], { late }: Search): readonly string[] {
  const notes: string[] = [];
  if (late.aborted) notes.push("time ran out: this is a part of the files; narrow it with path");
  else if (count >= MAX_FILES) notes.push(`only the first ${MAX_FILES} files were looked at; narrow it with path`);
  const [first] = errors;
  if (first !== undefined) notes.push(`${errors.length} paths could not be read, as ${first}`);
  return notes;
}
