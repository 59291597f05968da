import { chmodSync, existsSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { leaseOf } from "../src/lease.ts";
import { closing, opening, play, refusal, says, stored, user } from "./support/example.ts";
import { beside, folder, newFile, open, openWithNotices } from "./support/place.ts";

describe("a database that goes away while it is open", () => {
  const ways: [string, (file: string) => void][] = [
    ["fault 29 is deleted", (file) => rmSync(file)],
    ["fault 29 is replaced", (file) => [renameSync(file, `${file}.old`), new Database(file).close()]],
    ["fault 28 loses its log", (file) => rmSync(`${file}-wal`)],
  ];
  test.each(ways)(
    "%s: the next write says so instead of vanishing, and what is in the place now is left alone",
    async (_, take) => {
      const file = newFile();
      const store = await open(file);
      await play(store, opening("a"));
      const turn = await store.turn.open(opening("a"));
      take(file);
      const size = statSync(file, { throwIfNoEntry: false })?.size;
      const errors = [await refusal(turn.append(says("lost"))), await refusal(turn.close(closing()))];
      expect(errors.map(({ kind, code }) => [kind, code])).toEqual(errors.map(() => ["persistence", "replaced"]));
      expect(errors[0]?.message).toContain(`${file} was deleted or replaced while Smith had it open`);
      await store.close();
      expect(statSync(file, { throwIfNoEntry: false })?.size).toBe(size);
    },
  );
});

describe("a place that is odd", () => {
  test("fault 22 a dangling link is a new database where it points; a link to one is that one", async () => {
    const root = folder();
    const [real, link] = [join(root, "real.db"), join(root, "link.db")];
    symlinkSync(real, link);
    await play(await open(link), opening("a"), "through the link");
    expect(existsSync(real)).toBe(true);
    expect((await stored(await open(real), "a")).length).toBe(2);
    const nowhere = join(root, "nowhere.db");
    symlinkSync(join(root, "no folder", "x.db"), nowhere);
    const { notices, store } = await openWithNotices(nowhere);
    expect(notices.map(({ level }) => level)).toEqual(["warn"]);
    await play(store, opening("a"));
  });

  test("faults 18 19 a database that can be read and not written is read; what is said then is gone afterwards", async () => {
    const file = newFile();
    const before = await open(file);
    await play(before, opening("a"), "needle");
    await before.close();
    const bytes = statSync(file).size;
    const read = await asReader(file, async () => {
      const { notices, store } = await openWithNotices(file);
      await play(store, opening("a"), "said now");
      const { hits } = await store.search.find({ text: "needle", project_id: "p1", kind: null, role: null, limit: 5 });
      return { notices, said: await stored(store, "a"), keys: hits.map(({ key }) => key) };
    });
    expect(read.notices).toEqual([
      { level: "warn", text: expect.stringMatching(/kept in memory only .* Earlier sessions can be read\.$/) },
    ]);
    expect([read.said.map(({ content }) => content), read.keys]).toEqual([
      ["fix the parser", "needle", "fix the parser", "said now"],
      ["message/a/2"],
    ]);
    expect([statSync(file).size, await stored(await open(file), "a")]).toEqual([
      bytes,
      [user(), says("needle", { round: 1 })],
    ]);
  });
});

describe("a lease", () => {
  test("fault 12 one of a dead process is taken over, also when its number was given to another or the machine started anew", async () => {
    const here = leaseOf(process.pid);
    const dead = [{ process_start: "1" }, { boot_id: "another" }, { pid: 2 ** 22 + 1, process_start: null }];
    for (const [n, lease] of dead.entries()) {
      const file = newFile();
      const store = await open(file);
      await store.turn.open(opening("a"));
      const db = beside(file);
      const row = db.prepare<[], string>("SELECT value FROM kv WHERE keyspace = 'turn'").pluck().get() ?? "";
      const taken = JSON.stringify({ ...(JSON.parse(row) as object), lease: { ...here, ...lease } });
      db.prepare("UPDATE kv SET value = ? WHERE keyspace = 'turn'").run(taken);
      expect([n, (await (await open(file)).turn.open(opening("a"))).turn_id]).toEqual([n, "t2"]);
    }
    const file = newFile();
    await (await open(file)).turn.open(opening("a"));
    expect((await refusal((await open(file)).turn.open(opening("a")))).code).toBe("conversation_busy");
  });
});

describe("what grows", () => {
  test("fault 37 a log that a reader has held open is cut when the reader is gone", async () => {
    const file = newFile();
    const store = await open(file);
    await play(store, opening("a"));
    const reader = beside(file);
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM kv").get();
    const turn = await store.turn.open(opening("a"));
    const long = "x y ".repeat(500_000);
    for (let n = 0; n < 24; n++) await turn.append(says(long));
    const held = statSync(`${file}-wal`).size;
    reader.exec("COMMIT");
    for (let n = 0; n < 3; n++) await turn.append(says(long)); // folds it in, begins it anew, cuts it
    await turn.close(closing());
    expect(held).toBeGreaterThan(64 * 2 ** 20);
    expect(statSync(`${file}-wal`).size).toBeLessThanOrEqual(64 * 2 ** 20);
  });
});

/** Runs work as one who may not write there. Root may write everywhere, so it becomes nobody. */
async function asReader<T>(file: string, work: () => Promise<T>): Promise<T> {
  const paths = [dirname(file), file];
  const modes = paths.map((path) => statSync(path).mode & 0o777);
  for (const path of paths) chmodSync(path, path === file ? 0o444 : 0o555);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    for (const [at, path] of paths.entries()) chmodSync(path, modes[at] ?? 0o600);
  }
}
