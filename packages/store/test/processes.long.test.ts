import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { InterruptedTurn } from "@smith/contract/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answers, asks, closing, NOW, opening, play, receipt, refusal, says, stored, user } from "./support/example.ts";
import { beside, folder, newFile, open, recordAt } from "./support/place.ts";
import { bundle, kill, start } from "./support/processes.ts";

let program = "";
beforeAll(async () => {
  program = await bundle();
});
afterAll(() => rmSync(program, { force: true }));

const run = (what: string, file: string, id = "c1") => start([process.execPath, program, what, file, id]);

/** Several that open the file at the same moment; the lines they print. */
function together(count: number, what: string, file: string): Promise<unknown[]> {
  const env = { ...process.env, START_AT: String(Date.now() + 150 * count) };
  const running = Array.from({ length: count }, (_, k) =>
    start([process.execPath, program, what, file, `c${k}`], { env }),
  );
  return Promise.all(running.map(({ line }) => line));
}

const has = (command: string): boolean => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;

const checked = (file: string): unknown => beside(file).pragma("quick_check", { simple: true });

describe("several processes", () => {
  test("PS20 fault 13 B58 eight processes that open an absent database at once all get a whole one", async () => {
    const file = join(folder(), "deep", "smith.db");
    const lines = await together(8, "open", file);
    expect(lines).toEqual(Array(8).fill({ notices: [], patch: {} }));
    expect([checked(file), recordAt(file, "meta", "schema_version")]).toEqual(["ok", 1]);
  });

  test("PS20 B58 six processes that write large turns at once, from the first start on, all keep every message", async () => {
    const file = newFile();
    const lines = await together(6, "play", file);
    expect(lines).toEqual(Array(6).fill({ notices: [], messages: 8 }));
    const store = await open(file);
    const counted = (await store.conversation.list({ project_id: "p1", children: false })).map(
      ({ messages }) => messages,
    );
    expect([counted, checked(file)]).toEqual([Array(6).fill(8), "ok"]);
  });

  test("B57 eight processes that find a damaged database at once set one file aside, and only that one", async () => {
    const file = newFile();
    writeFileSync(file, "damaged".repeat(100));
    const lines = await together(8, "open", file);
    const notices = lines.flatMap((line) => (line as { notices: { level: string }[] }).notices);
    expect(notices.map(({ level }) => level)).toEqual(["error"]);
    const aside = readdirSync(dirname(file)).filter((name) => name.includes("corrupt"));
    expect([aside, checked(file)]).toEqual([[`smith.db.corrupt-${NOW}`], "ok"]);
  });

  test("PS20 fault 9 a database that another process holds is waited for, then one error says it is busy and by whom", async () => {
    const file = newFile();
    const store = await open(file, { busy_timeout_ms: 200 });
    const turn = await store.turn.open(opening("c1"));
    const other = run("hang", file, "c2");
    const pid = await other.line;
    const writer = beside(file);
    writer.exec("BEGIN IMMEDIATE");
    const error = await refusal(turn.append(says("hello")));
    expect([error.kind, error.code, error.retryable, error.data["pid"]]).toEqual(["persistence", "busy", true, pid]);
    expect(error.message).toContain(`process ${String(pid)}`);
    expect((await stored(store, "c1")).length).toBe(1);
    writer.exec("COMMIT");
    await turn.close(closing());
    expect(await stored(store, "c1")).toEqual([user(), says("hello")]);
  });

  test("PS20 the turn of a living process is refused to another, and taken over once it was killed", async () => {
    const file = newFile();
    const store = await open(file);
    const other = run("hang", file);
    const pid = await other.line;
    const error = await refusal(store.turn.open(opening("c1")));
    expect([error.code, error.data["pid"]]).toEqual(["conversation_busy", pid]);
    await kill(other);
    expect((await store.turn.open(opening("c1"))).turn_id).toBe("t2");
  });
});

