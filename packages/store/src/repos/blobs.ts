import { createHash } from "node:crypto";
import type { Store } from "@smith/contract/store";
import type Database from "better-sqlite3";
import type { Access } from "../access.ts";

/** Bytes by their hash, apart from the keyspaces: they are big, and several messages may name the same ones. */
const TABLE =
  "CREATE TABLE IF NOT EXISTS blob (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL, size INTEGER NOT NULL, last_used INTEGER NOT NULL)";

/** What is on when blobs are dropped: room for some more, lest each put drops one. */
const KEPT_SHARE = 0.9;

/**
 * The table is made with the first blob: most databases never hold one.
 * @param maxBytes asked at each put: above it the blobs go that were longest not used.
 */
export function blobs({ kv, run, now }: Access, db: Database.Database, maxBytes: () => number): Store["blob"] {
  const room = createRoom(db, maxBytes);
  let insert: ReturnType<typeof prepareInsert> | null = null; // every tool output is put: it is compiled once
  const isThere = () =>
    db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'blob'").get() !== undefined;
  const put = (bytes: Uint8Array): string => {
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    try {
      kv.write(() => {
        insert ??= prepareInsert(db);
        insert.run(hash, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes.byteLength, now());
        room.taken(bytes.byteLength);
      });
    } catch (thrown) {
      insert = null; // the table may have been taken back with the transaction
      throw thrown;
    }
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

/** Keeps the table below its size. Others write to it too, so what is counted here is only when to count again. */
function createRoom(db: Database.Database, maxBytes: () => number) {
  let known: number | null = null;
  const total = () => db.prepare<[], number | null>("SELECT sum(size) FROM blob").pluck().get() ?? 0;
  const dropOldest = (bytes: number): void => {
    const oldest = db.prepare<[], { hash: string; size: number }>(
      "SELECT hash, size FROM blob ORDER BY last_used, rowid",
    );
    const drop: string[] = [];
    let dropped = 0;
    for (const { hash, size } of oldest.iterate()) {
      if (dropped >= bytes) break;
      dropped += size;
      drop.push(hash);
    }
    const remove = db.prepare<[string]>("DELETE FROM blob WHERE hash = ?");
    for (const hash of drop) remove.run(hash);
  };
  return {
    /** Inside the transaction that put them. */
    taken(bytes: number): void {
      known = known === null ? total() : known + bytes;
      if (known <= maxBytes()) return;
      known = total();
      if (known <= maxBytes()) return;
      dropOldest(known - maxBytes() * KEPT_SHARE);
      known = total();
    },
  };
}
