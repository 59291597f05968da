import type { CommandAnswer, CommandHost } from "@smith/contract/command";
import { nearest } from "@smith/contract/edit-distance";
import type { UserCommand, UserCommands } from "@smith/contract/user-command";
import { type Command, misuse, say } from "./command.ts";
import { answering } from "./session.ts";

/**
 * `/help`.
 * @param commands those that can be typed; asked for when it runs, for it is one of them.
 */
export function createHelp(commands: () => readonly Command[]): Command {
  const help: Command = {
    name: "help",
    summary: "list the commands, or tell all of one",
    usage: ["[COMMAND]"],
    example: "help config",
    doors: ["slash"],
    complete: (words) => (words.length <= 1 ? commands().map(({ name }) => name) : []),
    async run({ words }, host) {
      const [wanted, ...rest] = words;
      if (rest.length > 0) return misuse(help);
      const written = await host.user_commands.list();
      return wanted === undefined
        ? listAll(commands(), written, host)
        : helpOn(wanted.replace(/^\//, ""), commands(), written);
    },
  };
  return help;
}

function listAll(commands: readonly Command[], written: UserCommands, host: CommandHost): CommandAnswer {
  const own = commands.map(({ name, aliases = [], summary }) => ({ names: slashed([name, ...aliases]), summary }));
  const theirs = written.commands.map((command) => ({ names: callOf(command), summary: whose(command) }));
  const roles = answering(host.policy).flatMap(({ name, base, description, source }) =>
    source === null ? [] : [{ names: `/role ${name}`, summary: `${description} (a role made of ${base})` }],
  );
  const all = [...own, ...theirs, ...roles];
  const width = Math.max(...all.map(({ names }) => names.length));
  const lines = all.map(({ names, summary }) => `${names.padEnd(width)}  ${summary}`);
  return say([...lines, ...written.warnings, "Anything else goes to the model. Ctrl-C cancels a turn."].join("\n"), [
    ...commands.map(({ name, aliases = [], summary, usage }) => ({ name, aliases, summary, usage })),
    ...written.commands.map(({ name, description, arguments: args }) => ({
      ...{ name, aliases: [], summary: description, usage: [args] },
    })),
  ]);
}

const slashed = (names: readonly string[]): string => names.map((name) => `/${name}`).join(", ");
const callOf = (command: UserCommand): string => `/${command.name} ${command.arguments}`.trim();
const whose = ({ description, source }: UserCommand): string =>
  `${description} (${source === "user" ? "yours" : "this project's"})`;

function helpOn(wanted: string, commands: readonly Command[], written: UserCommands): CommandAnswer {
  const found = commands.find(({ name, aliases }) => name === wanted || aliases?.includes(wanted) === true);
  if (found !== undefined) return tellOf(found);
  const theirs = written.commands.find(({ name }) => name === wanted);
  if (theirs !== undefined) return say([whose(theirs), `  ${callOf(theirs)}`, `  ${theirs.file}`].join("\n"));
  const near = nearest(
    wanted,
    [...commands, ...written.commands].map(({ name }) => name),
  );
  const hint = near === null ? "" : ` Did you mean /${near}?`;
  return { ok: false, say: `There is no command /${wanted}.${hint} /help lists them.` };
}

function tellOf({ name, aliases = [], summary, usage, flags = [], example }: Command): CommandAnswer {
  const rows = flags.map((flag) => ({
    flag: `--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`,
    description: flag.description,
  }));
  const width = Math.max(0, ...rows.map(({ flag }) => flag.length));
  const lines = [
    summary,
    ...usage.map((line) => `  /${name} ${line}`.trimEnd()),
    ...rows.map(({ flag, description }) => `  ${flag.padEnd(width)}  ${description}`),
    `Example: /${example}`,
    ...(aliases.length === 0 ? [] : [`The same: ${slashed(aliases)}`]),
  ];
  return say(lines.join("\n"), { name, aliases, summary, usage, flags, example });
}
