import type { CommandAnswer, CommandHost } from "@smith/contract/command";

/** The words after a command's name, flags taken out. */
export interface CommandCall {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | true>>;
  /** The text after the name as it was typed; absent where a shell has parted it into words. */
  readonly typed?: string;
}

export interface FlagSpec {
  readonly name: string;
  /** Shown in help for the value; absent: the flag is a switch. */
  readonly value?: string;
  readonly description: string;
}

/** One command: a slash command, a CLI subcommand, or both. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** How it is called, a line each, without its name. */
  readonly usage: readonly string[];
  readonly example: string;
  readonly doors: readonly ("slash" | "cli")[];
  readonly flags?: readonly FlagSpec[];
  /** Words that may follow what is typed so far. */
  complete?(words: readonly string[], host: CommandHost): readonly string[] | Promise<readonly string[]>;
  /** @throws {AgentError} for what can't be done; the door prints its message. */
  run(call: CommandCall, host: CommandHost): Promise<CommandAnswer>;
}

export const say = (text: string, data?: unknown): CommandAnswer =>
  data === undefined ? { say: text } : { say: text, data };

/** How it is called, on one line. */
export const usageOf = ({ name, usage }: Pick<Command, "name" | "usage">): string =>
  `usage: ${usage.map((line) => `${name} ${line}`.trim()).join("  |  ")}`;

/**
 * A call that does not fit the command's usage.
 * @param why what was got and what is expected; absent: the door tells what was typed, and the usage.
 */
export const misuse = (command: Pick<Command, "name" | "usage">, why?: string): CommandAnswer => ({
  ok: false,
  misuse: true,
  say: why ?? usageOf(command),
});

/** What a door saw of a call. */
export interface Typed {
  /** As it was typed, its name too. */
  readonly call: string;
  /** Nothing came after the name. */
  readonly bare: boolean;
  /** What tells more. */
  readonly help: string;
}

/** A misuse with what was got, what is expected, and the next step; any other answer as it is. */
export function explainMisuse(answer: CommandAnswer, { call, bare, help }: Typed): CommandAnswer {
  if (answer.misuse !== true) return answer;
  const got = call.replaceAll(/\s+/g, " ");
  const shown = got.length > 80 ? `${got.slice(0, 79).toWellFormed()}…` : got;
  const isUsage = answer.say.startsWith("usage: ");
  const why = isUsage ? `${shown}: ${bare ? "something is missing" : "that does not fit"}. ${answer.say}` : answer.say;
  return { ...answer, say: `${why}  (${help} tells more)` };
}
