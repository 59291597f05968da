import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusal } from "../fault.ts";

/*
 * Which files are looked at, told in the language of .gitignore, for ripgrep and the built-in walk alike. The project's own
 * ignore files go before these rules: a glob never brings back what they leave out.
 */

/** Hidden folders and files that people write by hand and ask about. */
const SEEN_FOLDERS = [".github", ".gitlab", ".circleci", ".vscode", ".devcontainer", ".husky", ".storybook", ".cargo"];
const SEEN_FILES = [
  ".gitignore",
  ".gitattributes",
  ".gitlab-ci.yml",
  ".travis.yml",
  ".npmrc",
  ".nvmrc",
  ".editorconfig",
];
const SEEN_KINDS = [".eslintrc*", ".prettierrc*", ".babelrc*", ".dockerignore", ".env.example", ".pre-commit-config.*"];

/** Alternatives a glob may unfold to; beyond them it is taken as it is. */
const MAX_ALTERNATIVES = 200;

/** `shown` is the folder searched as the model knows it: a glob may start there or at the project root. */
export function rulesFor(glob: string | undefined, shown: string): readonly string[] {
  const seenFolders = SEEN_FOLDERS.map((name) => `!${name}/`);
  if (glob === undefined || glob === "") {
    return [".*", ...seenFolders, ...[...SEEN_FILES, ...SEEN_KINDS].map((name) => `!${name}`)];
  }
  if (/[\n\r\0]/.test(glob)) throw refusal("bad_glob", "glob must be one line of text.");
  const excludes = glob.startsWith("!");
  const patterns = expandBraces(excludes ? glob.slice(1) : glob).flatMap((each) => anchorsOf(each, shown));
  if (excludes) return [...rulesFor(undefined, shown), ...patterns.map(escapeStart)];
  const asked = patterns.flatMap((each) => each.split("/").filter((part) => /^\.[^.*?[]/.test(part)));
  return ["*", "!*/", ...patterns.map((each) => `!${each}`), ".*/", ...seenFolders, ...asked.map(unhide), ".git"];
}

const unhide = (name: string): string => `!${name}`;

/** The pattern from the folder searched and, where it begins with that folder's own path, also from the root. */
function anchorsOf(pattern: string, shown: string): readonly string[] {
  const plain = pattern.replace(/^\.\//, "");
  const folder = `${shown}/`;
  const below = plain.replace(/^\//, "");
  return below.startsWith(folder) ? [plain, `/${below.slice(folder.length)}`] : [plain];
}

const escapeStart = (pattern: string): string => (/^[#!]/.test(pattern) ? `\\${pattern}` : pattern);

/** `*.{ts,tsx}` as `*.ts` and `*.tsx`: ignore files know no braces. */
export function expandBraces(glob: string): readonly string[] {
  let globs = [glob];
  for (;;) {
    const next = globs.flatMap(expandFirst);
    if (next.length === globs.length || next.length > MAX_ALTERNATIVES) return globs;
    globs = next;
  }
}

function expandFirst(glob: string): readonly string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(glob);
  if (found === null) return [glob];
  const before = glob.slice(0, found.index);
  const after = glob.slice(found.index + found[0].length);
  return (found[1] ?? "").split(",").map((each) => before + each + after);
}

/** Runs the work with the rules in a temporary file; with null where no file can be written. */
export async function withRulesFile<T>(
  rules: readonly string[],
  work: (path: string | null) => Promise<T>,
): Promise<T> {
  const path = join(tmpdir(), `smith-rules-${randomBytes(8).toString("hex")}`);
  try {
    await writeFile(path, `${rules.join("\n")}\n`, { flag: "wx", mode: 0o600 });
  } catch {
    return await work(null); // no room or no right to write: there is a way without ripgrep
  }
  try {
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}
