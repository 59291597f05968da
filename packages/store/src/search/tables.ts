import type Database from "better-sqlite3";

/** A full-text table, by the keyspace whose entries it finds. Its rowid is the `id` of their rows. */
export const SEARCH_TABLES = Object.freeze({
  message: "message_search",
  project_memory: "project_memory_search",
  conversation_note: "note_search",
} as const);
export type SearchedKeyspace = keyof typeof SEARCH_TABLES;
export const SEARCHED = Object.freeze(Object.keys(SEARCH_TABLES) as SearchedKeyspace[]);

/**
 * Contentless: the words are kept, the text is not, for it stands in `kv`. `scope` (conversation or project) and `role` are
 * kept apart, so that hits can be sifted without reading what they hit.
 */
const ddl = (table: string): string =>
  `CREATE VIRTUAL TABLE IF NOT EXISTS ${table} USING fts5(text, scope UNINDEXED, role UNINDEXED, content='', ` +
  `contentless_delete=1, contentless_unindexed=1, tokenize="unicode61 remove_diacritics 2")`;

/** Inside a transaction. */
export function createSearchTables(db: Database.Database): void {
  for (const table of Object.values(SEARCH_TABLES)) db.exec(ddl(table));
}

/** FTS5's own tables below one of ours. Of a damaged one, and of a contentless one its `content`, it leaves some behind. */
const PARTS = ["content", "data", "idx", "docsize", "config"];

/** Inside a transaction. */
export function dropSearchTables(db: Database.Database): void {
  db.unsafeMode(true); // else SQLite keeps the parts from us
  try {
    for (const table of Object.values(SEARCH_TABLES)) {
      db.exec(`DROP TABLE IF EXISTS ${table}`);
      for (const part of PARTS) db.exec(`DROP TABLE IF EXISTS ${table}_${part}`);
    }
  } finally {
    db.unsafeMode(false);
  }
}

/** The key in `meta` that stands there while the tables may lack entries; whoever searches makes them anew first. */
export const STALE = "search_stale";

export const markStale = (db: Database.Database): void =>
  void db.prepare("INSERT INTO kv (keyspace, key, value) VALUES ('meta', ?, 'true') ON CONFLICT DO NOTHING").run(STALE);
