import { existsSync, readFileSync, statSync } from "node:fs";
import type Database from "better-sqlite3";
import type { Driver } from "./driver.ts";
import { inspect } from "./inspect.ts";
import { identify, migrate } from "./schema.ts";

/** A larger file is not taken into memory. */
const MAX_BYTES = 256 * 2 ** 20;

/**
 * A copy in memory of a database that can be read but not written: SQLite can't read one in WAL where it can't make files
 * beside it. Null when there is none, it is not ours, too large, or does not hold together.
 */
export function copyOf(driver: Driver, file: string): Database.Database | null {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.size === 0 || stats.size > MAX_BYTES) return null;
    if (inspect(driver, file) !== "ours") return null;
    const bytes = readFileSync(file);
    bytes.fill(1, 18, 20); // the two versions of the header: not in WAL, which memory does not have
    const db = new driver(bytes);
    if (identify(db) === "older") migrate(db);
    if (identify(db) === "ours") return db;
    db.close();
    return null;
  } catch {
    return null; // no rights, or damaged: it is as if nothing were there
  }
}

/** Turns that were not folded into the file when it became read-only. */
export const hasUnreadLog = (file: string): boolean =>
  existsSync(`${file}-wal`) && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
