import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Check } from "@smith/contract/doctor";
import { SCRATCHPAD } from "@smith/contract/note";
import type Database from "better-sqlite3";
import { loadDriver } from "./driver.ts";
import { inspect, versionOf } from "./inspect.ts";
import { identify, SCHEMA_VERSION } from "./schema.ts";
import { SEARCH_TABLES, STALE } from "./search/tables.ts";

const LARGE_LOG_BYTES = 128 * 2 ** 20;
/** Faults that are listed of a damaged file. */
const LISTED = 5;

const good = (detail: string): Check => ({ name: "database", ok: true, detail, mend: null });
const fair = (detail: string, mend: string): Check => ({ name: "database", ok: true, detail, mend });
const bad = (detail: string, mend: string): Check => ({ name: "database", ok: false, detail, mend });

/**
 * What is to be said of a database, for `doctor`: whose it is, whether it holds together, whether its records and its index
 * are whole, what lies beside it. Reads only: nothing is migrated, mended or set aside. Never throws.
 */
export async function lookAtStore(file: string): Promise<readonly Check[]> {
  try {
    const driver = await loadDriver();
    const identity = inspect(driver, file);
    if (identity === "fresh") return besides(file);
    const whose = WHOSE[identity]?.(file);
    if (whose !== undefined) return [whose, ...besides(file)];
    const db = new driver(file, { readonly: true, timeout: 1_000 });
    try {
      return [...inside(db, file), ...besides(file)];
    } finally {
      db.close();
    }
  } catch (error) {
    return [unreadable(file, error), ...besides(file)];
  }
}

const SET_ASIDE =
  "The next start keeps it aside under another name and begins a new one; a backup put in its place is taken.";

const WHOSE: Readonly<Record<string, ((file: string) => Check) | undefined>> = {
  foreign: (file) => bad(`${file} is a database of another program`, "Move it away, or set SMITH_HOME."),
  newer: (file) =>
    bad(`${file} has schema ${versionOf(file)}, this Smith knows up to ${SCHEMA_VERSION}`, "Update Smith."),
  damaged: (file) => bad(`${file} is damaged`, SET_ASIDE),
};

/** Opening tells by an error, scanning by rows or by an error: a file that was cut throws in the middle of the check. */
function unreadable(file: string, error: unknown): Check {
  const why = error instanceof Error ? error.message : String(error);
  return bad(`${file} can't be read through: ${why}`, `Copy ${file} first. ${SET_ASIDE}`);
}

function inside(db: Database.Database, file: string): readonly Check[] {
  const identity = identify(db);
  if (identity === "older") {
    const version = db.pragma("user_version", { simple: true });
    return [good(`schema ${version}: copied and brought to ${SCHEMA_VERSION} at the next start`), wholeness(db, file)];
  }
  const whose = WHOSE[identity]?.(file);
  return whose === undefined ? [wholeness(db, file), records(db), index(db)] : [whose];
}

function wholeness(db: Database.Database, file: string): Check {
  const told = db.prepare<[], string>(`PRAGMA quick_check(${LISTED})`).pluck().all();
  if (told.length === 1 && told[0] === "ok") return good("holds together (quick_check)");
  return bad(`${file} is damaged: ${told.join("; ")}`, `Copy ${file} first. ${SET_ASIDE}`);
}

function records(db: Database.Database): Check {
  const rows = db
    .prepare<[], { keyspace: string; spoilt: number; entries: number }>(
      "SELECT keyspace, count(*) AS entries, sum(NOT json_valid(value)) AS spoilt FROM kv GROUP BY keyspace ORDER BY keyspace",
    )
    .all();
  const spoilt = rows.filter((row) => row.spoilt > 0).map((row) => `${row.spoilt} in ${row.keyspace}`);
  const entries = rows.reduce((sum, row) => sum + row.entries, 0);
  if (spoilt.length === 0) return good(`${entries} records, all readable`);
  return fair(
    `${entries} records, of which can't be read: ${spoilt.join(", ")}`,
    "They are left out; the rest is whole.",
  );
}

function index(db: Database.Database): Check {
  const rebuild = "smith search --rebuild makes it anew; the next search may do it by itself.";
  if (db.prepare("SELECT 1 FROM kv WHERE keyspace = 'meta' AND key = ?").get(STALE) !== undefined) {
    return fair("the full-text index is not complete yet", rebuild);
  }
  const [entries, indexed] = [findable(db), inIndex(db)];
  if (entries === indexed) return good(`full text: ${indexed} entries`);
  return fair(`full text: ${indexed} entries of ${entries}`, rebuild);
}

/** Damaged records are not in the index. */
function findable(db: Database.Database): number {
  const sql =
    "SELECT count(*) FROM kv WHERE json_valid(value) AND (keyspace IN ('message', 'project_memory') OR " +
    "(keyspace = 'conversation_note' AND substr(key, instr(key, ':') + 1, ?) = ?))";
  return db.prepare<[number, string], number>(sql).pluck().get(SCRATCHPAD.length, SCRATCHPAD) ?? 0;
}

const inIndex = (db: Database.Database): number =>
  Object.values(SEARCH_TABLES)
    .map((table) => db.prepare<[], number>(`SELECT count(*) FROM ${table}_content`).pluck().get() ?? 0)
    .reduce((sum, count) => sum + count, 0);

/** The folder's rights, a log that does not shrink, and what was set aside. */
function besides(file: string): readonly Check[] {
  const folder = dirname(file);
  const mode = (statSync(folder, { throwIfNoEntry: false })?.mode ?? 0o700) & 0o777;
  const others = ["-wal", "-shm"].filter((end) => existsSync(file + end) && (statSync(file + end).mode & 0o077) !== 0);
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const kept = readdirSync(folder).filter(
    (name) => name.startsWith(`${basename(file)}.`) && /\.(corrupt-|v\d+-backup)/.test(name),
  );
  return [
    ...((mode & 0o022) === 0
      ? []
      : [fair(`others may write to ${folder} (mode ${mode.toString(8)})`, `chmod 700 ${folder}`)]),
    ...others.map((end) => fair(`${file}${end} may be read by others`, `chmod 600 ${file}${end}`)),
    ...(log <= LARGE_LOG_BYTES
      ? []
      : [
          fair(
            `its log has grown to ${megabytes(log)}`,
            "Some process reads without end; it shrinks when that one ends.",
          ),
        ]),
    ...(kept.length === 0
      ? []
      : [
          fair(
            `beside it: ${kept.map((name) => `${name} (${megabytes(statSync(join(folder, name)).size)})`).join(", ")}`,
            "Delete what you don't need.",
          ),
        ]),
  ];
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
