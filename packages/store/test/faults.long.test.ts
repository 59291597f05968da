import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answers, closing, NOW, opening, play, says, stored, user } from "./support/example.ts";
import { indexState } from "./support/index-state.ts";
import { beside, newFile, open, openWithNotices } from "./support/place.ts";
import { bundle } from "./support/processes.ts";
import { versionOne } from "./support/version-one.ts";

let program = "";
beforeAll(async () => {
  program = await bundle();
});
afterAll(() => rmSync(program, { force: true }));

const hasStrace = spawnSync("strace", ["-V"]).status === 0;
if (!hasStrace) console.log("skipped: faults 23 and 32 at each system call need strace");

/** Runs `program what file c1` with a fault at system calls. */
function traced(args: readonly string[], what: string, file: string) {
  const log = `${file}.strace`;
  const ended = spawnSync("strace", ["-f", "-qq", "-o", log, ...args, process.execPath, program, what, file, "c1"]);
  rmSync(log, { force: true });
  return { killed: ended.signal === "SIGKILL" || ended.status === 137, stdout: ended.stdout.toString() };
}

test.skipIf(!hasStrace)(
  "fault 32 a migration killed at any write or flush leaves the old database or the new one, whole",
  async () => {
    const old = versionOne();
    let kills = 0;
    for (const call of ["fsync", "pwrite64"]) {
      for (let n = 1; n < 200; n++) {
        const file = newFile();
        copyFileSync(old, file);
        const { killed } = traced(
          ["-e", `trace=${call}`, "-e", `inject=${call}:signal=SIGKILL:when=${n}`],
          "open",
          file,
        );
        if (!killed) break;
        kills++;
        const db = new Database(file);
        expect([call, n, db.pragma("quick_check", { simple: true })]).toEqual([call, n, "ok"]);
        expect([1, 2]).toContain(db.pragma("user_version", { simple: true }));
        db.close();
        const { store, notices } = await openWithNotices(file);
        expect([notices, await stored(store, "c1")]).toEqual([[], [user()]]);
        const { hits } = await store.search.find({
          text: "parser",
          project_id: "p1",
          kind: null,
          role: null,
          limit: 9,
        });
        expect(hits.map(({ key }) => key).sort()).toEqual(["memory/m1", "message/c1/1"]);
      }
    }
    console.log(`kills that hit a migration: ${kills}`);
    expect(kills).toBeGreaterThan(10);
  },
);

test.skipIf(!hasStrace)(
  "fault 23 a file system without shared memory is told of, and every turn is kept in a rollback journal",
  async () => {
    const file = newFile();
    for (const turn of [1, 2]) {
      writeFileSync(`${file}-shm`, "");
      const noMap = ["-P", `${file}-shm`, "-e", "trace=mmap", "-e", "inject=mmap:error=ENODEV"];
      const { notices, messages } = JSON.parse(traced(noMap, "play", file).stdout) as {
        notices: unknown;
        messages: number;
      };
      expect([notices, messages]).toEqual([
        [
          {
            level: "warn",
            text: `The folder of ${file} has no shared memory (a network file system?): turns are written more slowly there.`,
          },
        ],
        turn * 8,
      ]);
      expect(beside(file).pragma("journal_mode", { simple: true })).toBe("delete");
    }
    expect((await openWithNotices(file)).notices).toEqual([]);
  },
);

test("fault 35 a value of 50 MB is kept, read, found and deleted", async () => {
  const file = newFile();
  const store = await open(file);
  const long = `needle ${"0123456789abcde ".repeat(50 * 65_536)}`;
  await store.note.put("a", "scratchpad:long", long);
  await play(store, opening("a"), long);
  const find = async (text: string) =>
    (await store.search.find({ text, project_id: null, kind: null, role: null, limit: 5 })).hits
      .map(({ key }) => key)
      .sort();
  expect(await find("needle")).toEqual(["message/a/2", "note/a/long"]);
  expect((await store.note.get("a", "scratchpad:long")) === long).toBe(true);
  expect((await stored(store, "a"))[1]?.content === long).toBe(true);
  await store.conversation.delete("a");
  expect(await find("needle")).toEqual([]);
});

