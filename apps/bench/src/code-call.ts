import { execFile } from "node:child_process";
import type { ToolContext } from "@smith/contract/tool";
import { createBuiltinTools } from "@smith/tools";
import { rgPath } from "@vscode/ripgrep";

/** What one timed call came to, as a line of JSON on stdout. */
export interface TimedCall {
  readonly ms: number;
  /** Of what was found, as the contest counts it. */
  readonly found: number;
}

const tell = (timed: TimedCall): void => void process.stdout.write(`${JSON.stringify(timed)}\n`);

/** A tool called in this folder, `times` times; the last call is told. Arguments: tool, its arguments as JSON, times. */
export async function runTool([name = "", json = "{}", times = "1"]: readonly string[]): Promise<void> {
  const { tools, dispose } = createBuiltinTools({
    ...{ confine: "writes", bash_timeout_s: 120, scrub_env: [], env: process.env },
  });
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const { signal } = new AbortController();
  const context: ToolContext = {
    ...{ role: "direct", conversation_id: "c", turn_id: "t", call_id: "c1", project_id: "p", job_id: null },
    ...{ mode: "full" as const, cwd: process.cwd(), project_root: process.cwd(), signal, isCancelled: () => false },
  };
  let timed: TimedCall = { ms: 0, found: 0 };
  for (let n = 0; n < Number(times); n++) {
    const start = performance.now();
    const { ok, metadata, error } = await tool.run(tool.schema.parse(JSON.parse(json)), context);
    const ms = performance.now() - start;
    if (!ok) throw new Error(error?.message);
    timed = { ms, found: Number(metadata?.["matches"] ?? metadata?.["symbols"] ?? metadata?.["files"]) };
  }
  await dispose();
  tell(timed);
}

/** Plain ripgrep in this folder: from its start until its whole output is here. Arguments: those of rg. */
export async function runRipgrep(args: readonly string[]): Promise<void> {
  const start = performance.now();
  const out = await new Promise<string>((resolve, reject) => {
    const options = { maxBuffer: 1 << 30 };
    execFile(rgPath, [...args, "./"], options, (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
  });
  tell({ ms: performance.now() - start, found: out.split("\n").length - 1 });
}
