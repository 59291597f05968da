import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { answering, printable, refusal } from "../fault.ts";
import { type Grep, type GrepOrder, grepWithRipgrep } from "./grep-rg.ts";
import { GREP_CHARS, showHits } from "./grep-show.ts";
import { type Search, searchIn } from "./ripgrep.ts";
import { rulesFor } from "./rules.ts";
import { type CodeOptions, type Scope, scopeOf } from "./scope.ts";
import { count, remarks, summaryOf, underFolder } from "./words.ts";

const MAX_RESULTS = 1000;
const MAX_CONTEXT = 20;

const GrepArguments = z.strictObject({
  pattern: z.string(),
  path: z.string().optional(),
  glob: z.string().optional(),
  ignore_case: z.boolean().default(false),
  literal: z.boolean().default(false),
  context: z.int().min(0).max(MAX_CONTEXT).default(0),
  max_results: z.int().min(1).max(MAX_RESULTS).default(200),
});
type GrepArguments = z.infer<typeof GrepArguments>;

/** `code_grep`: which lines of the project match. */
export const createCodeGrep = (options: CodeOptions): Tool<GrepArguments> =>
  Object.freeze({
    name: "code_grep",
    description:
      "Search file contents by regex, line by line; ignored, hidden and binary files are skipped. Gives path:line: text, likeliest files first.",
    schema: GrepArguments,
    side_effects: "none",
    max_chars: GREP_CHARS,
    run: (args, context) => answering(args.path ?? ".", () => grep(args, context, options)),
    result_renderer: (_args, outcome) => summaryOf(outcome),
  } satisfies Tool<GrepArguments>);

async function grep(args: GrepArguments, context: ToolContext, options: CodeOptions): Promise<ToolOutcome> {
  requireOneLine(args);
  const scope = await scopeOf(args.path, context, options.confine);
  const search = searchIn(scope, rulesFor(args.glob, scope.shown), options, context.signal);
  const found = (await grepWithRipgrep(search, args)) ?? (await searchSlowly(search, args));
  const metadata = {
    summary: `${count(found.total, "match", "matches")} in ${count(found.files.length, "file")}`,
    matches: found.total,
    files: found.files.length,
  };
  const content = found.total === 0 ? showNone(found, args, scope) : showHits(found, args, scope).text;
  return { ok: true, content, metadata };
}

async function searchSlowly(search: Search, order: GrepOrder): Promise<Grep> {
  const { grepWithoutRipgrep } = await import("./grep-js.ts");
  return await grepWithoutRipgrep(search, order);
}

/** What neither engine could find, each in its own way, is said beforehand. */
function requireOneLine({ pattern, literal }: GrepArguments): void {
  if (pattern === "") throw refusal("bad_pattern", "The pattern is empty: it would match every line.");
  if (pattern.includes("\0")) throw refusal("bad_pattern", "The pattern holds a NUL character; text files hold none.");
  const escaped = !literal && /(?<!\\)(\\\\)*\\n/.test(pattern.replace(/\[\^[^\]]*\]/g, ""));
  if (!escaped && !/[\n\r]/.test(pattern)) return;
  throw refusal(
    "bad_pattern",
    "The pattern holds a line end, and the search goes line by line. Look for one of its lines, with context to see those around.",
  );
}

function showNone({ searched, is_whole, notes }: Grep, { glob }: GrepArguments, { shown }: Scope): string {
  const none = () => {
    if (!is_whole) return "no matches so far";
    if (searched === 0 && glob !== undefined) return `no matches: no file${underFolder(shown)} fits ${printable(glob)}`;
    return `no matches${searched === null ? "" : ` in ${count(searched, "file")}`}${underFolder(shown)}`;
  };
  return [none(), ...remarks(notes)].join("\n");
}
