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

/** A stored conversation with its messages. */
export interface StoredSession {
  readonly id: string;
  readonly parent: string | null;
  readonly messages: readonly TranscriptMessage[];
}

/** Every conversation, those of jobs too. Throws for a message that fits no schema. */
export function storedSessions(file: string): readonly StoredSession[] {
  const sql = `SELECT json_object('row', json(value), 'messages', (SELECT json_group_array(json(value) ORDER BY key)
    FROM kv AS m WHERE m.keyspace = 'message' AND m.key >= c.key || ':' AND m.key < c.key || ';')) AS value
    FROM kv AS c WHERE keyspace = 'conversation'`;
  return rows(file, sql).map((text) => {
    const { row, messages } = JSON.parse(text) as { row: StoredSession; messages: unknown[] };
    return { id: row.id, parent: row.parent, messages: messages.map((each) => TranscriptMessage.parse(each)) };
  });
}

/** How each turn ended, in order; `open` for one that was not closed. For a database of one conversation. */
export const turnStates = (file: string): readonly string[] =>
  rows(
    file,
    "SELECT coalesce(value ->> 'stop_reason', 'open') AS value FROM kv WHERE keyspace = 'turn' AND key GLOB '*:[0-9]*' AND key NOT GLOB '*:*:*' ORDER BY key",
  );

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

/** Adds so many messages of so many characters to the first turn of the only conversation. */
export function addMessages(file: string, count: number, chars: number): void {
  const db = new (driver())(file, { readonly: false });
  const message = `json_object('role', iif(n % 2, 'user', 'assistant'), 'content', printf('%.*c', ${chars}, 'x'), 'turn_id', 't1', 'round', 1, 'ts', 1)`;
  db.exec(`WITH RECURSIVE seq(n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM seq WHERE n < ${count + 2})
    INSERT INTO kv (keyspace, key, value)
    SELECT 'message', (SELECT key FROM kv WHERE keyspace = 'conversation') || ':' || printf('%08d', n), ${message} FROM seq`);
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
