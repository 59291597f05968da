import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createCancel } from "@smith/contract/cancel";
import type { AnyTool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { onTestFinished } from "vitest";
import { createBuiltinTools, type ToolOptions } from "../src/index.ts";

/** A temp folder with the tools over it; removed, and its processes ended, when the test is over. */
export function scene(options: Partial<ToolOptions> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "smith-tools-")));
  const { tools, dispose } = createBuiltinTools({
    confine: "writes",
    bash_timeout_s: 120,
    scrub_env: [],
    env: process.env,
    ...options,
  });
  onTestFinished(async () => {
    await dispose();
    rmSync(root, { recursive: true, force: true });
  });
  const cancel = createCancel();
  let calls = 0;
  const context = (over: Partial<ToolContext> = {}): ToolContext => ({
    role: "direct",
    conversation_id: "conv",
    project_id: "project",
    job_id: null,
    mode: "full",
    turn_id: "t1",
    call_id: `c${++calls}`,
    cwd: root,
    project_root: root,
    signal: cancel.signal,
    isCancelled: () => cancel.signal.aborted,
    ...over,
  });
  const tool = (name: string): AnyTool => {
    const found = tools.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  const path = (name: string) => join(root, name);
  return {
    root,
    path,
    cancel,
    context,
    tool,
    tools,
    dispose,
    /** Checks the arguments as an executor does, then runs the tool. */
    async run(name: string, args: unknown, over: Partial<ToolContext> = {}): Promise<ToolOutcome> {
      return await tool(name).run(tool(name).schema.parse(args), context(over));
    },
    /** What the schema says against the arguments. */
    refused(name: string, args: unknown): readonly string[] {
      return (
        tool(name)
          .schema.safeParse(args)
          .error?.issues.map((issue) => issue.message) ?? []
      );
    },
    put(name: string, content: string | Uint8Array): string {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
    /** The file's bytes, one character each. */
    bytes: (name: string) => readFileSync(path(name), "latin1"),
    text: (name: string) => readFileSync(path(name), "utf8"),
  };
}

export type Scene = ReturnType<typeof scene>;

/** Waits until the claim holds; fails after two seconds. */
export async function until(claim: () => boolean): Promise<void> {
  const deadline = performance.now() + 2000;
  while (!claim()) {
    if (performance.now() > deadline) throw new Error("it did not come true within 2 s");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** False once the process is gone or only waits to be reaped. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}
