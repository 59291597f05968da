import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { answering, printable, refusal } from "../fault.ts";
import { searchIn } from "./ripgrep.ts";
import { rulesFor } from "./rules.ts";
import { type CodeOptions, type Scope, scopeOf } from "./scope.ts";
import { parseQuery } from "./symbol-query.ts";
import { findSymbols, type SymbolHit, type SymbolSearch } from "./symbol-search.ts";
import type { SymbolReader } from "./syntax/reader.ts";
import { KINDS, type Kind } from "./syntax/symbol.ts";
import { count, remarks, summaryOf, underFolder } from "./words.ts";

const MAX_RESULTS = 1000;
const SYMBOLS_CHARS = 20_000;
const LAST_LINES_CHARS = 1000;

const SymbolsArguments = z.strictObject({
  query: z.string(),
  kind: z.string().optional(),
  path: z.string().optional(),
  max_results: z.int().min(1).max(MAX_RESULTS).default(100),
});
type SymbolsArguments = z.infer<typeof SymbolsArguments>;

/** `code_symbols`: where a name is defined. */
export const createCodeSymbols = (options: CodeOptions, reader: SymbolReader): Tool<SymbolsArguments> =>
  Object.freeze({
    name: "code_symbols",
    description: "Find definitions by (part of) a name, Class.method too, best first: path:line kind name.",
    schema: SymbolsArguments,
    side_effects: "none",
    max_chars: SYMBOLS_CHARS,
    run: (args, context) => answering(args.path ?? ".", () => lookUp(args, context, { options, reader })),
    result_renderer: (_args, outcome) => summaryOf(outcome),
  } satisfies Tool<SymbolsArguments>);

interface Means {
  readonly options: CodeOptions;
  readonly reader: SymbolReader;
}

async function lookUp(args: SymbolsArguments, context: ToolContext, means: Means): Promise<ToolOutcome> {
  const query = parseQuery(args.query);
  const kind = kindNamed(args.kind);
  const scope = await scopeOf(args.path, context, means.options.confine);
  const search = searchIn(scope, rulesFor(undefined, scope.shown), means.options, context.signal);
  const found = await findSymbols(query, search, means.reader);
  const hits = kind === undefined ? found.hits : found.hits.filter((hit) => hit.kind === kind);
  const metadata = { summary: count(hits.length, "symbol"), symbols: hits.length };
  const content =
    hits.length === 0 ? showNone(found, args, scope) : show(hits, found.notes, { max: args.max_results, scope });
  return { ok: true, content, metadata };
}

function kindNamed(kind: string | undefined): Kind | undefined {
  if (kind === undefined || kind === "") return undefined;
  const known = KINDS.find((each) => each === kind.trim().toLowerCase());
  if (known !== undefined) return known;
  throw refusal(
    "bad_kind",
    `There is no kind ${JSON.stringify(kind.slice(0, 100))}. The kinds are: ${KINDS.join(", ")}.`,
  );
}

interface Outlook {
  readonly max: number;
  readonly scope: Scope;
}

function show(hits: readonly SymbolHit[], notes: readonly string[], { max, scope }: Outlook): string {
  const lines: string[] = [];
  let room = SYMBOLS_CHARS - LAST_LINES_CHARS;
  for (const { path, line, kind, name, inside } of hits.slice(0, max)) {
    const where = inside.length === 0 ? "" : ` (in ${inside.map(printable).join(".")})`;
    const text = `${scope.show(path)}:${line} ${kind} ${printable(name)}${where}`;
    room -= text.length + 1;
    if (room < 0) break;
    lines.push(text);
  }
  const more = hits.length - lines.length;
  const left = more > 0 ? [`${count(more, "more symbol")}; narrow it with path, kind or the query`] : [];
  return [...lines, ...remarks([...left, ...notes])].join("\n");
}

function showNone(
  { hits, files, is_whole, notes }: SymbolSearch,
  { kind }: SymbolsArguments,
  { shown }: Scope,
): string {
  const others = [...new Set(hits.map((hit) => hit.kind))];
  const none = is_whole
    ? `no matches: no ${kind ?? "symbol"} of that name in ${count(files, "source file")}${underFolder(shown)}`
    : "no matches so far";
  const hint =
    others.length > 0
      ? [`${count(hits.length, "symbol")} of other kinds: ${others.join(", ")}`]
      : is_whole && files > 0
        ? ["code_grep finds where it is used"]
        : [];
  return [none, ...remarks([...hint, ...notes])].join("\n");
}
