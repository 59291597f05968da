import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createKv, type Kv } from "../src/kv.ts";
import { createSchema, enableWal } from "../src/schema.ts";
import { newFile } from "./support/place.ts";

async function newKv(): Promise<{ kv: Kv; db: Database.Database; file: string }> {
  const file = newFile();
  const db = new Database(file);
  onTestFinished(() => void db.close());
  createSchema(db);
  await enableWal(db, 1_000);
  return { kv: createKv(db), db, file };
}

const keysOf = (kv: Kv, scope: string): string[] => kv.scan("message", scope).map(({ key }) => key);

test("PS1 PS2 a batch is all there or not there: a failure in the middle leaves nothing visible", async () => {
  const { kv } = await newKv();
  kv.put("message", "c:1", "before");
  for (let failing = 1; failing <= 4; failing++) {
    const batch = () =>
      kv.write(() => {
        for (let k = 1; k <= 4; k++) {
          if (k === failing) throw new Error("stop");
          kv.put("message", `c:${k}`, "after");
        }
      });
    expect(batch).toThrow("stop");
    expect(kv.scan("message", "c:")).toEqual([{ key: "c:1", value: "before" }]);
  }
});

test("PS2 a key that is taken undoes the batch that adds it", async () => {
  const { kv } = await newKv();
  kv.add("message", "c:2", "first");
  const batch = () =>
    kv.write(() => {
      kv.add("message", "c:1", "new");
      kv.add("message", "c:2", "second");
    });
  expect(batch).toThrow("UNIQUE constraint failed");
  expect(kv.scan("message", "c:")).toEqual([{ key: "c:2", value: "first" }]);
});

test("PS9 a scan of a scope sees its own keys only, in order, whatever the ids look like", async () => {
  const { kv } = await newKv();
  const ids = ["a", "ab", "a_", "a%", "A", "a;", "a9", "ä", "a\u{1f600}", "b"];
  for (const id of ids) for (const seq of ["00000002", "00000001"]) kv.add("message", `${id}:${seq}`, id);
  for (const id of ids) {
    expect(keysOf(kv, `${id}:`)).toEqual([`${id}:00000001`, `${id}:00000002`]);
    expect(kv.count("message", `${id}:`)).toBe(2);
    expect(kv.lastKey("message", `${id}:`)).toBe(`${id}:00000002`);
  }
  kv.removeScope("message", "a:");
  expect(keysOf(kv, "a:")).toEqual([]);
  expect(kv.all("message")).toHaveLength(2 * (ids.length - 1));
});

test("PS6 the same key in two keyspaces is two records", async () => {
  const { kv } = await newKv();
  kv.put("message", "k", "one");
  kv.put("usage", "k", "two");
  expect([kv.get("message", "k"), kv.get("usage", "k"), kv.get("config", "k")]).toEqual(["one", "two", null]);
  kv.remove("usage", "k");
  expect([kv.get("message", "k"), kv.get("usage", "k")]).toEqual(["one", null]);
});

test("a record that is written over keeps the row id that the full-text tables will point to", async () => {
  const { kv, db } = await newKv();
  const id = () => db.prepare("SELECT id FROM kv WHERE key = 'k'").pluck().get();
  kv.put("message", "k", "one");
  const before = id();
  kv.put("message", "other", "x");
  kv.put("message", "k", "two");
  expect([id(), kv.get("message", "k")]).toEqual([before, "two"]);
});

test("a durable transaction runs with synchronous FULL, any other with NORMAL, also after a failure", async () => {
  const { kv, db } = await newKv();
  const [normal, full] = [1, 2];
  const synchronous = () => db.pragma("synchronous", { simple: true });
  expect(kv.write(synchronous)).toBe(normal);
  expect(kv.writeDurably(synchronous)).toBe(full);
  expect(synchronous()).toBe(normal);
  const failing = () =>
    kv.writeDurably(() => {
      throw new Error("stop");
    });
  expect(failing).toThrow("stop");
  expect(kv.write(synchronous)).toBe(normal);
});

test("fault 10 a transaction that reads before it writes waits for its turn instead of failing on what it read", async () => {
  const { kv, file } = await newKv();
  kv.put("message", "n", "0");
  const other = new Database(file, { timeout: 0 });
  onTestFinished(() => void other.close());
  const meddle = other.prepare("UPDATE kv SET value = '99' WHERE key = 'n'");
  kv.write(() => {
    const n = Number(kv.get("message", "n"));
    expect(() => meddle.run()).toThrow("database is locked");
    kv.put("message", "n", String(n + 1));
  });
  expect(kv.get("message", "n")).toBe("1");
});
