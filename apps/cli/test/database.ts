import { createRequire } from "node:module";
import { TranscriptMessage } from "@smith/contract/message";

interface Driver {
  new (
    file: string,
    options: { readonly: boolean },
  ): { prepare(sql: string): { all(): unknown[] }; exec(sql: string): void; close(): void };
}

/** Every message in a database, in order, conversation by conversation. Throws for one that fits no schema. */
export function storedMessages(file: string): readonly TranscriptMessage[] {
  return rows(file, "SELECT value FROM kv WHERE keyspace = 'message' ORDER BY key").map((text) =>
    TranscriptMessage.parse(JSON.parse(text)),
  );
}

/** How many messages each conversation has, whichever came first. */
export function messagesPerConversation(file: string): readonly number[] {
  const sql =
    "SELECT json_array(count(*)) AS value FROM kv WHERE keyspace = 'message' GROUP BY substr(key, 1, instr(key, ':'))";
  return rows(file, sql).flatMap((text) => JSON.parse(text) as number[]);
}

export const integrity = (file: string): string =>
  rows(file, "SELECT integrity_check AS value FROM pragma_integrity_check")[0] ?? "";

/** A database as another program might have left it. */
export function makeForeign(file: string): void {
  const db = new (driver())(file, { readonly: false });
  db.exec("PRAGMA application_id = 1; CREATE TABLE other (a); INSERT INTO other VALUES (1);");
  db.close();
}

const driver = (): Driver => createRequire(import.meta.url)("better-sqlite3") as Driver;

function rows(file: string, sql: string): string[] {
  const db = new (driver())(file, { readonly: true });
  try {
    return (db.prepare(sql).all() as { value: string }[]).map(({ value }) => value);
  } finally {
    db.close();
  }
}
