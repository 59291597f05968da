import { chmodSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { lookAtStore } from "@smith/store";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { opening, play } from "./support/example.ts";
import { newFile, open } from "./support/place.ts";

/** A database with one turn in it, closed, changed by hand. */
async function filled(spoil: (db: Database.Database, file: string) => void = () => {}): Promise<string> {
  const file = newFile();
  const store = await open(file);
  await play(store, opening("a"), "x".repeat(20_000));
  await store.close();
  const db = new Database(file);
  spoil(db, file);
  db.close();
  return file;
}

/** `+` fine, `!` could be better, `-` broken. */
const told = async (file: string): Promise<string[]> =>
  (await lookAtStore(file)).map(({ name, ok, detail, mend }) => {
    const sign = ok ? (mend === null ? "+" : "!") : "-";
    return `${name} ${sign} ${detail.replaceAll(dirname(file), "…").split("\n")[0]}`;
  });

test("K11 promise P6 a whole database is told in three lines, and not a byte of it changes", async () => {
  const file = await filled();
  const bytes = readFileSync(file);
  expect(await told(file)).toEqual([
    "database + holds together (quick_check)",
    "database + 9 records, all readable",
    "database + full text: 2 entries",
  ]);
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(await lookAtStore(newFile())).toEqual([]);
});

test("K11 PS5 faults 31 33 whose it is, when it is not ours or not of this version", async () => {
  const foreign = await filled((db) => db.pragma("application_id = 17"));
  const newer = await filled((db) => db.pragma("user_version = 99"));
  const older = await filled((db) => db.pragma("user_version = 1"));
  expect([await told(foreign), await told(newer), (await told(older))[0]]).toEqual([
    ["database - …/smith.db is a database of another program"],
    ["database - …/smith.db has schema 99, this Smith knows up to 2"],
    "database + schema 1: copied and brought to 2 at the next start",
  ]);
});

test("K11 promise P6 faults 24 25 26 damage is found wherever it is: in the header, in the middle, at the end", async () => {
  const header = await filled();
  writeFileSync(header, "no database".repeat(200));
  const middle = await filled();
  const bytes = readFileSync(middle);
  bytes.fill(0xa5, 8_192, 16_384);
  writeFileSync(middle, bytes);
  const cut = await filled();
  truncateSync(cut, 12_288);
  for (const file of [header, middle, cut]) {
    const before = readFileSync(file);
    expect((await told(file)).filter((line) => line.startsWith("database -")).length).toBe(1);
    expect(readFileSync(file).equals(before)).toBe(true);
  }
  expect(await told(header)).toEqual(["database - …/smith.db is damaged"]);
});

test("K11 faults 34 37 records that can't be read, an index that lacks some, open folders and what lies beside it are told", async () => {
  const file = await filled((db) => {
    db.exec("UPDATE kv SET value = '{' WHERE keyspace = 'usage'");
    db.exec("INSERT INTO kv (keyspace, key, value) VALUES ('project_memory', 'p1:m', '{}')");
  });
  writeFileSync(`${file}.corrupt-1`, "");
  writeFileSync(`${file}.v1-backup`, "");
  chmodSync(dirname(file), 0o777);
  expect(await told(file)).toEqual([
    "database + holds together (quick_check)",
    "database ! 10 records, of which can't be read: 1 in usage",
    "database ! full text: 2 entries of 3",
    "database ! others may write to … (mode 777)",
    "database ! beside it: smith.db.corrupt-1 (0.0 MB), smith.db.v1-backup (0.0 MB)",
  ]);
  expect(readdirSync(dirname(file)).filter((name) => name.includes("lock"))).toEqual([]);
});
