/** What a symbol can be; the words the model filters by. */
export const KINDS = [
  ...(["class", "interface", "struct", "trait", "enum", "type", "function", "method"] as const),
  ...(["module", "impl", "macro", "const", "variable", "field", "member"] as const),
] as const;
export type Kind = (typeof KINDS)[number];

export interface CodeSymbol {
  readonly name: string;
  readonly kind: Kind;
  /** Line of its name, 1-based. */
  readonly line: number;
  /** How many symbols it stands in. */
  readonly depth: number;
  /** The names of those, outermost first. */
  readonly inside: readonly string[];
}

/** The symbols of one file, in its order. */
export interface FileSymbols {
  readonly symbols: readonly CodeSymbol[];
  /** The text has errors: what stands near them may be missing. */
  readonly has_errors: boolean;
}

/** A definition before it is known where it stands. Offsets in UTF-16 units. */
export interface Definition {
  readonly name: string;
  /** A kind, or `prototype`: a function declared without a body. */
  readonly kind: Kind | "prototype";
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

const NAME_CHARS = 200;
const HOLDS_METHODS: ReadonlySet<string> = new Set(["class", "interface", "struct", "trait", "enum", "impl"]);
const IS_CODE: ReadonlySet<string> = new Set(["function", "method"]);
/** What is no symbol inside a function: its own variables, and calls that look like declarations. */
const LOCAL: ReadonlySet<string> = new Set(["const", "variable", "prototype"]);

/** Finds out what stands in what. Of several definitions of one range and name the first counts. */
export function nest(definitions: readonly Definition[]): readonly CodeSymbol[] {
  const inOrder = definitions.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const open: { readonly end: number; readonly name: string; readonly kind: Kind }[] = [];
  const symbols: CodeSymbol[] = [];
  for (const { name, kind, line, start, end } of inOrder) {
    while ((open.at(-1)?.end ?? end) < end || (open.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= start) open.pop();
    const around = open.at(-1)?.kind;
    if (LOCAL.has(kind) && around !== undefined && IS_CODE.has(around)) continue;
    const symbol = { name: shorten(name), kind: kindIn(kind, around), line };
    symbols.push({ ...symbol, depth: open.length, inside: open.map((each) => each.name) });
    open.push({ end, name: symbol.name, kind: symbol.kind });
  }
  return symbols;
}

function kindIn(kind: Definition["kind"], around: Kind | undefined): Kind {
  const plain = kind === "prototype" ? "function" : kind;
  return plain === "function" && around !== undefined && HOLDS_METHODS.has(around) ? "method" : plain;
}

const shorten = (name: string): string => {
  const line = name.replace(/\s+/g, " ");
  return line.length > NAME_CHARS ? `${line.slice(0, NAME_CHARS)}…` : line;
};
