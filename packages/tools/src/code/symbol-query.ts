import { refusal } from "../fault.ts";
import type { CodeSymbol } from "./syntax/symbol.ts";

/** A name looked for. Case, `_` and `-` are not told apart. */
export interface SymbolQuery {
  /** As it was given, without what stands before the last separator. */
  readonly name: string;
  readonly folded: string;
  /** What it must stand in, folded, outermost first: `["user"]` of `User.save`. */
  readonly inside: readonly string[];
}

const SEPARATORS = /\.|::|#|->|\/|\\|:/;

/** @throws {AgentError} `bad_query` for one without a name in it. */
export function parseQuery(text: string): SymbolQuery {
  const parts = text
    .trim()
    .replace(/\(.*\)?$/s, "") // save() is save
    .replace(/[*\s]+/g, "")
    .split(SEPARATORS)
    .filter((part) => part !== "");
  const name = parts.at(-1) ?? "";
  const folded = fold(name);
  if (folded !== "") return { name, folded, inside: parts.slice(0, -1).map(fold) };
  throw refusal(
    "bad_query",
    "The query holds no name to look for. Give a name or a part of one; code_map lists folders.",
  );
}

function fold(name: string): string {
  const lower = name.toLowerCase();
  return lower.includes("_") || lower.includes("-") ? lower.replace(/[_-]/g, "") : lower;
}

/** A regular expression that fits every file with such a name in it. */
export const fileExpression = ({ folded }: SymbolQuery): string =>
  [...folded].map((c) => c.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("[_-]*");

/** How well the symbol fits: 0 the very name, 1 but for case, 2 begins so, 3 holds it; null = not at all. */
export function fitOf({ name, inside }: Pick<CodeSymbol, "name" | "inside">, query: SymbolQuery): number | null {
  if (!fold(name).includes(query.folded)) return null; // most don't: say so fast
  const parts = name.split(SEPARATORS).filter((part) => part !== "");
  const own = parts.at(-1) ?? name;
  const folded = fold(own);
  const tier = tierOf(own, folded, query);
  if (tier === null || query.inside.length === 0) return tier;
  const around = [...inside, ...parts.slice(0, -1)].flatMap((each) => each.split(SEPARATORS)).map(fold);
  return standsIn(around, query.inside) ? tier : null;
}

function tierOf(own: string, folded: string, query: SymbolQuery): number | null {
  if (own === query.name) return 0;
  if (folded === query.folded) return 1;
  if (folded.startsWith(query.folded)) return 2;
  return folded.includes(query.folded) ? 3 : null;
}

/** Each wanted name begins one of those around, in order. */
function standsIn(around: readonly string[], wanted: readonly string[]): boolean {
  let at = 0;
  for (const name of around) if (name.startsWith(wanted[at] ?? "\0")) at++;
  return at === wanted.length;
}
