import { accessSync, closeSync, constants, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AgentError } from "@smith/contract/error";
import type { Notice } from "@smith/contract/turn";
import type Database from "better-sqlite3";
import { setAside } from "./aside.ts";
import { copyAside } from "./copy.ts";
import type { Driver } from "./driver.ts";
import { errnoOf, isDamage, isOutOfReach } from "./errors.ts";
import { inspect, versionOf } from "./inspect.ts";
import { copyOf, hasUnreadLog } from "./read-only.ts";
import {
  createSchema,
  enableWal,
  type Identity,
  identify,
  lacksSharedMemory,
  leaveWal,
  migrate,
  recordVersion,
  refusal,
  SCHEMA_VERSION,
} from "./schema.ts";

export interface OpenedFile {
  /** `null`: the file can't be used here; the notices say why. */
  readonly db: Database.Database | null;
  /** `db` is the file itself, not a copy of it in memory. */
  readonly persistent: boolean;
  readonly notices: readonly Notice[];
}

export interface FileOptions {
  readonly driver: Driver;
  /** Absolute. */
  readonly file: string;
  readonly busyTimeoutMs: number;
  now(): number;
}

/** An empty file younger than this may be one that another process is just about to fill. */
const NEW_FILE_MS = 10_000;

/**
 * Opens or creates the database file; what is damaged is set aside first.
 * @throws {AgentError} `persistence`: `cannot_open` (no regular file), `foreign_database`, `newer_database`; SQLite's own
 * error for the rest.
 */
export async function openFile(options: FileOptions): Promise<OpenedFile> {
  const notices: Notice[] = [];
  const obstacle = prepare(options, notices);
  if (obstacle !== null) return inMemory(options, obstacle);
  return connectOrReplace(options, notices, ATTEMPTS);
}

function inMemory({ driver, file }: FileOptions, obstacle: string): OpenedFile {
  const db = copyOf(driver, file);
  const { level, text } = memoryOnly(file, obstacle);
  const lacks = hasUnreadLog(file) ? ", but for the last turns, which are still in its log" : "";
  const notice = { level, text: db === null ? text : `${text} Earlier sessions can be read${lacks}.` };
  return { db, notices: [notice], persistent: false };
}

/** Another process may be replacing the same file; a third failure is not the file's fault. */
const ATTEMPTS = 3;

async function connectOrReplace(options: FileOptions, notices: Notice[], attempts: number): Promise<OpenedFile> {
  try {
    if (attempts < ATTEMPTS) await replace(options, notices);
    return { db: await connectAnyhow(options, notices), notices, persistent: true };
  } catch (error) {
    if (isOutOfReach(error)) {
      const opened = inMemory(options, reasonOf(error));
      return { ...opened, notices: [...notices, ...opened.notices] };
    }
    if (!isDamage(error) || attempts === 1) throw error;
    return connectOrReplace(options, notices, attempts - 1);
  }
}

/** Makes the folder and an empty file nobody else can read. Returns why that, or writing, is impossible; else `null`. */
function prepare({ file, now }: FileOptions, notices: Notice[]): string | null {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw notAFile(file);
    if (found === undefined) closeSync(openSync(file, "a", 0o600));
    if (found?.size === 0 && now() - found.mtimeMs > NEW_FILE_MS) {
      notices.push({ level: "warn", text: `The database ${file} was an empty file; it starts afresh.` });
    }
    // SQLite would open what it can't write, and fail at the first turn.
    accessSync(file, constants.R_OK | constants.W_OK);
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    if (error instanceof AgentError) throw error;
    return reasonOf(error); // no rights, no space, no folder: Smith works without a file
  }
}

const notAFile = (file: string): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "cannot_open",
    origin: "store/file",
    data: { file },
    message: `The database ${file} can't be opened: a folder or another thing that is no file has its name. Move it away, or set SMITH_HOME to another folder.`,
  });

const reasonOf = (error: unknown): string => errnoOf(error) || (error instanceof Error ? error.message : String(error));

const memoryOnly = (file: string, reason: string): Notice => ({
  level: "warn",
  text: `The database ${file} can't be written (${reason}): this session is kept in memory only and will be gone afterwards.`,
});

const withoutWal = (file: string): Notice => ({
  level: "warn",
  text: `The folder of ${file} has no shared memory (a network file system?): turns are written more slowly there.`,
});

async function replace({ driver, file, now }: FileOptions, notices: Notice[]): Promise<void> {
  const notice = await setAside({ file, ts: now(), isDamaged: () => isDamaged(driver, file) });
  if (notice !== null) notices.push(notice);
  closeSync(openSync(file, "a", 0o600));
}

/** Whether the file can't be opened, by its header or by what opening it says. */
function isDamaged(driver: Driver, file: string): boolean {
  const identity = inspect(driver, file);
  if (identity !== "ours") return identity === "damaged";
  try {
    const db = new driver(file);
    try {
      return identify(db) === "damaged";
    } finally {
      db.close();
    }
  } catch (error) {
    return isDamage(error);
  }
}

/** Without a write-ahead log where the file system can't have one. */
async function connectAnyhow(options: FileOptions, notices: Notice[]): Promise<Database.Database> {
  const { driver, file, busyTimeoutMs } = options;
  try {
    return await connect(options, (db) => enableWal(db, busyTimeoutMs));
  } catch (error) {
    if (!lacksSharedMemory(error)) throw error;
  }
  const db = new driver(file, { timeout: busyTimeoutMs });
  try {
    leaveWal(db);
  } finally {
    db.close();
  }
  notices.push(withoutWal(file));
  return connect(options, async () => {});
}

async function connect(
  { driver, file, busyTimeoutMs }: FileOptions,
  prepareLog: (db: Database.Database) => Promise<void>,
): Promise<Database.Database> {
  demand(file, inspect(driver, file), ["ours", "fresh"]);
  const db = new driver(file, { timeout: busyTimeoutMs });
  try {
    if (identify(db) === "fresh") createSchema(db);
    if (identify(db) === "older") {
      copyAside(db, file);
      migrate(db);
    }
    const found = identify(db);
    if (found === "newer") throw refusal(file, found, `${SCHEMA_VERSION} with records of version ${recordVersion(db)}`);
    demand(file, found, ["ours"]);
    await prepareLog(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function demand(file: string, found: Identity, wanted: readonly Identity[]): void {
  if (wanted.includes(found)) return;
  throw found === "foreign" || found === "newer" ? refusal(file, found, versionOf(file)) : damaged(file);
}

/** In the words of SQLite, so that it is dealt with as any other damage. */
const damaged = (file: string): Error =>
  Object.assign(new Error(`${file} is no whole database of Smith`), { code: "SQLITE_CORRUPT" });
