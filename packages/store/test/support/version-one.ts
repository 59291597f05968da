import Database from "better-sqlite3";
import { NOW, user } from "./example.ts";
import { newFile } from "./place.ts";

/** A database as the version before full text left it: by its own words, not by today's code. */
export function versionOne(): string {
  const file = newFile();
  const db = new Database(file);
  db.exec(
    "CREATE TABLE kv (id INTEGER PRIMARY KEY, keyspace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (keyspace, key))",
  );
  db.pragma(`application_id = ${0x536d7468}`);
  db.pragma("user_version = 1");
  const put = db.prepare("INSERT INTO kv (keyspace, key, value) VALUES (?, ?, ?)");
  const row = { id: "c1", project_id: "p1", name: "old", parent: null, turns: 1, messages: 1 };
  const turn = { state: "closed", turn_id: "t1", role: "direct", first_seq: 1, opened_at: NOW, closed_at: NOW };
  put.run("meta", "schema_version", "1");
  put.run("conversation", "c1", JSON.stringify({ ...row, created_at: NOW, updated_at: NOW }));
  put.run("turn", "c1:00000001", JSON.stringify({ ...turn, stop_reason: "completed" }));
  put.run("message", "c1:00000001", JSON.stringify(user()));
  put.run("project_memory", "p1:m1", JSON.stringify({ id: "m1", content: "the parser is ours", updated_at: NOW }));
  db.pragma("journal_mode = WAL");
  db.close();
  return file;
}
