import type Database from "better-sqlite3";
import { entryOf, isFindable } from "./entry.ts";
import {
  createSearchTables,
  dropSearchTables,
  markStale,
  SEARCH_TABLES,
  SEARCHED,
  type SearchedKeyspace,
  STALE,
} from "./tables.ts";
import { spaced } from "./words.ts";

/** Keeps the full-text tables like the entries, inside the transaction that writes those. */
export interface IndexWriter {
  isSearched(keyspace: string): keyspace is SearchedKeyspace;
  /** An entry was written, over an old one or anew. */
  set(keyspace: SearchedKeyspace, row: IndexedRow): void;
  /** An entry is about to be removed. */
  remove(keyspace: SearchedKeyspace, key: string): void;
  /** So are all from the key `from` up to, but not, `before`. */
  removeRange(keyspace: SearchedKeyspace, from: string, before: string): void;
  /** The tables are damaged: from now on they are only marked as stale. */
  giveUp(): void;
  isGivenUp(): boolean;
  /** They were not damaged after all. */
  trustAgain(): void;
  /** Makes the tables anew. Inside a transaction. Returns how many entries are in them. */
  rebuild(): number;
}

export interface IndexedRow {
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

/** Rows read at once while the tables are made anew. */
const PAGE = 500;

export function createIndexWriter(db: Database.Database): IndexWriter {
  let isGivenUp = false;
  /** Compiled when the first entry is written: opening must not wait for it. */
  const statements = new Map<SearchedKeyspace, Statements>();
  const of = (keyspace: SearchedKeyspace): Statements => {
    const made = statements.get(keyspace) ?? prepareAll(db, keyspace);
    statements.set(keyspace, made);
    return made;
  };
  const unlessGivenUp = (work: () => void): void => (isGivenUp ? markStale(db) : work());
  const put = (keyspace: SearchedKeyspace, { id, key, value }: IndexedRow): boolean => {
    const entry = entryOf(keyspace, key, value);
    if (entry === null) of(keyspace).remove.run(id);
    else of(keyspace).set.run(id, spaced(entry.text), entry.scope, entry.role);
    return entry !== null;
  };
  return Object.freeze<IndexWriter>({
    isSearched: (keyspace): keyspace is SearchedKeyspace => Object.hasOwn(SEARCH_TABLES, keyspace),
    set(keyspace, row) {
      if (isFindable(keyspace, row.key)) unlessGivenUp(() => void put(keyspace, row));
    },
    remove(keyspace, key) {
      if (isFindable(keyspace, key)) unlessGivenUp(() => void of(keyspace).removeKey.run(keyspace, key));
    },
    removeRange: (keyspace, from, before) =>
      unlessGivenUp(() => void of(keyspace).removeRange.run(keyspace, from, before)),
    giveUp() {
      isGivenUp = true;
    },
    isGivenUp: () => isGivenUp,
    trustAgain() {
      isGivenUp = false;
    },
    rebuild() {
      dropSearchTables(db);
      createSearchTables(db);
      statements.clear();
      isGivenUp = false;
      const count = eachRow(db, put);
      db.prepare("DELETE FROM kv WHERE keyspace = 'meta' AND key = ?").run(STALE);
      return count;
    },
  });
}

/** In the order they were written, which is also the one that makes the smallest tables. */
function eachRow(db: Database.Database, put: (keyspace: SearchedKeyspace, row: IndexedRow) => boolean): number {
  const names = SEARCHED.map((name) => `'${name}'`).join(", ");
  const page = db.prepare<[number], IndexedRow & { keyspace: SearchedKeyspace }>(
    `SELECT id, keyspace, key, value FROM kv WHERE id > ? AND keyspace IN (${names}) ORDER BY id LIMIT ${PAGE}`,
  );
  let count = 0;
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0)) {
    for (const row of rows) if (put(row.keyspace, row)) count++;
  }
  return count;
}

type Statements = ReturnType<typeof prepareAll>;

function prepareAll(db: Database.Database, keyspace: SearchedKeyspace) {
  const table = SEARCH_TABLES[keyspace];
  return {
    set: db.prepare<[number, string, string, string | null]>(
      `INSERT OR REPLACE INTO ${table} (rowid, text, scope, role) VALUES (?, ?, ?, ?)`,
    ),
    remove: db.prepare<[number]>(`DELETE FROM ${table} WHERE rowid = ?`),
    removeKey: db.prepare<[string, string]>(
      `DELETE FROM ${table} WHERE rowid = (SELECT id FROM kv WHERE keyspace = ? AND key = ?)`,
    ),
    removeRange: db.prepare<[string, string, string]>(
      `DELETE FROM ${table} WHERE rowid IN (SELECT id FROM kv WHERE keyspace = ? AND key >= ? AND key < ?)`,
    ),
  };
}
