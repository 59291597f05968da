import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import type Database from "better-sqlite3";

/**
 * Copies a database that is about to be migrated to `<file>.v<version>-backup`, whole and readable by its owner alone. An
 * earlier copy of that version is kept: it is the one from before the first attempt.
 */
export function copyAside(db: Database.Database, file: string): void {
  const kept = `${file}.v${db.pragma("user_version", { simple: true })}-backup`;
  if (existsSync(kept)) return;
  const unfinished = `${kept}.${process.pid}`;
  try {
    closeSync(openSync(unfinished, "w", 0o600)); // SQLite fills an empty file, and keeps its rights
    db.prepare("VACUUM INTO ?").run(unfinished);
    renameSync(unfinished, kept);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
