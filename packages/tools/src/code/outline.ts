import { stat } from "node:fs/promises";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { locate, type Place } from "../confine.ts";
import { notFound, statRegular } from "../disk-file.ts";
import { answering, errnoOf, printable, refusal } from "../fault.ts";
import type { CodeOptions } from "./scope.ts";
import { LANGUAGE_NAMES } from "./syntax/languages.ts";
import { PARSED_MAX_BYTES, type SymbolReader, type Unread } from "./syntax/reader.ts";
import type { CodeSymbol, FileSymbols } from "./syntax/symbol.ts";
import { count, remarks, summaryOf } from "./words.ts";

const OUTLINE_CHARS = 20_000;
const LAST_LINES_CHARS = 500;

const OutlineArguments = z.strictObject({ path: z.string() });
type OutlineArguments = z.infer<typeof OutlineArguments>;

/** `code_outline`: what one file defines. */
export const createCodeOutline = (options: CodeOptions, reader: SymbolReader): Tool<OutlineArguments> =>
  Object.freeze({
    name: "code_outline",
    description: "What a source file defines: line kind name, nested by indent.",
    schema: OutlineArguments,
    side_effects: "none",
    max_chars: OUTLINE_CHARS,
    run: (args, context) => answering(args.path, () => outline(args, context, { options, reader })),
    result_renderer: (_args, outcome) => summaryOf(outcome),
  } satisfies Tool<OutlineArguments>);

interface Means {
  readonly options: CodeOptions;
  readonly reader: SymbolReader;
}

async function outline({ path }: OutlineArguments, context: ToolContext, means: Means): Promise<ToolOutcome> {
  const place = await fileAt(path, context, means.options);
  const { symbols, language, unread } = await means.reader.read(place.real);
  if (unread !== null) throw unreadable(unread, place);
  return {
    ok: true,
    content: draw(symbols, language),
    metadata: { summary: count(symbols.symbols.length, "symbol"), symbols: symbols.symbols.length },
  };
}

async function fileAt(path: string, context: ToolContext, { confine }: CodeOptions): Promise<Place> {
  const place = locate(path, context, confine === "all");
  const stats = await stat(place.real).catch(async (thrown: unknown) => {
    throw errnoOf(thrown) === "ENOENT" ? await notFound(path, place, context) : thrown;
  });
  if (stats.isDirectory()) {
    throw refusal(
      "is_directory",
      `${place.shown} is a directory. code_outline takes one file; code_map draws folders.`,
    );
  }
  await statRegular(place);
  return place;
}

function unreadable(unread: Unread, { shown }: Place): Error {
  const why: Readonly<Record<Unread, string>> = {
    binary: `${shown} is binary: it has no outline.`,
    language: `${shown} is in no language that can be outlined (${LANGUAGE_NAMES.join(", ")}). Use read, or code_grep with path.`,
    large: `${shown} is over ${PARSED_MAX_BYTES >> 20} MiB, too large to outline. Use code_grep with path.`,
    slow: `${shown} could not be parsed in time. Use code_grep with path.`,
    unreadable: `${shown} can't be read by this user.`,
  };
  return refusal(unread === "unreadable" ? "permission" : `outline_${unread}`, why[unread]);
}

function draw({ symbols, has_errors }: FileSymbols, language: string): string {
  const notes = has_errors ? [`the file has syntax errors as ${language}: symbols near them may be missing`] : [];
  if (symbols.length === 0) return [`no symbols (${language})`, ...remarks(notes)].join("\n");
  // When not all fit, the innermost go first.
  for (let depth = Math.max(...symbols.map((each) => each.depth)); ; depth--) {
    const shown = symbols.filter((each) => each.depth <= depth);
    const kept = fit(shown);
    if (kept.length < shown.length && depth > 0) continue;
    const hidden = symbols.length - kept.length;
    const left = hidden > 0 ? [`${count(hidden, "more symbol")}: use code_symbols or code_grep with path`] : [];
    return [...kept, ...remarks([...left, ...notes])].join("\n");
  }
}

function fit(symbols: readonly CodeSymbol[]): readonly string[] {
  let room = OUTLINE_CHARS - LAST_LINES_CHARS;
  const lines: string[] = [];
  for (const { line, kind, name, depth } of symbols) {
    const text = `${"  ".repeat(depth)}${line} ${kind} ${printable(name)}`;
    room -= text.length + 1;
    if (room < 0) break;
    lines.push(text);
  }
  return lines;
}
