import { copyFileSync, existsSync, readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { opening, play, refusal, stored, user } from "./support/example.ts";
import { indexState } from "./support/index-state.ts";
import { newFile, open, openWithNotices } from "./support/place.ts";
import { versionOne } from "./support/version-one.ts";

const search = { text: "parser", project_id: "p1", kind: null, role: null, limit: 9 } as const;
const backups = (file: string): string[] => readdirSync(dirname(file)).filter((name) => name.includes("backup"));
const versionOf = (file: string): unknown => {
  const db = new Database(file, { readonly: true });
  const version = db.pragma("user_version", { simple: true });
  db.close();
  return version;
};

test("PS5 fault 30 an older database is copied first, then migrated: all of it is there, and found", async () => {
  const file = versionOne();
  const { store, notices } = await openWithNotices(file);
  expect(notices).toEqual([]);
  expect(await stored(store, "c1")).toEqual([user()]);
  expect((await store.search.find(search)).hits.map(({ key }) => key).sort()).toEqual(["memory/m1", "message/c1/1"]);
  await play(store, opening("c1"), "parser mended");
  expect((await store.search.find(search)).hits.length).toBe(4);
  await store.close();
  expect(backups(file)).toEqual(["smith.db.v1-backup"]);
  const backup = `${file}.v1-backup`;
  expect([versionOf(file), versionOf(backup), (statSync(backup).mode & 0o777).toString(8)]).toEqual([2, 1, "600"]);
  const restored = newFile();
  copyFileSync(backup, restored);
  expect(await stored(await open(restored), "c1")).toEqual([user()]);
});

test("fault 30 fault 32 a migration that can't be finished leaves the old database as it was, and the next start does it", async () => {
  const file = versionOne();
  const db = new Database(file);
  db.exec(
    "CREATE TRIGGER refuse BEFORE INSERT ON kv WHEN NEW.key = 'search_stale' BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  expect((await refusal(open(file))).kind).toBe("persistence");
  expect(versionOf(file)).toBe(1);
  expect(db.prepare("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%search%'").pluck().get()).toBe(0);
  db.exec("DROP TRIGGER refuse");
  db.close();
  const store = await open(file);
  expect([await stored(store, "c1"), backups(file)]).toEqual([[user()], ["smith.db.v1-backup"]]);
});

test("fault 30 a table of the index that was taken away is made anew", async () => {
  const file = newFile();
  const before = await open(file);
  await play(before, opening("c1"));
  await before.close();
  const db = new Database(file);
  db.exec("DROP TABLE message_search");
  db.close();
  const store = await open(file);
  expect((await store.search.find({ ...search, project_id: "p1" })).hits.map(({ key }) => key)).toEqual([
    "message/c1/1",
  ]);
  const kept = indexState(file);
  await store.search.rebuild();
  expect([kept, existsSync(`${file}.v2-backup`)]).toEqual([indexState(file), true]);
});
