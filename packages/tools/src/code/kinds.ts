/*
 * What a file is, by its name alone.
 */

const LANGUAGES: Readonly<Record<string, string>> = {
  TypeScript: "ts tsx mts cts",
  JavaScript: "js jsx mjs cjs",
  Python: "py pyi",
  Go: "go",
  Rust: "rs",
  Java: "java",
  Kotlin: "kt kts",
  Swift: "swift",
  C: "c h",
  "C++": "cc cpp cxx hh hpp hxx",
  "C#": "cs",
  "Objective-C": "m mm",
  Ruby: "rb",
  PHP: "php",
  Scala: "scala",
  Lua: "lua",
  Perl: "pl pm",
  R: "r",
  Dart: "dart",
  Elixir: "ex exs",
  Erlang: "erl hrl",
  Haskell: "hs",
  OCaml: "ml mli",
  Clojure: "clj cljs cljc",
  Zig: "zig",
  Julia: "jl",
  Shell: "sh bash zsh fish",
  PowerShell: "ps1",
  SQL: "sql",
  Vue: "vue",
  Svelte: "svelte",
};

/** Languages of text that is no program. */
const PROSE: Readonly<Record<string, string>> = {
  Markdown: "md mdx markdown",
  HTML: "html htm",
  CSS: "css scss sass less",
  JSON: "json jsonc json5",
  YAML: "yml yaml",
  TOML: "toml",
  XML: "xml",
  Text: "txt rst adoc",
  Protobuf: "proto",
  GraphQL: "graphql gql",
  Terraform: "tf",
};

const byExtension = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(table).flatMap(([name, all]) => all.split(" ").map((extension) => [extension, name] as const)),
  );

const PROGRAMS = byExtension(LANGUAGES);
const TEXTS = byExtension(PROSE);

const extensionOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";

/** The language by the extension, or undefined for one not known. */
export const languageOf = (path: string): string | undefined =>
  PROGRAMS.get(extensionOf(path)) ?? TEXTS.get(extensionOf(path));

const MADE =
  /(^|\/)(vendor|vendored|third_party|node_modules|dist|generated|__generated__)\/|\.(min\.\w+|map|lock|snap|pb\.\w+|generated\.\w+|g\.dart)$|_pb2\.py$|(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum)$/;
const TEST =
  /(^|\/)(tests?|__tests__|__mocks__|specs?|testdata|fixtures?|e2e)\/|\.(test|spec)\.\w+$|_(test|spec)\.\w+$|(^|\/)(test_[^/]*|conftest)\.py$/i;

/** How far from what a person looks for first: 0 source, 1 other text, 2 tests, 3 generated, vendored or locked. */
export function farnessOf(path: string): number {
  if (MADE.test(path)) return 3;
  if (TEST.test(path)) return 2;
  return PROGRAMS.has(extensionOf(path)) ? 0 : 1;
}
