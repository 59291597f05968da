import { chatOptions, runGateway } from "@smith/gateway";
import { safeLine } from "@smith/terminal/safe";
import type { Args } from "./args.ts";
import { setUp, workingDirectory } from "./setup.ts";

/** Answers chats until a signal ends it. Returns the exit code. */
export async function gateway(args: Args, platforms: readonly string[]): Promise<number> {
  const runtime = setUp(args, chatOptions.defaults, { services: chatOptions.services });
  const say = (line: string) => void process.stderr.write(`smith: ${safeLine(line)}\n`);
  const cwd = workingDirectory(args.cwd);
  return runGateway({ runtime, platforms, env: process.env, cwd, say });
}
