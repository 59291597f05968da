#!/usr/bin/env node
// What a fresh clone needs before anything can run: installs what is missing, builds what changed, or runs a command
// with pnpm at hand. When nothing is to do, nothing is spawned. Plain Node, no dependencies; says everything on stderr.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { takeLock } from "./lock.mjs";
import { buildStamp, dropStamp, installStamp, isBuilt, isInstalled, stateDir, writeStamp } from "./stamps.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const floor = [20, 19];
const usage = "usage: node scripts/bootstrap.mjs install | build | exec COMMAND…";
const tailLines = 20;
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

async function main([mode, ...command]) {
  const refusal = refuse();
  if (refusal !== undefined) return say(refusal, 2);
  if (mode === "install" && command.length === 0) return prepare([install]);
  if (mode === "build" && command.length === 0) return prepare([install, build]);
  if (mode === "exec" && command.length > 0) return passThrough(command);
  return say(usage, 2);
}

function refuse() {
  if (process.platform === "win32") return "Smith does not run on Windows. Use it inside WSL 2 (Linux).";
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > floor[0] || (major === floor[0] && minor >= floor[1])) return undefined;
  return `Smith needs Node ${floor.join(".")} or newer, and this is ${process.versions.node}. Get one at https://nodejs.org, or: nvm install`;
}

function say(line, code = 0) {
  process.stderr.write(`smith: ${line}\n`);
  return code;
}

/** Runs the steps that are needed, under the clone's lock. Returns an exit code. */
async function prepare(steps) {
  if (steps.every((step) => step.isDone())) return 0;
  const release = await takeLock(join(stateDir(root), "lock"), (pid) =>
    say(`another install or build is running here (process ${pid}); waiting …`),
  );
  process.once("exit", release);
  try {
    // Asked again under the lock: the one we waited for may have done it.
    for (const step of steps) {
      if (!step.isDone() && !(await succeeds(step))) return 1;
    }
    return 0;
  } finally {
    release();
  }
}

async function succeeds(step) {
  const startedAt = Date.now();
  process.stderr.write(`smith: ${step.title} … `);
  const failed = await step.run();
  if (failed === undefined) {
    process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
    return true;
  }
  const tail = failed.output.trimEnd().split("\n").slice(-tailLines).join("\n");
  process.stderr.write(`failed\n${tail}\n`);
  say(mend(failed, step.mend));
  return false;
}

const install = {
  title: "installing dependencies (once; about a minute)",
  mend: "the install failed. Mend what is said above, then run the same command again.",
  isDone: () => isInstalled(root),
  async run() {
    dropStamp(root, "install");
    const stamp = installStamp(root);
    const failed = (await pnpm(["install", "--frozen-lockfile"])) ?? (await mendNative());
    if (failed === undefined) writeStamp(root, "install", stamp);
    return failed;
  },
};

const build = {
  title: "building",
  mend: "the build failed. Mend the source named above, then run the same command again.",
  isDone: () => isBuilt(root),
  async run() {
    const stamp = buildStamp(root); // before the build: what changes meanwhile is built next time
    const failed = await withPnpm(["turbo", "run", "build", "--output-logs=errors-only", "--log-prefix=none"]);
    if (failed === undefined) writeStamp(root, "build", stamp);
    return failed;
  },
};

/** The one native dependency: pnpm keeps a copy that was compiled for another Node, so load it and see. */
async function mendNative() {
  const probe = ["-e", 'new (require("better-sqlite3"))(":memory:").close()'];
  const load = () => capture(process.execPath, probe, join(root, "apps", "cli"));
  if ((await load()) === undefined) return undefined;
  return (await pnpm(["--recursive", "rebuild", "better-sqlite3"])) ?? (await load());
}

const packageManager = () => JSON.parse(readFileSync(join(root, "package.json"), "utf8")).packageManager;

/** Never asks: there is nobody to answer. */
const pnpm = (args) => withPnpm(["pnpm", ...args, `--store-dir=${storeDir()}`, "--config.confirm-modules-purge=false"]);

/** npx puts pnpm and the workspace's own programs on PATH. */
const withPnpm = (command) => capture("npx", ["-y", `--package=${packageManager()}`, "--", ...command], root);

