import { createHash } from "node:crypto";
import type { Store } from "@smith/contract/store";
import type Database from "better-sqlite3";
import type { Access } from "../access.ts";

/** Bytes by their hash, apart from the keyspaces: they are big, and several messages may name the same ones. */
const TABLE =
  "CREATE TABLE IF NOT EXISTS blob (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL, size INTEGER NOT NULL, last_used INTEGER NOT NULL)";

/** The table is made with the first blob: most databases never hold one. */
export function blobs({ kv, run, now }: Access, db: Database.Database): Store["blob"] {
  let insert: ReturnType<typeof prepareInsert> | null = null; // every tool output is put: it is compiled once
  const isThere = () =>
    db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'blob'").get() !== undefined;
  const put = (bytes: Uint8Array): string => {
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    kv.write(() => {
      insert ??= prepareInsert(db);
      insert.run(hash, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes.byteLength, now());
    });
    return hash;
  };
  const get = (hash: string): Uint8Array | null => {
    if (!isThere()) return null;
    const bytes = db.prepare<[string], Buffer>("SELECT bytes FROM blob WHERE hash = ?").pluck().get(hash);
    if (bytes === undefined) return null;
    try {
      kv.write(() => void db.prepare("UPDATE blob SET last_used = ? WHERE hash = ?").run(now(), hash));
    } catch {
      // A full disk keeps nobody from reading: only its age is then older than it should be.
    }
    return new Uint8Array(bytes);
  };
  return Object.freeze<Store["blob"]>({
    put: (bytes) => run(() => put(bytes)),
    get: (hash) => run(() => get(hash)),
  });
}

function prepareInsert(db: Database.Database) {
  db.exec(TABLE);
  return db.prepare<[string, Buffer, number, number]>(
    "INSERT INTO blob (hash, bytes, size, last_used) VALUES (?, ?, ?, ?) ON CONFLICT (hash) DO UPDATE SET last_used = excluded.last_used",
  );
}
