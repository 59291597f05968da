import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { Driver } from "./driver.ts";
import { errnoOf, isDamage } from "./errors.ts";
import { APPLICATION_ID, type Identity, identify, SCHEMA_VERSION } from "./schema.ts";

const HEADER_BYTES = 100;
const WAL_FORMAT = 2;
const MAGIC = Buffer.from("SQLite format 3\0", "latin1");

/**
 * Whose file this is, found out without changing a byte of it: opening a database for writing may already fold its
 * write-ahead log in. An empty or absent file is `fresh`; `damaged` is no database at all, or one that does not hold together.
 */
export function inspect(driver: Driver, file: string): Identity {
  const header = readHeader(file);
  if (header.length === 0) return hasLog(file) ? "damaged" : "fresh";
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) return "damaged";
  // https://www.sqlite.org/fileformat.html#the_database_header
  const [version, applicationId] = [header.readUInt32BE(60), header.readUInt32BE(68)];
  if (applicationId === APPLICATION_ID) return version > SCHEMA_VERSION ? "newer" : "ours"; // or older: opening tells
  // Ours are signed before they are switched to WAL, and even a reader leaves files beside one that is in WAL.
  return applicationId !== 0 || header[18] === WAL_FORMAT ? "foreign" : probe(driver, file);
}

/** An empty file beside a log with content is no new database: it has lost its body. */
function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The schema that a file says it has; `unknown` where it is too short to say. */
export function versionOf(file: string): string {
  const header = readHeader(file);
  return header.length < HEADER_BYTES ? "unknown" : String(header.readUInt32BE(60));
}

function readHeader(file: string): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return bytes.subarray(0, 0);
    throw error;
  }
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}

/** A file without an owner in its header: an empty database, or that of a program that does not sign. */
function probe(driver: Driver, file: string): Identity {
  try {
    const db = new driver(file, { readonly: true, timeout: 1_000 });
    try {
      return identify(db);
    } finally {
      db.close();
    }
  } catch (error) {
    // Unreadable for another reason, such as a half-done transaction that only a writer can undo: opening decides.
    return isDamage(error) ? "damaged" : "fresh";
  }
}
