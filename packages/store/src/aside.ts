import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import type { Notice } from "@smith/contract/turn";
import { errnoOf } from "./errors.ts";

const LOCK_RETRY_MS = 20;
const LOCK_STALE_MS = 2_000;

export interface Aside {
  readonly file: string;
  /** Ends the new name: ms since the epoch. */
  readonly ts: number;
  /** Asked again under the lock: another process may have mended it meanwhile. */
  isDamaged(): boolean;
}

/**
 * Renames a damaged database and its logs to `<file>.corrupt-<ts>`, so that a rescue is possible and nothing is
 * overwritten. `null` when another process did it first.
 */
export async function setAside(aside: Aside): Promise<Notice | null> {
  const lock = `${aside.file}.aside-lock`;
  await takeLock(lock);
  try {
    if (!aside.isDamaged()) return null;
    const kept = freeName(`${aside.file}.corrupt-${aside.ts}`);
    // The logs first: left behind, they would be played into the new database.
    for (const suffix of ["-wal", "-shm", "-journal", ""]) {
      if (existsSync(aside.file + suffix)) renameSync(aside.file + suffix, kept + suffix);
    }
    const text = `The database ${aside.file} was damaged. It is kept as ${kept}, and a new, empty one was opened: earlier sessions are not listed.`;
    return { level: "error", text };
  } finally {
    rmSync(lock, { force: true });
  }
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let n = 2; existsSync(name); n++) name = `${wanted}-${n}`;
  return name;
}

/** A file that only one process can create. Renaming takes milliseconds: one that stays was left by a process that died. */
async function takeLock(lock: string): Promise<void> {
  for (let waitedMs = 0; !created(lock); waitedMs += LOCK_RETRY_MS) {
    if (waitedMs >= LOCK_STALE_MS) rmSync(lock, { force: true });
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
}

function created(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}
