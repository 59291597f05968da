import { execFile } from "node:child_process";
import { open, readFile, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

/** The paths that differ from the last commit or are new, absolute; or why they can't be told. */
export type Differing =
  | { readonly paths: readonly string[]; readonly why: null }
  | { readonly paths: null; readonly why: string };

/** Above this, looking would cost more than it tells. */
export const TRACKED_MAX = 50_000;
const TIMEOUT_MS = 5000;
const OUTPUT_MAX_BYTES = 16 << 20;

/**
 * `git status` of a work tree in which nothing of the repository runs: no hook, no filter, no monitor, no helper, and no
 * lock is taken. Never throws.
 */
export async function differingFiles(root: string): Promise<Differing> {
  try {
    const tracked = await trackedFiles(root);
    if (tracked !== null && tracked > TRACKED_MAX) return { paths: null, why: `above ${TRACKED_MAX} tracked files` };
    const out = await git(root, STATUS, await filterNames(root));
    return { paths: pathsOf(out).map((path) => join(root, path)), why: null };
  } catch (thrown) {
    const why = thrown instanceof Error ? (thrown.message.split("\n", 1)[0] ?? "") : String(thrown);
    return { paths: null, why: `git status failed: ${why.slice(0, 200)}` };
  }
}

const STATUS = [
  ...["--no-optional-locks", "status", "--porcelain=v2", "-z", "--untracked-files=all"],
  ...["--ignore-submodules=all", "--no-renames", "--no-ahead-behind"],
];

/** The number that the index's header tells; null where there is none to read. */
async function trackedFiles(root: string): Promise<number | null> {
  try {
    await using file = await open(join(root, ".git", "index"));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, 0);
    return bytesRead === 12 && buffer.toString("latin1", 0, 4) === "DIRC" ? buffer.readUInt32BE(8) : null;
  } catch {
    return null; // no commit yet, or a linked work tree
  }
}

/** Filters that the repository defines: `status` would run them to compare a file. */
async function filterNames(root: string): Promise<readonly string[]> {
  if (!(await mayDefineFilters(root))) return [];
  const out = await git(root, ["config", "-z", "--name-only", "--get-regexp", "^filter\\."], []).catch(noneFound);
  return [...new Set(out.split("\0").flatMap((key) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? []))];
}

/** `git config` ends with 1 where no key fits. */
function noneFound(thrown: unknown): string {
  if (thrown instanceof Error && "code" in thrown && thrown.code === 1) return "";
  throw thrown;
}

async function mayDefineFilters(root: string): Promise<boolean> {
  const dir = join(root, ".git");
  if (!(await stat(dir)).isDirectory()) return true; // its configuration is elsewhere
  const texts = ["config", "config.worktree"].map((name) => readFile(join(dir, name), "utf8").catch(() => ""));
  return /filter|include/i.test((await Promise.all(texts)).join("\n"));
}

/** As the git tool has it. Whose the tree is does not matter where nothing of it runs, and only paths are told. */
async function environment(filters: readonly string[]): Promise<NodeJS.ProcessEnv> {
  const { neutralEnvironment } = await import("@smith/tools");
  const path = (process.env["PATH"] ?? "").split(":").filter(isAbsolute).join(":"); // never from the tree itself
  return neutralEnvironment({ env: { PATH: path }, filters, user: [["safe.directory", "*"]] });
}

async function git(root: string, args: readonly string[], filters: readonly string[]): Promise<string> {
  const options = { cwd: root, env: await environment(filters), timeout: TIMEOUT_MS, maxBuffer: OUTPUT_MAX_BYTES };
  return await new Promise((resolve, reject) => {
    execFile("git", [...args], options, (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
  });
}

/** The path of each entry; a name may hold anything but NUL. */
const pathsOf = (status: string): readonly string[] =>
  status.split("\0").flatMap((entry) => {
    if (entry.startsWith("? ")) return [entry.slice(2)];
    const fields = entry.startsWith("1 ") ? 8 : entry.startsWith("u ") ? 10 : 0;
    return fields === 0 ? [] : [entry.split(" ").slice(fields).join(" ")];
  });
