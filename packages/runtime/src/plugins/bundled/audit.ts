import { appendFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { HookContext, Plugin } from "../plugin.ts";

export interface AuditPlace {
  /** Where Smith keeps its data; null: nowhere. */
  readonly data_dir: string | null;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Writes what is done to a file, a JSON line each: turns, calls of tools, jobs. `SMITH_AUDIT_FILE` names it; else it is
 * `audit.jsonl` beside the database.
 * @throws {Error} when there is neither: a file in a folder that all users share would be anybody's to put there first.
 */
export function createAudit({ data_dir, env }: AuditPlace): Plugin {
  const file = env["SMITH_AUDIT_FILE"] || (data_dir === null ? null : join(data_dir, "audit.jsonl"));
  if (file === null)
    throw new Error("nothing is stored here, so there is no place for its file. Name one in SMITH_AUDIT_FILE");
  const write = async (what: string, info: object, context: HookContext): Promise<void> => {
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
