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

/** A call that does not fit the command's usage. */
export const misuse = (command: Pick<Command, "name" | "usage">): CommandAnswer => ({
  ok: false,
  misuse: true,
  say: `usage: ${command.usage.map((line) => `${command.name} ${line}`.trim()).join("  |  ")}`,
});
