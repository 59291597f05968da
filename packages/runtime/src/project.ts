import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { originIn } from "./git-config.ts";
import { hash16 } from "./hash.ts";
import { normaliseOrigin, withoutCredentials } from "./origin.ts";
import { rootCommit } from "./root-commit.ts";

/** The project a turn runs in. */
export interface Project {
  /** Root of the git work tree, or null outside one. */
  readonly root: string | null;
  /** The origin's address without credentials; null without an origin. */
  readonly origin: string | null;
  /** The same in one canonical form, `host/path`. */
  readonly normalized: string | null;
  /** SHA-256 (16 hex digits) of the origin, else of the first commit, else of the root's or folder's path. Always there. */
  readonly project_id: string;
}

/** Finds the project around a folder. */
export type FindProject = (cwd: string) => Project;

/**
 * Looks upwards from a folder for a git work tree. Reads files only; git itself is asked, once for each repository, where
 * there is no origin.
 */
export function createProjects(askGit = rootCommit): FindProject {
  /** By git folder. A first commit does not change; that there is none yet may. */
  const commits = new Map<string, string>();
  const firstCommit = (root: string, common: string): string | null => {
    const known = commits.get(common) ?? askGit(root, common);
    if (known !== null) commits.set(common, known);
    return known;
  };
  return (cwd) => {
    const root = findRoot(cwd);
    if (root === null) return { root, origin: null, normalized: null, project_id: hash16(realOr(resolve(cwd))) };
    const common = commonFolder(root);
    const url = originOf(common);
    if (url === null) {
      return { root, origin: null, normalized: null, project_id: hash16(firstCommit(root, common) ?? realOr(root)) };
    }
    const normalized = normaliseOrigin(url);
    return { root, origin: withoutCredentials(url), normalized, project_id: hash16(normalized) };
  };
}

/** Root of the git work tree around a folder; null outside one. */
export function findRoot(from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** Where the repository itself is: the same for all its work trees. */
function commonFolder(root: string): string {
  const folder = gitFolder(join(root, ".git"));
  const common = readText(join(folder, "commondir"))?.trim();
  return common === undefined ? folder : resolve(folder, common);
}

/** The `url` of the repository's own configuration; a path beside it is made absolute, as git takes it. */
function originOf(common: string): string | null {
  const url = originIn(readText(join(common, "config")) ?? "");
  if (url === null || !/^\.\.?(\/|$)/.test(url)) return url;
  return resolve(basename(common) === ".git" ? dirname(common) : common, url);
}

/** `.git` is a folder, or (worktree, submodule) a file that says where it is. */
function gitFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  const target =
    readText(path)
      ?.match(/^gitdir:\s*(.+)$/m)?.[1]
      ?.trim() ?? path;
  return isAbsolute(target) ? target : resolve(dirname(path), target);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // absent or unreadable: the same as not saying it
  }
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // deleted meanwhile
  }
}
