import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SMITH } from "./built.ts";
import type { Place } from "./scene.ts";

export interface Traced {
  /** Whether the fault came to pass. */
  readonly hit: boolean;
  readonly code: number | null;
  readonly stdout: string;
}

/** A run of smith under strace, with a fault at a system call: `fsync:signal=SIGKILL:when=3`. */
export async function traced(here: Place, inject: string, args: readonly string[]): Promise<Traced> {
  const log = join(here.home, "strace.log");
  const [call = ""] = inject.split(":", 1);
  const env = { PATH: process.env["PATH"], HOME: here.home, SMITH_HOME: here.home, SMITH_NO_PROBE: "1" };
  const trace = ["-f", "-qq", "-o", log, "-e", `trace=${call}`, "-e", `inject=${inject}`];
  const child = spawn("strace", [...trace, process.execPath, SMITH, ...args], {
    cwd: here.cwd,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  const lines = readFileSync(log, "utf8");
  return { hit: /INJECTED|killed by SIGKILL/.test(lines), code, stdout: Buffer.concat(chunks).toString() };
}