describe("a process that is killed", () => {
  const interrupted = { content: "interrupted: the process ended before this call finished", ok: false };

  test("PS19 kill -9 inside a turn leaves what was appended, with a result for the open call, and earlier turns", async () => {
    const file = newFile();
    const before = await open(file);
    await play(before, opening("c1"), "earlier");
    await before.close();
    const other = run("hang", file);
    await other.line;
    await kill(other);
    const store = await open(file);
    const earlier = [user(), says("earlier", { round: 1 })];
    const left = [
      user("t2"),
      asks("c1"),
      answers("c1"),
      asks("c2", { round: 2 }),
      answers("c2", { ...interrupted, turn_id: "t2", round: 2, ts: NOW + 100 }),
    ];
    expect(await stored(store, "c1")).toEqual([...earlier, ...left]);
    const turn = await store.turn.open(opening("c1"));
    expect(turn.turn_id).toBe("t3");
    expect(await stored(store, "c1")).toEqual([...earlier, ...left, user("t3")]);
    expect(recordAt(file, "turn", "c1:00000002")).toEqual({
      state: "closed",
      stop_reason: "interrupted",
      turn_id: "t2",
      role: "direct",
      first_seq: 3,
      opened_at: NOW,
      closed_at: NOW + 100,
    });
    expect(recordAt(file, "turn", "c1:00000002:intent:00000001")).toMatchObject({ call_id: "c2", tool: "bash" });
    expect(await store.conversation.get("c1")).toMatchObject({ turns: 3, messages: 8 });
    expect(checked(file)).toBe("ok");
  });

  test("PS19 promise P3 fault 4 the open calls of a killed turn end as the resolver says, receipts are added, and nobody resolves them twice", async () => {
    const file = newFile();
    const other = run("hang", file);
    await other.line;
    const store = await open(file);
    const seen: InterruptedTurn[] = [];
    const recover = () =>
      store.turn.recover("c1", async (turn) => {
        seen.push(turn);
        return { ends: [{ content: "bash was at work", ok: false }], receipts: [receipt(2)] };
      });
    expect((await refusal(recover())).data["pid"]).toBe(await other.line);
    await kill(other);
    const [first, second] = await Promise.all([recover(), recover()]);
    const left = {
      ...{ conversation_id: "c1", turn_id: "t1", role: "direct", rounds: 2 },
      messages: [user(), asks("c1"), answers("c1"), asks("c2", { round: 2 })],
      intents: [{ call_id: "c2", tool: "bash", args_hash: "00", files_before: null, ts: NOW }],
      receipts: [receipt(1)],
      open_calls: asks("c2").tool_calls,
    };
    expect(seen).toEqual([left, left]);
    expect([first, second].filter((each) => each !== null)).toEqual([left]);
    const result = answers("c2", { content: "bash was at work", ok: false, round: 2, ts: NOW + 100 });
    expect(await stored(store, "c1")).toEqual([...left.messages, result]);
    expect(await store.receipt.list("c1", "t1")).toEqual([receipt(1), receipt(2)]);
    expect(await recover()).toBeNull();
    expect(await store.conversation.get("c1")).toMatchObject({ turns: 1, messages: 5 });
    expect((await store.turn.open(opening("c1"))).turn_id).toBe("t2");
  });

  test("PS19 kill -9 in a stream keeps the user's line and the text so far, marked as broken off", async () => {
    const file = newFile();
    const other = run("stream", file);
    await other.line;
    await kill(other);
    const store = await open(file);
    const left = [user(), says("The fault is in line", { is_error: true, round: 1, ts: NOW })];
    expect(await stored(store, "c1")).toEqual(left);
    await (await store.turn.open(opening("c1"))).close(closing());
    expect(await stored(store, "c1")).toEqual([...left, user("t2")]);
  });
});

