import { appendFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HookContext, Plugin } from "../plugin.ts";

/**
 * Writes what is done to a file, a JSON line each: turns, calls of tools, jobs. `SMITH_AUDIT_FILE` names it; else it is
 * `audit.jsonl` beside the database, or among the temporary files where there is none.
 */
export function createAudit(data_dir: string | null): Plugin {
  const write = async (what: string, info: object, context: HookContext): Promise<void> => {
    const file = process.env["SMITH_AUDIT_FILE"] || join(data_dir ?? tmpdir(), "audit.jsonl");
    await mkdir(dirname(file), { recursive: true });
    const line = JSON.stringify({ ts: Date.now(), what, ...info, ...context });
    await appendFile(file, `${line}\n`, { mode: 0o600 });
  };
  return {
    name: "audit",
    version: "1.0.0",
    hooks: {
      on_run_start: (info, context) => write("run_start", info, context),
      on_run_end: (info, context) => write("run_end", info, context),
      after_tool_call: (info, context) => write("tool_call", info, context),
      on_dispatch_start: (info, context) => write("dispatch_start", info, context),
      on_dispatch_end: (info, context) => write("dispatch_end", info, context),
    },
  };
}
