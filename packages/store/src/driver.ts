import { AgentError } from "@smith/contract/error";
import type Database from "better-sqlite3";

export type Driver = typeof Database;

/**
 * Loads SQLite, and tries it once: the compiled part is loaded only by the first database.
 * @throws {AgentError} `persistence`/`native_module` when it is missing or was built for another Node.
 */
export async function loadDriver(): Promise<Driver> {
  try {
    const { default: driver } = await import("better-sqlite3");
    new driver(":memory:").close();
    return driver;
  } catch (error) {
    throw new AgentError({
      kind: "persistence",
      code: "native_module",
      origin: "store/driver",
      data: { node: process.versions.node, abi: process.versions.modules },
      message:
        `SQLite (better-sqlite3) can't be loaded by Node ${process.versions.node}: ${why(error)} ` +
        "Run `npm rebuild better-sqlite3` with this Node where it is installed, or install Smith again.",
      cause: error,
    });
  }
}

function why(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split("\n", 1)[0] ?? "";
  const abi = /NODE_MODULE_VERSION (\d+)/.exec(text)?.[1];
  // npm can be told to run no install scripts, and what it then says is the beginning of a list of thirteen paths.
  if (line.startsWith("Could not locate the bindings file")) return "its install script did not run.";
  if (abi !== undefined)
    return `it was compiled for another Node (ABI ${abi}, this one has ${process.versions.modules}).`;
  return /[.!?:]$/.test(line) ? line : `${line}.`;
}
