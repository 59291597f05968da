import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** History that takes longer than this to walk is a repository that has an origin. */
const PATIENCE_MS = 10_000;

/**
 * The first commit of a repository's history: the oldest of those without a parent that lead to `HEAD`. Null where there is
 * none yet, where git is missing or refuses, and in a shallow clone, whose first commit is not the first.
 */
export function rootCommit(root: string, common: string): string | null {
  if (!mayHaveCommits(common) || existsSync(join(common, "shallow"))) return null;
  const args = ["--no-replace-objects", "--no-optional-locks", "rev-list", "--max-parents=0", "HEAD", "--"];
  const { status, stdout } = spawnSync("git", args, {
    ...{ cwd: root, env: plainEnv(), timeout: PATIENCE_MS, encoding: "utf8" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const oldest = status === 0 ? stdout.trim().split("\n").at(-1) : undefined;
  return oldest !== undefined && /^[0-9a-f]{40,64}$/.test(oldest) ? oldest : null;
}

/** A process is spared where nothing was committed yet: without a packed or a loose branch there is no history. */
function mayHaveCommits(common: string): boolean {
  if (existsSync(join(common, "packed-refs"))) return true;
  try {
    return readdirSync(join(common, "refs", "heads")).length > 0;
  } catch {
    return existsSync(join(common, "reftable")); // another way to keep branches, or no repository at all
  }
}

/** Without what would send git to another repository than the one at hand. */
function plainEnv(): NodeJS.ProcessEnv {
  const { GIT_DIR: _, GIT_WORK_TREE: __, GIT_INDEX_FILE: ___, GIT_COMMON_DIR: ____, ...env } = process.env;
  return { ...env, GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
}
