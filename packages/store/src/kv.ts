import type Database from "better-sqlite3";
import { mayBeOfIndex } from "./errors.ts";
import type { CheckPlace } from "./place.ts";
import { createIndexWriter, type IndexWriter } from "./search/writer.ts";

export interface Entry {
  readonly key: string;
  readonly value: string;
}

/**
 * Text under keys in keyspaces, in key order. Every method is synchronous and may throw SQLite's own error; the store
 * translates it at its doors.
 */
export interface Kv {
  get(keyspace: string, key: string): string | null;
  /** Writes over what is there; the row keeps its id. */
  put(keyspace: string, key: string, value: string): void;
  /** Fails when the key is taken. */
  add(keyspace: string, key: string, value: string): void;
  remove(keyspace: string, key: string): void;
  /** Removes every key that begins with `scope`. Here and below a scope is well-formed text and not empty. */
  removeScope(keyspace: string, scope: string): void;
  /** Entries whose key begins with `scope`, from the key `from` on (default: all of them). */
  scan(keyspace: string, scope: string, from?: string): readonly Entry[];
  /** Every entry of the keyspace. */
  all(keyspace: string): readonly Entry[];
  /** How many keys begin with `scope`. */
  count(keyspace: string, scope: string): number;
  /** The greatest key that begins with `scope`. */
  lastKey(keyspace: string, scope: string): string | null;
  /** Reads of one moment. */
  read<T>(work: () => T): T;
  /** One transaction, locked from its first statement: all of it happens, or nothing. Must not be nested. */
  write<T>(work: () => T): T;
  /** As `write`, and on the disk when it returns. */
  writeDurably<T>(work: () => T): T;
  /** What is written and removed here is kept up in it, in the same transaction. */
  readonly index: IndexWriter;
  close(): void;
}

/** The least text that is greater than everything that begins with `scope`; texts are ordered by code points. */
function afterScope(scope: string): string {
  const points = [...scope];
  while (points.at(-1) === "\u{10ffff}") points.pop(); // nothing is greater than this one
  const last = points.pop()?.codePointAt(0) ?? 0;
  return points.join("") + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1); // between them are the surrogates
}

/** The table `kv` of an open database. The statements are compiled here, once. */
export function createKv(db: Database.Database, checkPlace: CheckPlace = () => {}): Kv {
  const statement = prepareAll(db);
  const transaction = db.transaction((work: () => unknown) => work());
  // The transaction function loses the type of what it runs.
  const read = <T>(work: () => T): T => transaction.deferred(work) as T;
  // IMMEDIATE: a transaction that reads first and then wants to write fails at once when another has written since.
  const immediate = <T>(work: () => T): T => transaction.immediate(work) as T;
  const index = createIndexWriter(db);
  /** Damaged full-text tables are no reason to lose a message. When it fails all the same, it was not them. */
  const withoutIndex = <T>(work: () => T): T => {
    index.giveUp();
    try {
      return immediate(work);
    } catch (error) {
      index.trustAgain();
      throw error;
    }
  };
  const write = <T>(work: () => T): T => {
    checkPlace();
    try {
      return immediate(work);
    } catch (error) {
      if (!mayBeOfIndex(error) || index.isGivenUp()) throw error;
      return withoutIndex(work);
    }
  };
  const indexed = (keyspace: string, key: string, row: { id: number } | undefined, value: string): void => {
    if (row !== undefined && index.isSearched(keyspace)) index.set(keyspace, { id: row.id, key, value });
  };

  return Object.freeze<Kv>({
    get: (keyspace, key) => statement.get.get(keyspace, key) ?? null,
    put: (keyspace, key, value) => indexed(keyspace, key, statement.put.get(keyspace, key, value), value),
    add: (keyspace, key, value) => indexed(keyspace, key, statement.add.get(keyspace, key, value), value),
    remove(keyspace, key) {
      if (index.isSearched(keyspace)) index.remove(keyspace, key);
      statement.remove.run(keyspace, key);
    },
    removeScope(keyspace, scope) {
      if (index.isSearched(keyspace)) index.removeRange(keyspace, scope, afterScope(scope));
      statement.removeScope.run(keyspace, scope, afterScope(scope));
    },
    scan: (keyspace, scope, from = scope) => statement.scan.all(keyspace, from, afterScope(scope)),
    all: (keyspace) => statement.all.all(keyspace),
    count: (keyspace, scope) => statement.count.get(keyspace, scope, afterScope(scope)) ?? 0,
    lastKey: (keyspace, scope) => statement.lastKey.get(keyspace, scope, afterScope(scope)) ?? null,
    read,
    write,
    index,
    writeDurably: (work) => {
      db.pragma("synchronous = FULL"); // before BEGIN: inside a transaction SQLite ignores it
      try {
        return write(work);
      } finally {
        db.pragma("synchronous = NORMAL");
      }
    },
    close: () => void db.close(),
  });
}

type Range = [keyspace: string, from: string, before: string];

function prepareAll(db: Database.Database) {
  const within = "keyspace = ? AND key >= ? AND key < ?";
  return {
    get: db.prepare<[string, string], string>("SELECT value FROM kv WHERE keyspace = ? AND key = ?").pluck(),
    put: db.prepare<[string, string, string], { id: number }>(
      "INSERT INTO kv (keyspace, key, value) VALUES (?, ?, ?) ON CONFLICT (keyspace, key) DO UPDATE SET value = excluded.value RETURNING id",
    ),
    add: db.prepare<[string, string, string], { id: number }>(
      "INSERT INTO kv (keyspace, key, value) VALUES (?, ?, ?) RETURNING id",
    ),
    remove: db.prepare<[string, string]>("DELETE FROM kv WHERE keyspace = ? AND key = ?"),
    removeScope: db.prepare<Range>(`DELETE FROM kv WHERE ${within}`),
    scan: db.prepare<Range, Entry>(`SELECT key, value FROM kv WHERE ${within} ORDER BY key`),
    all: db.prepare<[string], Entry>("SELECT key, value FROM kv WHERE keyspace = ? ORDER BY key"),
    count: db.prepare<Range, number>(`SELECT count(*) FROM kv WHERE ${within}`).pluck(),
    lastKey: db.prepare<Range, string>(`SELECT key FROM kv WHERE ${within} ORDER BY key DESC LIMIT 1`).pluck(),
  };
}