/** Runs a program out of sight. Undefined when it went well, else its whole output and exit code. */
function capture(program, args, cwd) {
  return new Promise((resolve) => {
    // A group of its own, so that a signal to us ends all of it, compilers included.
    const child = spawn(program, args, { cwd, env: environment(), stdio: ["ignore", "pipe", "pipe"], detached: true });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    const stop = Object.entries(signals).map(([signal, code]) => {
      const listener = () => {
        killGroup(child.pid, signal);
        process.stderr.write("\n");
        process.exit(code);
      };
      process.once(signal, listener);
      return () => process.off(signal, listener);
    });
    const end = (failed) => {
      for (const each of stop) each();
      resolve(failed);
    };
    child.on("error", (error) => end({ output: error.message, code: 127, program: error.path }));
    child.on("close", (code) => end(code === 0 ? undefined : { output: Buffer.concat(chunks).toString(), code }));
  });
}

function killGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // it is gone already
  }
}

/** Runs a command with the terminal in its hands and takes over its exit code. */
function passThrough(command) {
  return new Promise((resolve) => {
    const args = ["-y", `--package=${packageManager()}`, "--", ...command];
    const child = spawn("npx", args, { cwd: root, env: environment(), stdio: "inherit" });
    for (const signal of Object.keys(signals)) process.on(signal, () => child.kill(signal));
    child.on("error", (error) => resolve(say(`npx can't be started (${error.message}). It comes with npm.`, 1)));
    child.on("close", (code, signal) => resolve(code ?? signals[signal] ?? 1));
  });
}

function environment() {
  const quiet = {
    npm_config_update_notifier: "false",
    npm_config_fund: "false",
    npm_config_audit: "false",
    npm_config_prefer_offline: "true",
    // `npm start --silent` hands its level down, and a failed install would not say why.
    npm_config_loglevel: "notice",
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
    DO_NOT_TRACK: "1",
  };
  return { npm_config_nodedir: headersDir(), ...process.env, ...quiet };
}

/** This Node's own headers, where it came with them: compiling then needs no download. */
function headersDir() {
  const prefix = dirname(dirname(process.execPath));
  const header = join(prefix, "include", "node", "node_version.h");
  if (!existsSync(header)) return undefined;
  const text = readFileSync(header, "utf8");
  const part = (name) => new RegExp(`#define NODE_${name}_VERSION (\\d+)`).exec(text)?.[1];
  const version = ["MAJOR", "MINOR", "PATCH"].map(part).join(".");
  return version === process.versions.node ? prefix : undefined;
}

/** Below the home directory, also when the clone is on another disk: pnpm would put its store at that disk's root. */
function storeDir() {
  const state = join(root, "node_modules", ".modules.yaml");
  const chosen = existsSync(state) ? /"?storeDir"?: *"?([^"\n]+)/.exec(readFileSync(state, "utf8"))?.[1] : undefined;
  if (chosen !== undefined) return chosen;
  const data = process.env.XDG_DATA_HOME || join(homedir(), ".local", "share");
  return join(process.env.PNPM_HOME || join(data, "pnpm"), "store");
}

/** The step's mend, or a better one where the output shows the cause. */
function mend(failed, usual) {
  const is = (pattern) => pattern.test(failed.output);
  if (failed.program !== undefined)
    return `${failed.program} can't be started. It comes with Node and npm: install npm.`;
  if (is(/ENOSPC/)) return "the disk is full. Make room, then run the same command again.";
  if (is(/ERR_PNPM_OUTDATED_LOCKFILE/)) {
    return `pnpm-lock.yaml does not fit the manifests. Run: npx -y ${packageManager()} install`;
  }
  if (is(/gyp ERR!|not found: make|node-gyp/)) {
    return "better-sqlite3 could not be compiled. It needs make, a C++ compiler and Python 3 (Debian: apt-get install make g++ python3); then run the same command again.";
  }
  if (is(/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED/)) {
    return "the package registry can't be reached. The first run needs the network; see also: npm config get registry";
  }
  return usual;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = say(`${error.message}. Is ${root} whole and writable?`, 1);
}
