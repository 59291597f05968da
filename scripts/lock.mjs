// One bootstrap at a time in a clone: a directory that names its holder and is touched while the holder lives.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const beatMs = 1000;
/** A lock that was not touched for so long has no holder, whatever its pid says: pids come again after a restart. */
const silentMs = 15_000;
const pollMs = 100;

/** Waits for the lock. `onWait(pid)` is called once, when someone else has it. Returns the function that gives it back. */
export async function takeLock(dir, onWait) {
  mkdirSync(dirname(dir), { recursive: true });
  let told = false;
  while (!tryLock(dir)) {
    const holder = readHolder(dir);
    if (isStale(dir, holder)) {
      setAside(dir, holder);
      continue;
    }
    if (!told) onWait(holder.pid ?? "unknown");
    told = true;
    await sleep(pollMs);
  }
  dropStale(dir);
  const beat = setInterval(() => touch(dir), beatMs);
  let held = true;
  return () => {
    if (!held) return; // by now it may be another's
    held = false;
    clearInterval(beat);
    rmSync(dir, { recursive: true, force: true });
  };
}

function tryLock(dir) {
  try {
    mkdirSync(dir);
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  writeFileSync(join(dir, "holder"), JSON.stringify({ host: hostname(), pid: process.pid }));
  return true;
}

function readHolder(dir) {
  try {
    return JSON.parse(readFileSync(join(dir, "holder"), "utf8"));
  } catch {
    return {}; // given back just now, or not yet written
  }
}

function isStale(dir, holder) {
  const touched = statSync(dir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - touched > silentMs) return true;
  return holder.host === hostname() && !isAlive(holder.pid);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Two waiters may find the same lock stale. The name says whose it was, and a directory can't be renamed onto one that
 * is not empty: so the second can't take away the lock that the first has taken since.
 */
function setAside(dir, holder) {
  try {
    const aside = `${dir}.stale-${holder.host ?? "unknown"}-${holder.pid ?? 0}`;
    renameSync(dir, aside);
    touch(aside);
  } catch {
    // another waiter was first: go back to trying
  }
}

function dropStale(dir) {
  const parent = dirname(dir);
  for (const name of readdirSync(parent).filter((each) => each.startsWith(`${basename(dir)}.stale-`))) {
    const path = join(parent, name);
    if (Date.now() - statSync(path).mtimeMs > silentMs) rmSync(path, { recursive: true, force: true });
  }
}

function touch(dir) {
  try {
    utimesSync(dir, new Date(), new Date());
  } catch {
    // the clone was deleted under us: nothing left to guard
  }
}
