import { AgentError } from "@smith/contract/error";
import type { Store } from "@smith/contract/store";
import type { Notice } from "@smith/contract/turn";
import type Database from "better-sqlite3";
import type { Access } from "./access.ts";
import { decode } from "./codec.ts";
import { loadDriver } from "./driver.ts";
import { toStoreError } from "./errors.ts";
import { type OpenedFile, openFile } from "./file.ts";
import { createKv, type Kv } from "./kv.ts";
import { isAlive, leaseOf } from "./lease.ts";
import { createCheckPlace } from "./place.ts";
import { blobs } from "./repos/blobs.ts";
import { catalogs } from "./repos/catalog.ts";
import { configPatches } from "./repos/config.ts";
import { conversations } from "./repos/conversations.ts";
import { inputHistory } from "./repos/history.ts";
import { memories } from "./repos/memories.ts";
import { notes } from "./repos/notes.ts";
import { receipts } from "./repos/receipts.ts";
import { search } from "./repos/search.ts";
import { usages } from "./repos/usage.ts";
import { createSchema } from "./schema.ts";
import { turns } from "./turns.ts";

export interface StoreOptions {
  /** Absolute path, or null for memory only. */
  readonly file: string | null;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The process that signs the turns; default: this one. */
  readonly pid?: number;
  /** How long a database that another process writes to is waited for. Default 10,000. */
  readonly busy_timeout_ms?: number;
  /** Bytes of blobs that are kept, asked at each put. Default 256 MiB. */
  blobMaxBytes?(): number;
}

export interface OpenedStore {
  readonly store: Store;
  /** What was set aside, and that nothing is kept: for the user to read. */
  readonly notices: readonly Notice[];
  /** False when everything is in memory only and gone with the process. */
  readonly persistent: boolean;
}

const BUSY_TIMEOUT_MS = 10_000;
const BLOB_MAX_BYTES = 256 * 2 ** 20;

/**
 * Opens the database, and creates it where there is none. A damaged one is set aside; one that can't be written is
 * replaced by memory; both are told in `notices`.
 * @throws {AgentError} `persistence`: `native_module`, `cannot_open`, `foreign_database`, `newer_database`, `busy`, `io`.
 */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  const { file, now, busy_timeout_ms: busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  const blobMaxBytes = options.blobMaxBytes ?? (() => BLOB_MAX_BYTES);
  const driver = await loadDriver();
  try {
    const opened: OpenedFile =
      file === null
        ? { db: null, notices: [], persistent: false }
        : await openFile({ driver, file, busyTimeoutMs, now });
    const db = opened.db ?? new driver(":memory:");
    if (opened.db === null) createSchema(db);
    const checkPlace = file !== null && opened.persistent ? createCheckPlace(file) : undefined;
    const kv = createKv(db, checkPlace);
    const store = storeOn({ db, kv }, { file, pid: options.pid ?? process.pid, now, blobMaxBytes });
    return { store, notices: opened.notices, persistent: opened.persistent };
  } catch (error) {
    throw toStoreError(error, { file, holder: () => null });
  }
}

function storeOn(
  { db, kv }: { db: Database.Database; kv: Kv },
  { file, pid, now, blobMaxBytes }: { file: string | null; pid: number; now(): number; blobMaxBytes(): number },
): Store {
  let isClosed = false;
  const access: Access = {
    kv,
    lease: leaseOf(pid),
    now,
    run: async (work) => {
      if (isClosed) throw closedError();
      try {
        return work();
      } catch (error) {
        throw toStoreError(error, { file, holder: () => holderOf(kv, pid) });
      }
    },
  };
  const { port, release } = turns(access);
  return Object.freeze<Store>({
    conversation: conversations(access),
    turn: port,
    note: notes(access),
    memory: memories(access),
    search: search(access, db),
    history: inputHistory(access),
    receipt: receipts(access),
    blob: blobs(access, db, blobMaxBytes),
    usage: usages(access),
    catalog: catalogs(access),
    config: configPatches(access),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      release();
      kv.close();
    },
  });
}

/** The other process that has a turn open, if there is one. */
function holderOf(kv: Kv, own: number): number | null {
  try {
    const rows = kv.all("turn").map((entry) => decode("turn", entry.value));
    const others = rows.filter((row) => row?.state === "open").filter((row) => row.lease.pid !== own);
    return others.find((row) => isAlive(row.lease))?.lease.pid ?? null;
  } catch {
    return null; // it only makes the message better
  }
}

const closedError = (): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "closed",
    origin: "store/open",
    message: "The store is closed; nothing can be read from it or written to it. Open it again.",
  });