test("fault 38 a clock that goes back changes no order: messages go by their number", async () => {
  const file = newFile();
  let now = NOW;
  const store = await open(file, { now: () => (now -= 3_600_000) });
  const turn = await store.turn.open(opening("a"));
  const texts = Array.from({ length: 20 }, (_, n) => `word ${n}`);
  for (const [n, text] of texts.entries()) await turn.append(says(text, { ts: NOW - n * 3_600_000 }));
  await turn.close(closing({ ts: NOW - 10 ** 9 }));
  expect((await stored(store, "a")).map(({ content }) => content)).toEqual(["fix the parser", ...texts]);
});

test("PS12 up to 20,000 hits are weighed; a commoner word gives the newest first and says so, in its own project too", async () => {
  const file = newFile();
  const store = await open(file);
  await play(store, opening("mine"), "rare common");
  await play(store, opening("other", { project_id: "p2" }));
  const db = beside(file);
  const insert = db.prepare("INSERT INTO kv (keyspace, key, value) VALUES ('message', ?, ?)");
  db.transaction(() => {
    for (let seq = 3; seq <= 25_000; seq++) {
      const content = `${seq <= 20_001 ? "middling " : ""}common ${seq % 100 === 0 ? "seldom" : ""}`;
      insert.run(`other:${String(seq).padStart(8, "0")}`, JSON.stringify(answers("k", { content, ts: NOW + seq })));
    }
  })();
  expect(await store.search.rebuild()).toBe(2 + 25_000);
  const find = async (text: string, project_id: string | null) => {
    const answer = await store.search.find({ text, project_id, kind: null, role: null, limit: 2 });
    expect(answer.looked_at).toBe(null);
    return [answer.order, answer.more, answer.hits.map(({ key }) => key)];
  };
  expect(await find("common", null)).toEqual(["newest", true, ["message/other/25000", "message/other/24999"]]);
  expect(await find("common", "p1")).toEqual(["newest", false, ["message/mine/2"]]);
  expect(await find("common rare", "p1")).toEqual(["score", false, ["message/mine/2"]]);
  expect((await find("middling", "p2")).slice(0, 2)).toEqual(["score", true]);
  expect((await find("seldom common", "p2"))[0]).toBe("score");
  const kept = indexState(file).length;
  await store.conversation.delete("other");
  expect([await find("common", null), indexState(file).length < kept]).toEqual([
    ["score", false, ["message/mine/2"]],
    true,
  ]);
});

test("PS12 of the commonest word the newest 150,000 hits are looked at for those of the project, and that is said", async () => {
  const file = newFile();
  const store = await open(file);
  await play(store, opening("mine"), "common");
  await play(store, opening("other", { project_id: "p2" }));
  const db = beside(file);
  const insert = db.prepare("INSERT INTO kv (keyspace, key, value) VALUES ('message', ?, ?)");
  const value = JSON.stringify(answers("k", { content: "common" }));
  db.transaction(() => {
    for (let seq = 3; seq <= 150_002; seq++) insert.run(`other:${String(seq).padStart(8, "0")}`, value);
  })();
  await store.search.rebuild();
  const find = async (project_id: string | null) => {
    const begun = performance.now();
    const found = await store.search.find({ text: "common", project_id, kind: null, role: null, limit: 1 });
    console.info(`the newest of 150,001 hits: ${Math.round(performance.now() - begun)} ms`);
    return [found.order, found.more, found.hits.map(({ key }) => key), found.looked_at];
  };
  expect(await find(null)).toEqual(["newest", true, ["message/other/150002"], null]);
  expect(await find("p1")).toEqual(["newest", false, [], 150_000]); // its own is older than all of those
});
