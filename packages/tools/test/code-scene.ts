import { chmodSync } from "node:fs";
import type { ToolContext, ToolOutcome } from "@smith/contract/tool";
import type { CodeOptions } from "../src/code/scope.ts";
import { createCodeTools } from "../src/code/tools.ts";
import { scene } from "./scene.ts";

export type Engine = "ripgrep" | "walk";
export const ENGINES: readonly Engine[] = ["ripgrep", "walk"];

/** What the built-in search adds to an answer. */
const SLOW = "[ripgrep could not be used: this is a slower built-in search with JavaScript's regular expressions]";

/** A temp folder with the code tools over it, with ripgrep or as if there were none. */
export function project(engine: Engine, files: Readonly<Record<string, string>> = {}) {
  const base = scene();
  const toolsOf = (options: Partial<CodeOptions>) =>
    createCodeTools({
      confine: "writes",
      env: { ...process.env },
      ...(engine === "walk" ? { ripgrep: async () => null } : {}),
      ...options,
    });
  const tools = toolsOf({});
  const call = async (name: string, args: unknown, over: Partial<ToolContext> & { options?: Partial<CodeOptions> }) => {
    const { options, ...context } = over;
    const tool = (options === undefined ? tools : toolsOf(options)).find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const outcome: ToolOutcome = await tool.run(tool.schema.parse(args), base.context(context));
    return { outcome, line: tool.result_renderer?.(args as never, outcome) };
  };
  for (const [name, content] of Object.entries(files)) base.put(name, content);
  return {
    ...base,
    tools,
    call,
    /** The lines of a success, without the remark of the built-in search; the message of a failure. */
    async lines(name: string, args: unknown, over: Parameters<typeof call>[2] = {}): Promise<readonly string[]> {
      const { outcome } = await call(name, args, over);
      if (!outcome.ok) return [`${outcome.error?.code}: ${outcome.error?.message}`];
      return outcome.content.split("\n").filter((line) => line !== SLOW);
    },
    /** A program that stands in for ripgrep. */
    program(script: string): () => Promise<string> {
      const path = base.put("bin/rg", `#!/bin/sh\n${script}\n`);
      chmodSync(path, 0o755);
      return async () => path;
    },
  };
}
