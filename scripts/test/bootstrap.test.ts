import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";

const scripts = join(import.meta.dirname, "..");
const clones: string[] = [];
afterEach(() => {
  for (const clone of clones.splice(0)) rmSync(clone, { recursive: true });
});

/** Stands in for npx: writes down what it was asked, and does what an install and a build leave behind. */
const npx = `#!/bin/sh
echo "$*" | sed 's/ --store-dir=.*//' >> "$CLONE/calls"
[ -z "$NPX_FAILS" ] || { for n in $(seq 30); do echo "line $n"; done; echo "$NPX_FAILS" >&2; exit 9; }
[ -z "$NPX_TAKES" ] || sleep "$NPX_TAKES"
mkdir -p "$CLONE/apps/cli/dist" "$CLONE/apps/cli/node_modules/better-sqlite3"
echo 'module.exports = class { close() {} }' > "$CLONE/apps/cli/node_modules/better-sqlite3/index.js"
touch "$CLONE/apps/cli/dist/smith.js"
`;

function makeClone() {
  const clone = mkdtempSync(join(tmpdir(), "clone-"));
  clones.push(clone);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(clone, name)), { recursive: true });
    writeFileSync(join(clone, name), text);
  };
  cpSync(scripts, join(clone, "scripts"), { recursive: true, filter: (path) => !path.endsWith("test") });
  write("package.json", '{"packageManager":"pnpm@1.2.3"}');
  write("apps/cli/package.json", '{"dependencies":{"better-sqlite3":"1"}}');
  write("apps/cli/src/main.ts", "export {};");
  for (const name of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "turbo.json", "tsconfig.base.json"]) write(name, "");
  write("bin/npx", npx);
  chmodSync(join(clone, "bin/npx"), 0o755);
  return { clone, write, calls: () => readCalls(clone), run: runner(clone) };
}

/** What npx was asked since the last look. */
function readCalls(clone: string): string[] {
  const file = join(clone, "calls");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  rmSync(file);
  return lines;
}

const runner =
  (clone: string) =>
  (args: string[], env: NodeJS.ProcessEnv = {}, node: string[] = []) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = spawn(process.execPath, [...node, join(clone, "scripts", "bootstrap.mjs"), ...args], {
        env: { ...process.env, PATH: `${join(clone, "bin")}:${process.env["PATH"]}`, CLONE: clone, ...env },
      });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk) => (stdout += chunk));
      child.stderr.on("data", (chunk) => (stderr += chunk));
      // Seconds differ from run to run.
      child.on("close", (code) => resolve({ code, stdout, stderr: stderr.replace(/\d+\.\d s/g, "N s") }));
    });

const installed = "-y --package=pnpm@1.2.3 -- pnpm install --frozen-lockfile";
const built = "-y --package=pnpm@1.2.3 -- turbo run build --output-logs=errors-only --log-prefix=none";
const installing = "smith: installing dependencies (once; about a minute) … ";

test("the first build installs and builds, the second spawns nothing and says nothing", async () => {
  const { run, calls } = makeClone();
  expect(await run(["build"])).toEqual({ code: 0, stdout: "", stderr: `${installing}N s\nsmith: building … N s\n` });
  expect(calls()).toEqual([installed, built]);
  expect(await run(["build"])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(calls()).toEqual([]);
});

test("a changed source is built, a changed lock file is installed and built, a lost bundle is built", async () => {
  const { clone, run, calls, write } = makeClone();
  await run(["build"]);
  calls();
  write("apps/cli/src/main.ts", "export const changed = 1;");
  await run(["build"]);
  expect(calls()).toEqual([built]);
  write("pnpm-lock.yaml", "changed");
  await run(["build"]);
  expect(calls()).toEqual([installed, built]);
  rmSync(join(clone, "apps/cli/dist"), { recursive: true });
  await run(["build"]);
  expect(calls()).toEqual([built]);
});

test.for([
  ["something odd", "the install failed. Mend what is said above, then run the same command again."],
  [
    "getaddrinfo ENOTFOUND host",
    "the package registry can't be reached. The first run needs the network; see also: npm config get registry",
  ],
  [
    "gyp ERR! not ok",
    "better-sqlite3 could not be compiled. It needs make, a C++ compiler and Python 3 (Debian: apt-get install make g++ python3); then run the same command again.",
  ],
])("an install that fails with %s shows its last 20 lines and the mend, and is tried again", async ([cause, mend]) => {
  const { run, calls } = makeClone();
  const tail = Array.from({ length: 19 }, (_, n) => `line ${n + 12}`).join("\n");
  expect(await run(["install"], { NPX_FAILS: cause })).toEqual({
    code: 1,
    stdout: "",
    stderr: `${installing}failed\n${tail}\n${cause}\nsmith: ${mend}\n`,
  });
  expect(calls()).toEqual([installed]);
  expect((await run(["install"])).code).toBe(0);
});

test("of two at once one works and the other waits", async () => {
  const { run, calls } = makeClone();
  const both = await Promise.all([run(["build"], { NPX_TAKES: "0.5" }), run(["build"], { NPX_TAKES: "0.5" })]);
  expect(both.map((each) => each.code)).toEqual([0, 0]);
  expect(calls()).toEqual([installed, built]);
  expect(both.map((each) => each.stderr.includes("another install or build is running here")).sort()).toEqual([
    false,
    true,
  ]);
});

test.for([
  ["died", { host: hostname(), pid: spawnSync(process.execPath, ["-v"]).pid }, new Date()],
  ["has been silent", { host: "elsewhere", pid: 1 }, new Date(0)],
] as const)("the lock of a process that %s is taken over", async ([, holder, touched]) => {
  const { clone, run, write } = makeClone();
  const lock = join(clone, "node_modules/.smith/lock");
  write("node_modules/.smith/lock/holder", JSON.stringify(holder));
  utimesSync(lock, touched, touched);
  expect(await run(["install"])).toEqual({ code: 0, stdout: "", stderr: `${installing}N s\n` });
  expect(existsSync(lock)).toBe(false);
});

test("exec passes arguments, output and exit code through", async () => {
  const { run, calls } = makeClone();
  const failed = await run(["exec", "pnpm", "why", "a b"], { NPX_FAILS: "no" });
  expect({ code: failed.code, lines: failed.stdout.split("\n").length, stderr: failed.stderr }).toEqual({
    code: 9,
    lines: 31,
    stderr: "no\n",
  });
  expect(calls()).toEqual(["-y --package=pnpm@1.2.3 -- pnpm why a b"]);
});

test.for([
  [
    "versions",
    { node: "18.20.8" },
    "Smith needs Node 20.19 or newer, and this is 18.20.8. Get one at https://nodejs.org, or: nvm install",
  ],
  ["platform", "win32", "Smith does not run on Windows. Use it inside WSL 2 (Linux)."],
] as const)("an unfit process.%s is refused in one line, exit 2", async ([property, value, line]) => {
  const { run, calls, write, clone } = makeClone();
  write("pretend.cjs", `Object.defineProperty(process, "${property}", { value: ${JSON.stringify(value)} });`);
  const refused = await run(["build"], {}, ["--require", join(clone, "pretend.cjs")]);
  expect(refused).toEqual({ code: 2, stdout: "", stderr: `smith: ${line}\n` });
  expect(calls()).toEqual([]);
});
