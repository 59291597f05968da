import { basename } from "node:path";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { answering, refusal } from "../fault.ts";
import { entryPoints } from "./entries.ts";
import { languageOf } from "./kinds.ts";
import { listFiles } from "./list.ts";
import { searchIn } from "./ripgrep.ts";
import { rulesFor } from "./rules.ts";
import { type CodeOptions, type Scope, scopeOf } from "./scope.ts";
import { drawTree, treeOf } from "./tree.ts";
import { count, remarks, summaryOf } from "./words.ts";

/** Characters of the whole map. */
const MAP_CHARS = 6000;
const HEAD_CHARS = 2000;
const MAX_LANGUAGES = 6;

const MapArguments = z.strictObject({
  path: z.string().optional(),
  depth: z.int().min(1).max(20).default(3),
});
type MapArguments = z.infer<typeof MapArguments>;

/** `code_map`: what a project is made of, at a glance. */
export const createCodeMap = (options: CodeOptions): Tool<MapArguments> =>
  Object.freeze({
    name: "code_map",
    description: "Overview of a folder (default: the project): languages, entry points, tree with file counts.",
    schema: MapArguments,
    side_effects: "none",
    run: (args, context) => answering(args.path ?? ".", () => map(args, context, options)),
    result_renderer: (_args, outcome) => summaryOf(outcome),
  } satisfies Tool<MapArguments>);

async function map(args: MapArguments, context: ToolContext, options: CodeOptions): Promise<ToolOutcome> {
  const scope = await scopeOf(args.path, context, options.confine);
  if (scope.file !== null)
    throw refusal("not_directory", `${scope.shown} is a file: code_map draws folders. Use read.`);
  const { paths, notes } = await listFiles(searchIn(scope, rulesFor(undefined, scope.shown), options, context.signal));
  const head = await drawHead(scope, paths);
  const last = remarks(notes);
  const room = MAP_CHARS - [...head, ...last].join("\n").length - 100;
  const tree = paths.length === 0 ? [] : [drawTree(treeOf(paths), args.depth, room)];
  return {
    ok: true,
    content: [...head, ...tree, ...last].join("\n"),
    metadata: { summary: count(paths.length, "file"), files: paths.length },
  };
}

async function drawHead({ dir, shown }: Scope, paths: readonly string[]): Promise<readonly string[]> {
  const name = shown === "." ? basename(dir) : shown;
  const languages = shares(paths);
  const entries = (await entryPoints(dir, paths)).join(", ");
  const cut = entries.length > HEAD_CHARS ? `${entries.slice(0, HEAD_CHARS)}…` : entries;
  return [
    `${name}/ · ${count(paths.length, "file")}${paths.length === 0 ? " that are not ignored" : ""}`,
    ...(languages === "" ? [] : [`languages: ${languages}`]),
    ...(cut === "" ? [] : [`entry points: ${cut}`]),
  ];
}

/** Each language's share of the files that have one, largest first. */
function shares(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const language = languageOf(path);
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  return [...counts]
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MAX_LANGUAGES)
    .map(([name, n]) => `${name} ${Math.max(1, Math.round((100 * n) / total))}%`)
    .join(", ");
}