describe("another program", () => {
  test.skipIf(!has("sqlite3"))(
    "PS1 PS14 the sqlite3 command reads the messages (skipped where it is not installed)",
    async () => {
      const file = newFile();
      await play(await open(file), opening("c1"), "naïve 音 'q'");
      const sql = "SELECT key, value FROM kv WHERE keyspace = 'message' ORDER BY key";
      const rows: unknown = JSON.parse(
        execFileSync("sqlite3", ["-json", "-readonly", file, sql], { encoding: "utf8" }),
      );
      expect(rows).toEqual([
        {
          key: "c1:00000001",
          value: `{"content":"fix the parser","role":"user","round":0,"ts":${NOW},"turn_id":"t1"}`,
        },
        {
          key: "c1:00000002",
          value: `{"content":"naïve 音 'q'","role":"assistant","round":1,"ts":${NOW + 300},"turn_id":"t1"}`,
        },
      ]);
    },
  );
});

describe("a machine that does not play along", () => {
  test.skipIf(!has("bash"))(
    "PS21 fault 15 a file that may not grow is told as a full disk, and what was written before stays",
    async () => {
      const file = newFile();
      await (await open(file)).close();
      const limited = `ulimit -f 1024; exec "$0" "$1" fill "$2" c1`;
      const line = await start(["bash", "-c", limited, process.execPath, program, file]).line;
      const { error, written, messages } = line as {
        error: { kind: string; code: string };
        written: number;
        messages: number;
      };
      expect([error.kind, error.code, messages]).toEqual(["persistence", "disk_full", written + 1]);
      expect(written).toBeGreaterThan(5);
      const store = await open(file);
      expect((await stored(store, "c1")).length).toBeGreaterThanOrEqual(written + 1);
      expect(checked(file)).toBe("ok");
    },
  );

  test("fault 18 a read-only home means memory only, and one warning", async () => {
    const home = folder();
    const mine = await bundle(join(home, "program"));
    installDriver(join(home, "program"));
    const data = join(home, "data");
    mkdirSync(data);
    const existing = join(data, "old.db");
    const before = await open(existing);
    await play(before, opening("c1"));
    await before.close();
    for (const path of [home, data]) chmodSync(path, 0o555);
    // Root may write everywhere, so it becomes nobody.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const files = [join(data, "new.db"), existing, join(data, "deep", "new.db")];
    const lines = await Promise.all(files.map((file) => start([process.execPath, mine, "open", file], nobody).line));
    for (const path of [home, data]) chmodSync(path, 0o755);
    const warning = { notices: [{ level: "warn", text: expect.stringContaining("memory only") }], patch: {} };
    expect(lines).toEqual(files.map(() => warning));
    expect(readdirSync(data)).toEqual(["old.db"]);
  });

  test("fault 43 SQLite that is missing, not built, or built for another Node is one clear line with the mend", async () => {
    const broken: ((modules: string) => void)[] = [
      () => {},
      (modules) => rmSync(join(modules, "node_modules/better-sqlite3/build"), { recursive: true }),
      (modules) =>
        writeFileSync(join(modules, "node_modules/better-sqlite3/build/Release/better_sqlite3.node"), "other ABI"),
    ];
    for (const [index, spoil] of broken.entries()) {
      const home = folder();
      const mine = await bundle(home);
      if (index > 0) installDriver(home);
      spoil(home);
      const line = await start([process.execPath, mine, "open", join(home, "smith.db")]).line;
      const { error } = line as { error: { kind: string; code: string; message: string } };
      expect([error.kind, error.code]).toEqual(["persistence", "native_module"]);
      expect(error.message).toMatch(/^SQLite .*npm rebuild better-sqlite3[^\n]*$/);
    }
  });
});

/** Copies better-sqlite3 and what it needs to where a program in `folder` finds it. */
function installDriver(target: string): void {
  const installed = dirname(realpathSync(createRequire(import.meta.url).resolve("better-sqlite3/package.json")));
  const addon = "build/Release/better_sqlite3.node";
  for (const part of ["package.json", "lib", addon]) {
    cpSync(join(installed, part), join(target, "node_modules/better-sqlite3", part), { recursive: true });
  }
  for (const name of ["bindings", "file-uri-to-path"]) {
    const from = createRequire(join(installed, "package.json"));
    const root = name === "bindings" ? from : createRequire(from.resolve("bindings"));
    cpSync(dirname(root.resolve(`${name}/package.json`)), join(target, "node_modules", name), { recursive: true });
  }
}
