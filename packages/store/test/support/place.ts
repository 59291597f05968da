import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@smith/contract/store";
import type { Notice } from "@smith/contract/turn";
import { openStore, type StoreOptions } from "@smith/store";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import { NOW } from "./example.ts";

/** A folder of its own for one test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "smith-store-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const newFile = (): string => join(folder(), "smith.db");

/** A store that is closed when the test ends. */
export async function open(file: string | null, more: Partial<StoreOptions> = {}): Promise<Store> {
  return (await openWithNotices(file, more)).store;
}

export async function openWithNotices(
  file: string | null,
  more: Partial<StoreOptions> = {},
): Promise<{ store: Store; notices: readonly Notice[] }> {
  const opened = await openStore({ file, now: () => NOW, ...more });
  onTestFinished(() => opened.store.close());
  return opened;
}

/** The database beside the store, as another program sees it. */
export function beside(file: string): Database.Database {
  const db = new Database(file);
  onTestFinished(() => void db.close());
  return db;
}

/** A trigger that refuses what goes into a keyspace, as a disk would; returns what lifts it. */
export function refuse(file: string, keyspace: string): () => void {
  const db = beside(file);
  db.exec(
    `CREATE TRIGGER refuse BEFORE INSERT ON kv WHEN NEW.keyspace = '${keyspace}' BEGIN SELECT RAISE(ABORT, 'refused'); END`,
  );
  return () => void db.exec("DROP TRIGGER refuse");
}

export interface Row {
  keyspace: string;
  key: string;
  value: string;
}

export const rowsOf = (file: string): Row[] =>
  beside(file).prepare<[], Row>("SELECT keyspace, key, value FROM kv ORDER BY keyspace, key").all();

export const namesOf = (file: string): string[] => rowsOf(file).map(({ keyspace, key }) => `${keyspace} ${key}`);

export const recordAt = (file: string, keyspace: string, key: string): unknown =>
  JSON.parse(rowsOf(file).find((row) => row.keyspace === keyspace && row.key === key)?.value ?? "null");
