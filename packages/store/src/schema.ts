import { AgentError } from "@smith/contract/error";
import type Database from "better-sqlite3";
import { sqliteCode } from "./errors.ts";
import { createSearchTables, dropSearchTables, markStale, SEARCH_TABLES } from "./search/tables.ts";

/** "Smth" in ASCII; byte 68 of the file. It tells `file`, and us, whose database this is. */
export const APPLICATION_ID = 0x536d7468;
/** Of the tables; `user_version` of the file. 1 had no full text. */
export const SCHEMA_VERSION = 2;
/** Of the records and their keys; `schema_version` in keyspace `meta`. */
export const RECORD_VERSION = 1;

const TABLE =
  "CREATE TABLE kv (id INTEGER PRIMARY KEY, keyspace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (keyspace, key))";

/** `fresh`: nothing in it yet. `older`: ours, to be migrated. `damaged`: says it is ours, but the table is not there. */
export type Identity = "ours" | "older" | "fresh" | "foreign" | "newer" | "damaged";

/** Whose database it is. Reads only. */
export function identify(db: Database.Database): Identity {
  const applicationId = db.pragma("application_id", { simple: true });
  const version = Number(db.pragma("user_version", { simple: true }));
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  if (applicationId === 0 && version === 0 && tables.length === 0) return "fresh";
  if (applicationId !== APPLICATION_ID) return "foreign";
  if (version > SCHEMA_VERSION) return "newer";
  if (!tables.includes("kv")) return "damaged";
  if (recordVersion(db) > RECORD_VERSION) return "newer";
  const isWhole = Object.values(SEARCH_TABLES).every((table) => tables.includes(table));
  return version === SCHEMA_VERSION && isWhole ? "ours" : "older";
}

/** What can't be read is taken for what we know: its records will tell. */
export function recordVersion(db: Database.Database): number {
  const text = db
    .prepare<[], string>("SELECT value FROM kv WHERE keyspace = 'meta' AND key = 'schema_version'")
    .pluck();
  const version = Number.parseInt(text.get() ?? "", 10);
  return Number.isNaN(version) ? RECORD_VERSION : version;
}

/**
 * Creates the table unless another process was faster. In the rollback journal, before the switch to WAL: so the first
 * bytes of the file say whose it is from the start.
 */
export function createSchema(db: Database.Database): void {
  const create = db.transaction(() => {
    if (identify(db) !== "fresh") return;
    db.exec(TABLE);
    createSearchTables(db);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
    db.prepare("INSERT INTO kv (keyspace, key, value) VALUES ('meta', 'schema_version', ?)").run(
      String(RECORD_VERSION),
    );
  });
  create.immediate();
}

/**
 * Brings an older database to this version, all of it or nothing, unless another process was faster. What is stored is not
 * touched; its words are gathered by the first search.
 */
export function migrate(db: Database.Database): void {
  const bringUp = db.transaction(() => {
    if (identify(db) !== "older") return;
    dropSearchTables(db); // a part of them may be there
    createSearchTables(db);
    markStale(db);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  bringUp.immediate();
}

const WAL_RETRY_MS = 20;

/** A log that a long reader has let grow is cut to this once it is folded in. */
const WAL_MAX_BYTES = 64 * 2 ** 20;

/** Switches to WAL. SQLite does not wait by itself while another process does the same, so we do: at most `patienceMs`. */
export async function enableWal(db: Database.Database, patienceMs: number): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += WAL_RETRY_MS) {
    try {
      db.pragma("journal_mode = WAL");
      break;
    } catch (error) {
      if (!sqliteCode(error).startsWith("SQLITE_BUSY") || waitedMs >= patienceMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAL_RETRY_MS));
    }
  }
  db.prepare("SELECT count(*) FROM sqlite_schema").get(); // only the first one who reads needs the shared memory of WAL
  db.pragma(`journal_size_limit = ${WAL_MAX_BYTES}`);
  db.pragma("synchronous = NORMAL");
}

/** WAL needs shared memory, which some network file systems lack. */
export const lacksSharedMemory = (error: unknown): boolean => sqliteCode(error).startsWith("SQLITE_IOERR_SHM");

/** Takes a database out of WAL where there is no shared memory: a process that has it for itself can do without. */
export function leaveWal(db: Database.Database): void {
  db.pragma("locking_mode = EXCLUSIVE"); // before anything is read
  db.pragma("journal_mode = DELETE");
}

/** The refusal of a database that is not ours to write. */
export function refusal(file: string, identity: "foreign" | "newer", version = "unknown"): AgentError {
  const why =
    identity === "newer"
      ? `${file} was written by a newer version of Smith: its schema is ${version}, this Smith knows up to ${SCHEMA_VERSION}. Update Smith, or set SMITH_HOME to another folder.`
      : `${file} is a database of another program and was left alone. Move it away, or set SMITH_HOME to another folder.`;
  return new AgentError({
    kind: "persistence",
    code: identity === "newer" ? "newer_database" : "foreign_database",
    origin: "store/schema",
    data: { file },
    message: why,
  });
}
