import Database from "better-sqlite3";

const TABLES = ["message_search", "project_memory_search", "note_search"] as const;

/** Everything that the full-text tables say: each word with its entry and its place, and what is kept beside the words. */
export function indexState(file: string): readonly unknown[] {
  const db = new Database(file);
  try {
    return TABLES.flatMap((table) => {
      db.exec(`CREATE VIRTUAL TABLE temp.v_${table} USING fts5vocab(main, ${table}, instance)`);
      return [
        ...db.prepare(`SELECT term, doc, offset FROM temp.v_${table} ORDER BY term, doc, offset`).raw().all(),
        ...db.prepare(`SELECT id, c1, c2 FROM ${table}_content ORDER BY id`).raw().all(),
      ];
    });
  } finally {
    db.close();
  }
}
