import { basename } from "node:path";
import * as queries from "./queries.ts";

/** A language whose symbols can be read. */
export interface Language {
  readonly name: string;
  /** The grammar's name in its package; null where a scanner of ours reads it. */
  readonly grammar: string | null;
  readonly query: string;
}

type Row = readonly [name: string, grammar: string | null, query: string, files: string];

/** `files`: extensions, and whole names that have none. */
const ROWS: readonly Row[] = [
  ["TypeScript", "typescript", queries.TYPESCRIPT, "ts mts cts"],
  ["TSX", "tsx", queries.TYPESCRIPT, "tsx"],
  ["JavaScript", "javascript", queries.JAVASCRIPT, "js mjs cjs jsx"],
  ["Python", "python", queries.PYTHON, "py pyi"],
  ["Go", "go", queries.GO, "go"],
  ["Rust", "rust", queries.RUST, "rs"],
  ["Java", "java", queries.JAVA, "java"],
  ["C and C++", "cpp", queries.CPP, "c h cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl"],
  ["C#", "c-sharp", queries.C_SHARP, "cs"],
  ["Ruby", "ruby", queries.RUBY, "rb rake gemspec Rakefile Gemfile"],
  ["PHP", "php", queries.PHP, "php phtml"],
  ["Bash", "bash", queries.BASH, "sh bash .bashrc .bash_profile .profile"],
  ["Lua", null, "", "lua"],
];

const BY_FILE: ReadonlyMap<string, Language> = new Map(
  ROWS.flatMap(([name, grammar, query, files]) =>
    files.split(" ").map((file) => [file, Object.freeze({ name, grammar, query })] as const),
  ),
);

export const LANGUAGE_NAMES: readonly string[] = ROWS.map(([name]) => name);

/** The language of a file by its name; undefined for one whose symbols can't be read. */
export function symbolLanguage(path: string): Language | undefined {
  const name = basename(path);
  return BY_FILE.get(name) ?? BY_FILE.get(/.\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "");
}

const SHEBANG = /^#!.*?[/ ](?:(bash|sh|dash|ksh)|(python[\d.]*)|(node)|(ruby)|(php)|(lua[\d.]*))\b/;
const SHEBANG_FILES = ["sh", "py", "js", "rb", "php", "lua"];

/** The language that the first line of a script names. */
export function shebangLanguage(text: string): Language | undefined {
  const found = SHEBANG.exec(text.slice(0, 200));
  const at = found?.slice(1).findIndex((each) => each !== undefined) ?? -1;
  return BY_FILE.get(SHEBANG_FILES[at] ?? "");
}
