import { AgentError } from "@smith/contract/error";
import { safeText } from "@smith/terminal/safe";
import { type Parsed, parseArgs } from "./args.ts";
import { crash, unforeseen } from "./crash.ts";
import { UsageError } from "./usage-error.ts";

/** Runs one command line to its exit code. Nothing it meets shows a stack to the user. */
export async function runCli(argv: readonly string[], version: string): Promise<void> {
  process.on("uncaughtException", crash);
  try {
    const parsed = parseArgs(argv, version);
    await leave(parsed === null ? 0 : await open(parsed));
  } catch (thrown) {
    const { text, code } = complaint(thrown);
    process.stderr.write(`smith: ${safeText(text)}\n`);
    await leave(code);
  }
}

/** Each door is loaded only when it is the one that was asked for. */
async function open({ args, subcommand, demo, gateway }: Parsed): Promise<number> {
  if (subcommand !== null) return (await import("./subcommand.ts")).runSubcommand(subcommand, args);
  if (gateway !== null) return (await import("./gateway.ts")).gateway(args, gateway);
  if (demo) return (await import("./demo/demo.ts")).demo(args.color && hasColour());
  if (args.print !== undefined) return (await import("./one-shot.ts")).oneShot(args);
  return (await import("./repl.ts")).repl(args);
}

const hasColour = (): boolean =>
  process.stdout.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

/** Errors before a turn: wrong usage and configuration exit with 2, whatever else with 1. */
function complaint(thrown: unknown): { text: string; code: number } {
  if (thrown instanceof UsageError) return { text: thrown.message, code: thrown.exitCode };
  if (thrown instanceof AgentError && thrown.kind !== "internal") {
    return { text: thrown.message, code: EXIT_1.has(thrown.code) ? 1 : 2 };
  }
  return { text: unforeseen(thrown), code: 1 };
}

/** An unknown conversation or turn is an honest miss, not a wrong call. */
const EXIT_1: ReadonlySet<string> = new Set(["unknown_conversation", "unknown_turn"]);

/** Exits once what was written is out: a pipe's reader may be slow. */
async function leave(code: number): Promise<void> {
  process.exitCode = code;
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    stream.write("", () => resolve());
  });
