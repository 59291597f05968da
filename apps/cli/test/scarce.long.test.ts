import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { SMITH } from "./built.ts";
import { integrity, storedSessions } from "./database.ts";
import type { PrintedResult } from "./running.ts";
import { has, model, type Place, place } from "./scene.ts";

/** A file system of one's own, for one command: as root, or where a user may make a name space. */
const MOUNTS = [
  ["unshare", "-m"],
  ["unshare", "-rm"],
].find(
  ([program = "", ...flags]) => spawnSync(program, [...flags, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0,
);
if (MOUNTS === undefined) console.log("skipped: a full disk and a read-only mount need root or user name spaces");
const hasStrace = has("strace");
if (!hasStrace) console.log("skipped: a system that starts no process needs strace");

/** The lines of stdout that are results, and the last line of stderr, of a shell script. */
async function script(here: Place, text: string, { before = [] as readonly string[], env = {} } = {}) {
  const [program = "", ...args] = [...before, "sh", "-c", text, "sh", process.execPath, SMITH];
  const all = { PATH: process.env["PATH"], HOME: here.home, SMITH_HOME: here.home, SMITH_NO_PROBE: "1", ...env };
  const child = spawn(program, args, { cwd: here.cwd, env: all, stdio: ["ignore", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      texts[name] += chunk;
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  const results = texts.stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  return { code, results: results as readonly PrintedResult[], ...texts };
}

const SAY = (text: string) => `"$1" "$2" -p ${text} --output json`;

test.skipIf(MOUNTS === undefined)(
  "faults 14 19 41 a full disk, a full /tmp where nothing may run, and a read-only mount: each turn is answered, what can be is kept, earlier turns are read",
  async () => {
    const llm = await model(["one", "two", "three", "four"].map((say) => ({ say })));
    const here = place();
    const disk = join(here.home, "disk");
    const temp = join(here.home, "temp");
    for (const folder of [disk, temp]) mkdirSync(folder);
    const set = `llm_config.api_url=${llm.url}`;
    const say = (text: string) => `${SAY(text)} --model m --set ${set}`;
    const { results, stdout, stderr } = await script(
      here,
      `mount -t tmpfs -o size=1m tmpfs "${disk}"; mount -t tmpfs -o size=4k,noexec tmpfs "$TMPDIR"; head -c 4k /dev/zero > "$TMPDIR/full"
       ${say("one")}; head -c 1m /dev/zero > "${disk}/filler"; ${say("two")}; rm "${disk}/filler"; ${say("three")}
       mount -o remount,ro "${disk}"; ${say("four")}; "$1" "$2" sessions list --json`,
      { before: MOUNTS ?? [], env: { SMITH_HOME: disk, HOME: disk, TMPDIR: temp } },
    );
    expect(results.map(({ text, persisted }) => [text, persisted])).toEqual([
      ["one", true],
      ["two", false],
      ["three", true],
      ["four", false],
    ]);
    const list = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as { name: string }[];
    expect(list.map(({ name }) => name)).toEqual(["three", "one"]);
    expect(stderr).toContain("can't be written (SQLITE_FULL): this session is kept in memory only");
    expect(stderr).toContain("can't be written (EROFS): this session is kept in memory only");
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);

test("fault 40 with 40 open files a turn works; where they don't suffice, one line names the limit", async () => {
  const llm = await model([{ say: "one" }]);
  const here = place({ config: llm.config });
  const { results } = await script(here, `ulimit -n 40; ${SAY("one")}`);
  expect(results.map(({ text, persisted }) => [text, persisted])).toEqual([["one", true]]);
  // How few are too few depends on what Node opens at once: the first file that can't be opened is made up.
  const code = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
    fs.statSync = () => { throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" }) };
    syncBuiltinESMExports();`;
  const few = await here.run(["-p", "two"], { node: ["--import", `data:text/javascript,${encodeURIComponent(code)}`] });
  expect([few.code, few.stdout, few.stderr]).toEqual([
    1,
    "",
    "smith: too many open files for this process (EMFILE). Raise the limit (ulimit -n 1024) and try again.\n",
  ]);
  expect(integrity(here.database)).toBe("ok");
});

test.skipIf(!hasStrace)(
  "fault 44 where no further process may be started, bash says so and the turn goes on",
  async () => {
    const bash = { id: "c1", name: "bash", args: { command: "echo hi" } };
    const llm = await model([{ call: [bash] }, { say: "done" }]);
    const here = place({ config: llm.config });
    const fork = "clone,fork,vfork";
    const before = [
      "strace",
      "-f",
      "-qq",
      "-o",
      "/dev/null",
      "-e",
      `trace=${fork}`,
      "-e",
      `inject=${fork}:error=EAGAIN`,
    ];
    const { results } = await script(here, `exec ${SAY("hi")}`, { before });
    expect(results.map(({ text, tool_calls, persisted }) => [text, tool_calls, persisted])).toEqual([
      ["done", 1, true],
    ]);
    expect(llm.requests[1]?.raw).toContain("no further process may be started (EAGAIN)");
  },
);

test("fault 39 a stream that came while the process was suspended is no stalled one", async () => {
  let go = () => {};
  const resumed = new Promise<void>((resolve) => {
    go = resolve;
  });
  const llm = await model([{ say: "before the pause and after it", after: resumed }]);
  const here = place({ config: { ...llm.config, llm_config: { api_url: llm.url, stream_stall_timeout: 1.5 } } });
  const run = here.smith(["-p", "hi", "--output", "json"]);
  await run.meanwhile(llm.received(1));
  run.kill("SIGSTOP");
  go(); // the answer comes while nobody reads
  await wait(3000); // longer than the limit: the clock runs on, as on a machine that slept
  run.kill("SIGCONT");
  const end = await run.ended;
  expect([end.code, end.json().text]).toEqual([0, "before the pause and after it"]);
});

test("fault 8 a heap of 96 MB takes 700 MB of output; one that ends leaves the turns before it and a session that goes on", async () => {
  const flood = { id: "c1", name: "bash", args: { command: "yes | head -c 700000000" } };
  const llm = await model([{ say: "one" }, { call: [flood] }, { say: "two" }, { stall: true }, { say: "four" }]);
  const here = place({ config: llm.config });
  await here.run(["-p", "one"]);
  const small = await here.run(["-c", "-p", "two", "--output", "json"], { node: ["--max-old-space-size=96"] });
  expect([small.code, small.json().text, small.json().persisted]).toEqual([0, "two", true]);
  const eater =
    "const all = []; setTimeout(() => { for (;;) all.push(Array.from({ length: 1e5 }, Math.random)); }, 2_000);";
  const node = ["--max-old-space-size=64", "--import", `data:text/javascript,${encodeURIComponent(eater)}`];
  const dead = here.smith(["-c", "-p", "three", "--output", "jsonl"], { node });
  await dead.meanwhile(llm.received(4));
  expect((await dead.ended).stderr).toContain("heap out of memory");
  expect(integrity(here.database)).toBe("ok");
  const after = await here.run(["-c", "-p", "four", "--output", "json"]);
  expect([after.code, after.json().text, after.json().persisted]).toEqual([0, "four", true]);
  const said = storedSessions(here.database)[0]?.messages.flatMap(({ role, content }) =>
    role === "user" ? [content] : [],
  );
  expect(said).toEqual(["one", "two", "three", "four"]);
});
