import { chatOptions, runGateway } from "@smith/gateway";
import { safeLine } from "@smith/terminal/safe";
import type { Args } from "./args.ts";
import { setUp, workingDirectory } from "./setup.ts";
import { UsageError } from "./usage-error.ts";

/** Answers chats until a signal ends it. Returns the exit code. */
export async function gateway(args: Args, platforms: readonly string[]): Promise<number> {
  for (const flag of ["print", "continue", "resume", "fork", "new"] as const) {
    if (args[flag] !== undefined)
      throw new UsageError(`smith gateway takes no --${flag}: every chat has its own session.`);
  }
  const runtime = setUp(args, chatOptions.defaults, { services: chatOptions.services });
  const say = (line: string) => void process.stderr.write(`smith: ${safeLine(line)}\n`);
  const cwd = workingDirectory(args.cwd);
  return runGateway({ runtime, platforms, env: process.env, cwd, say });
}
