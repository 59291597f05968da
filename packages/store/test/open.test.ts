import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Notice } from "@smith/contract/turn";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { setAside } from "../src/aside.ts";
import { APPLICATION_ID, createSchema } from "../src/schema.ts";
import { NOW, opening, play, refusal, says, stored, user } from "./support/example.ts";
import { beside, folder, newFile, open, openWithNotices } from "./support/place.ts";

const levels = (notices: readonly Notice[]): string[] => notices.map(({ level }) => level);

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("a new database", () => {
  test("PS1 PS5 says whose it is and which schema it has, and is in WAL", async () => {
    const file = newFile();
    expect((await openWithNotices(file)).notices).toEqual([]);
    const db = beside(file);
    const pragma = (name: string) => db.pragma(name, { simple: true });
    expect([pragma("application_id"), pragma("user_version"), pragma("journal_mode")]).toEqual([
      APPLICATION_ID,
      2,
      "wal",
    ]);
    const tables = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'kv'").pluck().all();
    expect(tables).toEqual([
      "CREATE TABLE kv (id INTEGER PRIMARY KEY, keyspace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (keyspace, key))",
    ]);
    const virtual = db.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%' ORDER BY name").pluck();
    expect(virtual.all()).toEqual(["message_search", "note_search", "project_memory_search"]);
    expect(db.prepare("SELECT key, value FROM kv").all()).toEqual([{ key: "schema_version", value: "1" }]);
    expect(readFileSync(file).readUInt32BE(68)).toBe(APPLICATION_ID);
  });

  test("fault 213 is readable by its owner only, in folders that are, whatever the umask", async () => {
    const root = folder();
    const file = join(root, "share", "smith", "smith.db");
    const before = process.umask(0); // who has it so would give everything to everyone
    await play(await open(file), opening("c1"));
    process.umask(before);
    const files = [file, `${file}-wal`, `${file}-shm`];
    expect([join(root, "share"), join(root, "share", "smith"), ...files].map(modeOf)).toEqual([
      "700",
      "700",
      "600",
      "600",
      "600",
    ]);
  });

  test("fault 27 an empty file is a new database; one that has long been empty is told of", async () => {
    const [fresh, old] = [newFile(), newFile()];
    for (const file of [fresh, old]) writeFileSync(file, "");
    utimesSync(fresh, NOW / 1_000, NOW / 1_000);
    utimesSync(old, NOW / 1_000 - 3_600, NOW / 1_000 - 3_600);
    const opened = [await openWithNotices(fresh), await openWithNotices(old)];
    expect(opened.map(({ notices }) => levels(notices))).toEqual([[], ["warn"]]);
    for (const { store } of opened) await play(store, opening("c1"));
  });
});

describe("a damaged database", () => {
  const damage: [string, (file: string) => void][] = [
    ["is no database", (file) => writeFileSync(file, "not a database at all, but longer than a header".repeat(10))],
    ["is shorter than a header", (file) => writeFileSync(file, "SQLite format 3\0")],
    ["was cut in the middle", (file) => truncateSync(file, 4_096)],
    ["has a destroyed table of contents", (file) => overwrite(file, 100, Buffer.alloc(3_000, 0xff))],
    ["lost its table", (file) => void beside(file).exec("DROP TABLE kv")],
    ["lost its body, with a log beside it", (file) => [truncateSync(file, 0), writeFileSync(`${file}-wal`, "log")]],
  ];

  test.each(damage)(
    "B57 promise P6 faults 24 26 one that %s is kept aside, a new one is opened, and a loud line says so",
    async (_, spoil) => {
      const file = newFile();
      const before = await open(file);
      await play(before, opening("old"));
      await before.close();
      spoil(file);
      const bytes = readFileSync(file);
      const { store, notices } = await openWithNotices(file);
      const kept = `${file}.corrupt-${NOW}`;
      expect(notices).toEqual([{ level: "error", text: expect.stringContaining(kept) }]);
      expect(readFileSync(kept).equals(bytes)).toBe(true);
      expect(await store.conversation.list({ project_id: null, children: true })).toEqual([]);
      await play(store, opening("new"));
      expect((await openWithNotices(file)).notices).toEqual([]);
      expect(readdirSync(join(file, "..")).filter((name) => name.includes("lock"))).toEqual([]);
    },
  );

  test("its logs go with it, and what was set aside before is not overwritten", async () => {
    const file = newFile();
    for (const text of ["first", "second"]) {
      writeFileSync(file, text);
      writeFileSync(`${file}-wal`, `${text} log`);
      await (await open(file)).close();
    }
    const read = (name: string) => readFileSync(`${file}.corrupt-${NOW}${name}`, "utf8");
    expect(["", "-wal", "-2", "-2-wal"].map(read)).toEqual(["first", "first log", "second", "second log"]);
  });
});

