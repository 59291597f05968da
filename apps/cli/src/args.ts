import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { UsageError } from "./usage-error.ts";

export const OUTPUTS = ["text", "json", "jsonl"] as const;
export type Output = (typeof OUTPUTS)[number];
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

export interface Args {
  /** The prompt of a one-shot; true: it comes from stdin; absent: interactive. */
  readonly print?: string | true;
  readonly model?: string;
  readonly output: Output;
  readonly set: readonly string[];
  readonly continue?: boolean;
  readonly resume?: string;
  readonly cwd?: string;
  readonly config?: string;
  readonly maxRounds?: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly color: boolean;
  readonly stdin: boolean;
}

/**
 * Parses the command line. `--help` prints and returns null.
 * @throws {UsageError} one line with the flag, the value got and what was expected.
 */
export function parseArgs(argv: readonly string[], version: string): Args | null {
  const command = describe(version);
  try {
    command.parse(joinPrompt(argv), { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return null;
    throw new UsageError(`${sentence(thrown.message)} See smith --help.`);
  }
  const [text] = command.args;
  if (text !== undefined) {
    throw new UsageError(
      `unknown subcommand ${JSON.stringify(text)}. To ask the model, use smith -p ${JSON.stringify(text)}.`,
    );
  }
  const args = command.opts<Args>();
  if (args.continue === true && args.resume !== undefined) {
    throw new UsageError("--continue and --resume exclude each other. Give one of them.");
  }
  return args;
}

function describe(version: string): Command {
  return new Command("smith")
    .description("A coding agent whose delegated work is never lost and never taken on trust.")
    .option("-p, --print [TEXT]", "one turn: answer on stdout, progress on stderr; without TEXT the prompt is stdin")
    .option("--model <ID>", "model of this run", nonEmpty)
    .addOption(
      choice("--output <FORMAT>", "text, json (the turn result) or jsonl (events, then the result)", OUTPUTS, "text"),
    )
    .option("--set <PATH=VALUE>", "configuration for this run; repeatable", gather, [])
    .option("-c, --continue", "go on with this project's newest conversation")
    .option("--resume <ID>", "go on with a conversation: its id, a unique beginning of it, or latest", nonEmpty)
    .option("--cwd <DIR>", "working directory", nonEmpty)
    .option("--config <FILE>", "use this file in place of the user's configuration", nonEmpty)
    .option("--max-rounds <N>", "model calls the turn may make (default 100)", positiveInteger)
    .addOption(choice("--log-level <LEVEL>", "diagnostics on stderr", LOG_LEVELS, "warn"))
    .option("--no-color", "no colour (as NO_COLOR does)")
    .option("--no-stdin", "don't look at stdin")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", '\nExample:\n  smith -p "why does the build fail?" --output json\n')
    .argument("[text...]")
    .allowExcessArguments(true)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
}

const choice = (flags: string, description: string, choices: readonly string[], value: string): Option =>
  new Option(flags, description).choices(choices).default(value);

const gather = (value: string, before: readonly string[]): readonly string[] => [...before, value];

function nonEmpty(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("Expected a non-empty text.");
  return value;
}

function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number <= 0) throw new InvalidArgumentError("Expected a whole number above 0.");
  return number;
}

/** A prompt that begins with a dash (`-p "- buy milk"`) is a prompt, not a flag: anything with a blank in it is. */
function joinPrompt(argv: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of argv) {
    const before = joined.at(-1);
    const isPrompt = (before === "-p" || before === "--print") && word.startsWith("-") && /\s/.test(word);
    if (isPrompt) joined[joined.length - 1] = `--print=${word}`;
    else joined.push(word);
  }
  return joined;
}

/** commander's words on one line: `error: unknown option '--foo'\n(Did you mean --bar?)`. */
function sentence(message: string): string {
  const words = message
    .replace(/^error: /, "")
    .replace("unknown option", "unknown flag")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
  return /[.?!)]$/.test(words) ? words : `${words}.`;
}
