import { linkSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { scene } from "./scene.ts";

test("TL40 list_dir lists breadth first, folders before files, without the skipped ones", async () => {
  const stage = scene();
  for (const name of ["b.txt", "a/deep/x", "a/y.txt", "node_modules/m", ".git/HEAD", "dist/d"])
    stage.put(name, "12345");
  symlinkSync("b.txt", stage.path("link"));
  mkdirSync(stage.path("empty"));
  const told = async (args: object) => (await stage.run("list_dir", args)).content;
  expect(await told({})).toBe("d a/\nd empty/\n- b.txt (5 bytes)\nl link -> b.txt");
  expect(await told({ path: "a", depth: 2 })).toBe("d deep/\n- y.txt (5 bytes)\n- deep/x (5 bytes)");
  expect(await told({ path: "empty" })).toBe("empty is empty");
  const missing = await stage.run("list_dir", { path: "nowhere" });
  expect(missing.error).toEqual({ kind: "tool", code: "not_found", message: "nowhere does not exist." });
});

test("TL40 list_dir stops at 500 entries and says so", async () => {
  const stage = scene();
  for (let n = 0; n < 501; n++) mkdirSync(stage.path(`d${n}`));
  const lines = (await stage.run("list_dir", {})).content.split("\n");
  expect([lines.length, lines[500]]).toEqual([501, "[cut at 500 entries; list a folder further down]"]);
});

test("TL41 process_list tells pid, name and command line, filtered and cut", async () => {
  const stage = scene();
  for (const [pid, comm, cmdline] of [
    ["2", "two\n", `two\0${"x".repeat(300)}\0`],
    ["10", "ten\n", "ten\0--a\0"],
    ["11", "Tent\n", "tent\0"],
  ]) {
    stage.put(`proc/${pid}/comm`, comm ?? "");
    stage.put(`proc/${pid}/cmdline`, cmdline ?? "");
  }
  const { run } = scene({ proc: stage.path("proc") });
  expect((await run("process_list", {})).content).toBe(
    `2\ttwo\ttwo ${"x".repeat(196)}\n10\tten\tten --a\n11\tTent\ttent`,
  );
  expect((await run("process_list", { filter: "TEN", max_results: 1 })).content).toBe(
    "10\tten\tten --a\n[1 more; narrow them with filter]",
  );
  expect((await run("process_list", { filter: "none" })).content).toBe("no matching processes");
  const { error } = await scene({ proc: stage.path("nowhere") }).run("process_list", {});
  expect(error?.code).toBe("proc_unavailable");
});

test("TL41 fault 213 process_list masks secrets in command lines, and filter does not find them", async () => {
  const stage = scene();
  const secret = "canary-93c1e7";
  const commands: Readonly<Record<string, readonly string[]>> = {
    "1": ["mysql", "--password", secret, "-h", "db"],
    "2": ["psql", `postgres://me:${secret}@db/x`],
    "3": ["curl", "-H", `Authorization: Bearer ${secret}`, "-H", `x-api-key: ${secret}`, "-u", `bob:${secret}`],
    "4": ["env", `GH_TOKEN=${secret}`, "sh", "-c", `deploy ${secret}`],
    "5": ["tool", `--api-key=${secret}`, "--keep", "all"],
    "6": ["sh", "-c", "echo sk-abcdef0123456789"],
  };
  for (const [pid, args] of Object.entries(commands)) {
    stage.put(`proc/${pid}/comm`, `${args[0]}\n`);
    stage.put(`proc/${pid}/cmdline`, `${args.join("\0")}\0`);
  }
  const { run } = scene({ proc: stage.path("proc"), env: { OURS: secret }, secret_env: ["OURS"] });
  expect((await run("process_list", {})).content.split("\n")).toEqual([
    "1\tmysql\tmysql --password *** -h db",
    "2\tpsql\tpsql postgres://***@db/x",
    "3\tcurl\tcurl -H Authorization: *** -H x-api-key: *** -u bob:***",
    "4\tenv\tenv GH_TOKEN=*** sh -c deploy ***",
    "5\ttool\ttool --api-key=*** --keep all",
    "6\tsh\tsh -c echo ***",
  ]);
  expect((await run("process_list", { filter: "canary" })).content).toBe("no matching processes");
});

test("TL42 one entry that can't be read in full is noted and does not fail the others", async () => {
  const stage = scene();
  stage.put("good", "x".repeat(300));
  // Deeper than a path may be long: nobody can look there by name, root neither.
  const [top, rest] = ["deep", "other"].map((name) => stage.path([name, ...Array(12).fill("d".repeat(200))].join("/")));
  for (const folder of [top, rest]) mkdirSync(`${folder}`, { recursive: true });
  renameSync(stage.path("other"), `${top}/other`);
  const { ok, content } = await stage.run("disk_usage", {});
  renameSync(`${top}/other`, stage.path("other"));
  const [deep = "", ...others] = content.split("\n");
  const bytes = Number(deep.split("\t")[0]);
  expect({ ok, deep, others }).toEqual({
    ok: true,
    deep: `${bytes}\tdeep [at least: 1 could not be read]`,
    others: ["300\tgood", `${bytes + 300}\tTOTAL`],
  });
});

test("TL42 disk_usage sums each entry, largest first; hard links count once and links are not followed", async () => {
  const stage = scene();
  mkdirSync(stage.path("d"));
  const { bytes: empty } = { bytes: Number((await stage.run("disk_usage", {})).content.split("\t")[0]) };
  stage.put("d/a", "x".repeat(1000));
  stage.put("z", "x".repeat(300));
  linkSync(stage.path("z"), stage.path("zz"));
  symlinkSync("/", stage.path("e"));
  const grown = Number((await stage.run("disk_usage", { path: "d" })).content.split("\t")[0]);
  expect(grown).toBe(1000);
  const { content } = await stage.run("disk_usage", { max_entries: 2 });
  const [first = "", ...rest] = content.split("\n");
  const folder = Number(first.split("\t")[0]);
  expect([first, ...rest]).toEqual([`${folder}\td`, "300\tz", "[2 smaller entries]", `${folder + 301}\tTOTAL`]);
  expect(folder).toBeGreaterThanOrEqual(empty);
});

test("TL43 env_get never tells a secret: by name, by value, under another name, or of a configured key", async () => {
  const canary = "canary-93c1e7";
  const env = {
    MY_TOKEN: canary,
    DB_PASSWORD: canary,
    COPY: `x=${canary}`,
    URL: "postgres://me:hunter2@db/x",
    JWT: "eyJhbGciOiJIUzI1NiJ9.e30.x",
    OURS: "plain-but-ours",
    HOME: "/home/me",
    LONG: "a".repeat(2005),
  };
  const { run } = scene({ env, secret_env: ["OURS"] });
  const keys = [...Object.keys(env), "GONE", "toString"];
  const { content } = await run("env_get", { keys, reveal: true });
  expect(content.split("\n")).toEqual([
    "MY_TOKEN=<redacted: 13 chars>",
    "DB_PASSWORD=<redacted: 13 chars>",
    "COPY=<redacted: 15 chars>",
    "URL=<redacted: 26 chars>",
    "JWT=<redacted: 26 chars>",
    "OURS=<redacted: 14 chars>",
    "HOME=/home/me",
    `LONG=${"a".repeat(2000)} [5 more chars]`,
    "GONE=<unset>",
    "toString=<unset>",
  ]);
  expect((await run("env_get", { prefix: "H" })).content).toBe("HOME=set (8 chars)");
  expect((await run("env_get", {})).content).toBe(["8 variables", ...Object.keys(env).sort()].join("\n"));
});
