import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** The project a turn runs in. */
export interface Project {
  /** Root of the git work tree, or null outside one. */
  readonly root: string | null;
  /** The origin's address without credentials; null without an origin. */
  readonly origin: string | null;
  /** The same in one canonical form, `host/path`. */
  readonly normalized: string | null;
  /** SHA-256 (16 hex digits) of the origin, else of the root's or folder's path. Always there. */
  readonly project_id: string;
}

/** Looks upwards from `cwd` for a git work tree. Reads files only: nothing of the repository is run. */
export function findProject(cwd: string): Project {
  const root = findRoot(cwd);
  const url = root === null ? null : readOrigin(root);
  const origin = url === null ? null : withoutCredentials(url);
  const normalized = url === null ? null : normaliseOrigin(url);
  return { root, origin, normalized, project_id: hash16(normalized ?? root ?? cwd) };
}

const hash16 = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

function findRoot(from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** The `url` of `[remote "origin"]` in the repository's own config, worktrees and submodules included. */
function readOrigin(root: string): string | null {
  const folder = gitFolder(join(root, ".git"));
  const common = readText(join(folder, "commondir"))?.trim();
  const config = readText(join(common === undefined ? folder : resolve(folder, common), "config"));
  const section = config?.split(/^\s*\[/m).find((part) => /^remote\s+"origin"\s*\]/.test(part));
  return section?.match(/^\s*url\s*=\s*"?([^"\n]+?)"?\s*$/m)?.[1] ?? null;
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

/** `https://bob:token@host/path` → `https://host/path`; the user of an ssh address is no secret. */
const withoutCredentials = (url: string): string =>
  url.replace(/^([a-z+]+:\/\/)(?:[^@/]*:[^@/]*@|(?<=https?:\/\/)[^@/]*@)/i, "$1");

/** SSH, HTTPS and file forms of one repository come out the same: `host/path`, without credentials, port or `.git`. */
export function normaliseOrigin(url: string): string {
  const trimmed = url.trim().replace(/\/+$/, "");
  const scp = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(trimmed); // git@host:path
  const full = /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]*)(?::\d+)?(?:\/(.*))?$/i.exec(trimmed);
  const [host, path] =
    full !== null ? [full[1] ?? "", full[2] ?? ""] : scp !== null ? [scp[1] ?? "", scp[2] ?? ""] : ["", trimmed];
  const clean = path.replace(/^\/+|\/+$/g, "").replace(/\.git$/i, "");
  return host === "" ? `file/${clean}` : `${host.toLowerCase()}/${clean}`;
}
