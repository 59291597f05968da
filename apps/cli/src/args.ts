import { COMMANDS, type Command as SmithCommand } from "@smith/commands";
import { nearest } from "@smith/contract/edit-distance";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { flagMeant, subcommandMeant } from "./old-names.ts";
import { UsageError } from "./usage-error.ts";

export const OUTPUTS = ["text", "json", "jsonl"] as const;
export type Output = (typeof OUTPUTS)[number];
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Args {
  /** The prompt of a one-shot; true: it comes from stdin; absent: interactive. */
  readonly print?: string | true;
  readonly role?: string;
  readonly model?: string;
  readonly output: Output;
  readonly set: readonly string[];
  readonly continue?: boolean;
  readonly resume?: string;
  readonly fork?: string;
  readonly new?: boolean;
  readonly mode?: string;
  readonly effort?: string;
  readonly systemPrompt?: string;
  readonly cwd?: string;
  readonly config?: string;
  readonly maxRounds?: number;
  readonly logLevel: LogLevel;
  readonly color: boolean;
  readonly stdin: boolean;
}

/** A subcommand with what followed it. */
export interface Subcommand {
  readonly command: SmithCommand;
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | true>>;
}

export interface Parsed {
  readonly args: Args;
  readonly subcommand: Subcommand | null;
  /** `smith demo`: this program's own, no command over a session. */
  readonly demo: boolean;
  /** `smith gateway`: the platforms that were named; null: it was not asked for. */
  readonly gateway: readonly string[] | null;
}

/**
 * Parses the command line. `--help` and `--version` print and return null.
 * @throws {UsageError} one line with the flag, the value got and what was expected.
 */
