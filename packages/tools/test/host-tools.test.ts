import { linkSync, mkdirSync, symlinkSync } from "node:fs";
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
