import { isAbsolute, relative } from "node:path";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { answering, refusal } from "../fault.ts";
import { farnessOf } from "./kinds.ts";
import { listFiles } from "./list.ts";
import { searchIn } from "./ripgrep.ts";
import { rulesFor } from "./rules.ts";
import { type CodeOptions, type Scope, scopeOf } from "./scope.ts";
import { count, remarks, summaryOf, underFolder } from "./words.ts";

const MAX_RESULTS = 1000;
const FILES_CHARS = 20_000;
/** Names that get a score; beyond them the shorter ones do. */
const MAX_SCORED = 20_000;
/** Paths that only hold the letters scattered about fill the answer up to here, where closer ones were found. */
const WORTH_SHOWING = 10;
const SCATTERED = 4;

const FilesArguments = z.strictObject({
  query: z.string(),
  path: z.string().optional(),
  max_results: z.int().min(1).max(MAX_RESULTS).default(50),
});
type FilesArguments = z.infer<typeof FilesArguments>;

/** `code_files`: files whose path resembles the query. */
export const createCodeFiles = (options: CodeOptions): Tool<FilesArguments> =>
  Object.freeze({
    name: "code_files",
    description: "Find files by name: fuzzy match on the path, best first.",
    schema: FilesArguments,
    side_effects: "none",
    max_chars: FILES_CHARS,
    run: (args, context) => answering(args.path ?? ".", () => findFiles(args, context, options)),
    result_renderer: (_args, outcome) => summaryOf(outcome),
  } satisfies Tool<FilesArguments>);

async function findFiles(args: FilesArguments, context: ToolContext, options: CodeOptions): Promise<ToolOutcome> {
  const query = plainQuery(args.query, context);
  if (query === "") {
    throw refusal("bad_query", "The query has no letters to look for. Give a part of a name; code_map lists folders.");
  }
  const scope = await scopeOf(args.path, context, options.confine);
  const { paths, notes } = await listFiles(searchIn(scope, rulesFor(undefined, scope.shown), options, context.signal));
  const found = await rankByQuery(paths, query);
  const lines = found.slice(0, args.max_results).map((path) => scope.show(path));
  return {
    ok: true,
    content: show(lines, { found: found.length, looked: paths.length, notes, scope }),
    metadata: { summary: count(found.length, "file"), files: found.length },
  };
}

/** Wildcards say nothing to a fuzzy match; a path of the project is looked for without the way to it. */
function plainQuery(query: string, { project_root, cwd }: ToolContext): string {
  const trimmed = query.trim();
  const inside = isAbsolute(trimmed) ? relative(project_root ?? cwd, trimmed) : trimmed;
  const known = inside.startsWith("../") ? trimmed : inside;
  return fold(
    known
      .replace(/[*\s]/g, "")
      .replace(/\/{2,}/g, "/")
      .replace(/^(\.?\/)+/, ""),
  );
}

/** Case and accents are not told apart. */
const fold = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

interface Likely {
  readonly path: string;
  readonly folded: string;
}

/** The paths that hold the query's letters in order, best first. The query is folded. */
async function rankByQuery(paths: readonly string[], query: string): Promise<readonly string[]> {
  const likely = paths
    .map((path) => ({ path, folded: fold(path) }))
    .filter(({ folded }) => holdsInOrder(folded, query));
  likely.sort((a, b) => a.folded.length - b.folded.length);
  const scored = await score(likely.slice(0, MAX_SCORED), query);
  const ranked = scored
    .map(({ item, score }) => ({ path: item.path, score, tier: tierOf(item.folded, query), far: farnessOf(item.path) }))
    .toSorted(
      (a, b) =>
        a.tier - b.tier ||
        b.score - a.score ||
        a.far - b.far ||
        a.path.length - b.path.length ||
        (a.path < b.path ? -1 : 1),
    );
  const close = ranked.filter(({ tier }) => tier < SCATTERED).length;
  return (close === 0 ? ranked : ranked.slice(0, Math.max(close, WORTH_SHOWING))).map(({ path }) => path);
}

async function score(likely: readonly Likely[], query: string) {
  const { Fzf } = await import("fzf");
  const fzf = new Fzf(likely, { selector: (each: Likely) => each.folded, casing: "case-sensitive", normalize: false });
  // The package's types don't resolve under Node's module rules: this is what they say.
  return fzf.find(query) as readonly { readonly item: Likely; readonly score: number }[];
}

function holdsInOrder(text: string, query: string): boolean {
  let at = 0;
  for (const c of query) {
    const found = text.indexOf(c, at);
    if (found === -1) return false;
    at = found + c.length;
  }
  return true;
}

/** What no score should overrule: the very path, the very name, the name without its extension, a part of the name. */
function tierOf(path: string, query: string): number {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (path === query || path.endsWith(`/${query}`)) return 0;
  if (name.startsWith(`${query}.`)) return 1;
  if (name.includes(query)) return 2;
  return path.includes(query) ? 3 : SCATTERED;
}

interface Outlook {
  readonly found: number;
  readonly looked: number;
  readonly notes: readonly string[];
  readonly scope: Scope;
}

function show(lines: readonly string[], { found, looked, notes, scope }: Outlook): string {
  if (found === 0) {
    return [`no matches among ${count(looked, "file")}${underFolder(scope.shown)}`, ...remarks(notes)].join("\n");
  }
  const kept: string[] = [];
  let room = FILES_CHARS - 1000;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) break;
    kept.push(line);
  }
  const more = found - kept.length;
  return [...kept, ...remarks([...(more > 0 ? [count(more, "more file")] : []), ...notes])].join("\n");
}