describe("a process that comes second", () => {
  test("PS20 finds the table made, and leaves it", async () => {
    const db = new Database(newFile());
    createSchema(db);
    db.exec("INSERT INTO kv (keyspace, key, value) VALUES ('meta', 'k', 'v')");
    createSchema(db);
    expect(db.prepare("SELECT key FROM kv ORDER BY key").pluck().all()).toEqual(["k", "schema_version"]);
    db.close();
  });

  test("B57 finds the damaged file replaced, and does not set the new one aside", async () => {
    const file = newFile();
    await play(await open(file), opening("c1"));
    expect(await setAside({ file, ts: NOW, isDamaged: () => false })).toBeNull();
    expect(readdirSync(join(file, "..")).filter((name) => /corrupt|lock/.test(name))).toEqual([]);
  });

  test("B57 does not wait forever for a lock whose maker has died", async () => {
    const file = newFile();
    writeFileSync(file, "damaged");
    writeFileSync(`${file}.aside-lock`, "");
    expect(levels((await openWithNotices(file)).notices)).toEqual(["error"]);
  });
});

describe("a database that is not ours to write", () => {
  const refusedAs = async (file: string, code: string) => {
    const bytes = readFileSync(file);
    const names = readdirSync(join(file, ".."));
    const error = await refusal(open(file));
    expect([error.kind, error.code, error.data["file"]]).toEqual(["persistence", code, file]);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(readdirSync(join(file, ".."))).toEqual(names);
  };
  const foreign = (sql: string): string => {
    const file = newFile();
    const db = new Database(file);
    db.exec(sql);
    db.close();
    return file;
  };

  test("PS5 fault 31 a newer one is refused untouched, and both versions are named", async () => {
    const file = newFile();
    await (await open(file)).close();
    const db = new Database(file);
    db.pragma("user_version = 99");
    db.close();
    await refusedAs(file, "newer_database");
    expect((await refusal(open(file))).message).toContain("its schema is 99, this Smith knows up to 2.");
  });

  test("PS5 fault 31 one whose records are newer is refused, too", async () => {
    const file = newFile();
    await (await open(file)).close();
    const db = new Database(file);
    db.exec("UPDATE kv SET value = '2' WHERE key = 'schema_version'");
    db.close();
    expect((await refusal(open(file))).code).toBe("newer_database");
  });

  test("fault 33 a foreign one is refused untouched, whether it is signed, unsigned or in WAL", async () => {
    await refusedAs(foreign("PRAGMA application_id = 17; CREATE TABLE t (x)"), "foreign_database");
    await refusedAs(foreign("CREATE TABLE t (x)"), "foreign_database");
    await refusedAs(foreign("PRAGMA journal_mode = WAL; CREATE TABLE t (x)"), "foreign_database");
    await refusedAs(foreign("PRAGMA user_version = 9; CREATE TABLE kv (x)"), "foreign_database");
  });
});

describe("a place that can't be written", () => {
  test("fault 20 a folder that can't be made means memory only, and one warning", async () => {
    const file = join(newFile(), "is a file", "smith.db");
    writeFileSync(join(file, "..", ".."), "");
    const { store, notices } = await openWithNotices(file);
    expect(notices).toEqual([{ level: "warn", text: expect.stringContaining("memory only") }]);
    await play(store, opening("c1"));
    expect(await stored(store, "c1")).toEqual([user(), says("done", { round: 1 })]);
  });

  test("fault 21 a folder in the database's place is refused", async () => {
    const file = newFile();
    mkdirSync(file);
    const error = await refusal(open(file));
    expect([error.kind, error.code, error.data]).toEqual(["persistence", "cannot_open", { file }]);
  });

  test("without a file nothing is kept and nothing is said", async () => {
    const { store, notices } = await openWithNotices(null);
    expect(notices).toEqual([]);
    await play(store, opening("c1"));
    await store.config.setPatch({ default_model: "m" });
    expect(await store.config.patch()).toEqual({ default_model: "m" });
    expect(existsSync("null")).toBe(false);
  });
});

function overwrite(file: string, at: number, bytes: Buffer): void {
  const all = readFileSync(file);
  bytes.copy(all, at);
  writeFileSync(file, all);
}
