import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { onTestFinished } from "vitest";

/** Where `better-sqlite3` is found from. */
const CACHE = join(import.meta.dirname, "../../node_modules/.cache");

/** Bundles the program, with the store's source, into `folder` (default: this package's own cache). */
export async function bundle(folder: string = CACHE): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `program-${process.pid}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, "program.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@smith/source"],
    external: ["better-sqlite3"],
    logLevel: "error",
  });
  return outfile;
}

export interface Running {
  readonly child: ChildProcess;
  /** The line it prints, read as JSON. */
  readonly line: Promise<unknown>;
}

/** Starts a command that prints one line. It is killed when the test ends. */
export function start(command: readonly string[], options: SpawnOptions = {}): Running {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stdout === null) throw new Error("no stdout");
  const lines = createInterface({ input: child.stdout });
  const line = once(lines, "line").then(([text]) => JSON.parse(String(text)) as unknown);
  return { child, line };
}

export async function kill({ child }: Running): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