export function parseArgs(argv: readonly string[], version: string): Parsed | null {
  const found: Omit<{ -readonly [name in keyof Parsed]: Parsed[name] }, "args"> = {
    ...{ subcommand: null, demo: false, gateway: null },
  };
  const program = describe(version);
  for (const command of COMMANDS.filter((each) => each.doors.includes("cli"))) {
    program.addCommand(describeSub(command, (subcommand) => (found.subcommand = subcommand)));
  }
  program.addCommand(describeDemo(() => (found.demo = true)));
  program.addCommand(describeGateway((platforms) => (found.gateway = platforms)));
  try {
    program.parse(joinPrompt(argv), { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return null;
    if (thrown.message === HELP_FOR_NONE) checkWords([program.args[1] ?? argv.at(-1) ?? ""]);
    throw new UsageError(`${sentence(thrown.message)} See smith --help.`);
  }
  const args = program.opts<Args>();
  if (found.subcommand === null && !found.demo && found.gateway === null) checkWords(program.args);
  checkPlace(args);
  return { args, ...found };
}

/** Where a run begins can be said once. */
function checkPlace(args: Args): void {
  const flags = (["continue", "resume", "fork", "new"] as const).filter((flag) => args[flag] !== undefined);
  const [first, second] = flags;
  if (second !== undefined) throw new UsageError(`--${first} and --${second} exclude each other. Give one of them.`);
}

/** All that commander says of `help` for a command that is none. */
const HELP_FOR_NONE = "(outputHelp)";

function checkWords([text]: readonly string[]): void {
  if (text === undefined) return;
  const names = COMMANDS.flatMap(({ name, doors }) => (doors.includes("cli") ? [name] : []));
  const near = nearest(text, [...names, "demo", "gateway", "help", "version"]);
  const meant = subcommandMeant(text) ?? (near === null ? null : `Did you mean ${near}?`);
  const shown = JSON.stringify(text);
  throw new UsageError(
    `unknown subcommand ${shown}.${meant === null ? "" : ` ${meant}`} To ask the model, use smith -p ${shown}.`,
  );
}

function describe(version: string): Command {
  const program = configure(new Command("smith"))
    .description("A coding agent whose delegated work is never lost and never taken on trust.")
    .usage('[-p "prompt"] [flags]  |  smith <subcommand>  |  smith')
    .option("-p, --print [TEXT]", "one turn: answer on stdout, progress on stderr; without TEXT the prompt is stdin")
    .option("--role <ROLE>", "role of this run: direct, orchestrator or one of your own", nonEmpty)
    .option("--model <ID>", "model of this run", nonEmpty)
    .addOption(
      choice("--output <FORMAT>", "text, json (the turn result) or jsonl (events, then the result)", OUTPUTS, "text"),
    )
    .option("--set <PATH=VALUE>", "configuration for this run; repeatable", gather, [])
    .option("-c, --continue", "go on with this project's newest conversation")
    .option("--resume <ID>", "go on with a conversation: its id, a unique beginning of it, or latest", nonEmpty)
    .option("--fork <ID>", "go on in a copy of a conversation", nonEmpty)
    .option("--new", "start a fresh conversation")
    .addOption(choice("--mode <MODE>", "session mode: full, ask or plan", ["full", "ask", "plan"]))
    .addOption(choice("--effort <EFFORT>", "reasoning effort: low, medium or high", ["low", "medium", "high"]))
    .option("--system-prompt <FILE>", "this file replaces the role frame", nonEmpty)
    .option("--cwd <DIR>", "working directory", nonEmpty)
    .option("--config <FILE>", "use this file in place of the user's configuration", nonEmpty)
    .option("--max-rounds <N>", "model calls the turn may make (one-shot: 100)", positiveInteger)
    .addOption(choice("--log-level <LEVEL>", "diagnostics on stderr: debug, info, warn or error", LOG_LEVELS, "warn"))
    .option("--no-color", "no colour (as NO_COLOR does)")
    .option("--no-stdin", "don't look at stdin")
    .version(version, "-V, --version", "print the version")
    .addHelpText("after", '\nExample:\n  smith -p "why does the build fail?" --output json')
    .argument("[text...]")
    .helpCommand("help [command]", "print help for a subcommand")
    .action(() => {});
  return program;
}

/** Errors are thrown, not printed; help looks the same everywhere. */
const configure = (command: Command): Command =>
  command
    .helpOption("-h, --help", "print this help")
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .allowExcessArguments(true);

function describeSub(command: SmithCommand, chosen: (subcommand: Subcommand) => void): Command {
  const sub = configure(new Command(command.name))
    .description(command.summary)
    .usage(command.usage.join("  |  "))
    .argument("[words...]")
    .addHelpText("after", `\nExample:\n  smith ${command.example}`);
  for (const flag of command.flags ?? []) {
    sub.option(flag.value === undefined ? `--${flag.name}` : `--${flag.name} <${flag.value}>`, flag.description);
  }
  if (command.flags?.some((flag) => flag.name === "json") !== true) sub.option("--json", "as JSON");
  return sub.action((words: string[], flags: Record<string, string | true>) => chosen({ command, words, flags }));
}

const describeDemo = (chosen: () => void): Command =>
  configure(new Command("demo"))
    .description("A labelled replay, under 30 s: four explorers of which one is caught lying, a Ctrl-C, and a kill -9.")
    .allowExcessArguments(false)
    .action(chosen);

const describeGateway = (chosen: (platforms: readonly string[]) => void): Command =>
  configure(new Command("gateway"))
    .description("The chat gateway: answers over HTTP (webhook), on Telegram, Discord and Twitch until it is stopped.")
    .argument("[platform...]", "webhook (default), telegram, discord, twitch")
    .addHelpText("after", "\nExample:\n  smith gateway webhook telegram\nSee docs/GATEWAY.md.")
    .action(chosen);

function choice(flags: string, description: string, choices: readonly string[], value?: string): Option {
  const option = new Option(flags, description).argParser((given: string) => {
    if (choices.includes(given)) return given;
    throw new InvalidArgumentError(`Expected ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}.`);
  });
  return value === undefined ? option : option.default(value);
}

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
  const flag = /^unknown flag '(--[\w-]+)/.exec(words)?.[1] ?? "";
  const meant = flagMeant(flag);
  if (meant !== null) return `unknown flag '${flag}' (Did you mean ${meant}?)`;
  return /[.?!)]$/.test(words) ? words : `${words}.`;
}
