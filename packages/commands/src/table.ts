import { type Command, say } from "./command.ts";
import { config } from "./config.ts";
import { compact, context } from "./context.ts";
import { doctor } from "./doctor.ts";
import { jobs } from "./jobs.ts";
import { models } from "./models.ts";
import { policy, tools } from "./policy.ts";
import { exit, fresh, mode, model, role } from "./session.ts";
import { clear, rename, resume } from "./session-place.ts";
import { sessions } from "./sessions.ts";
import { cost, usage } from "./usage.ts";

/** `/help`. */
const help: Command = {
  name: "help",
  summary: "list the commands",
  usage: [""],
  example: "help",
  doors: ["slash"],
  async run() {
    const rows = COMMANDS.filter((command) => command.doors.includes("slash"));
    const names = rows.map((command) =>
      [command.name, ...(command.aliases ?? [])].map((name) => `/${name}`).join(", "),
    );
    const width = Math.max(...names.map((name) => name.length));
    const lines = rows.map((command, at) => `${(names[at] ?? "").padEnd(width)}  ${command.summary}`);
    return say(
      [...lines, "Anything else goes to the model. Ctrl-C cancels a turn."].join("\n"),
      rows.map((command) => ({
        name: command.name,
        aliases: command.aliases ?? [],
        summary: command.summary,
        usage: command.usage,
      })),
    );
  },
};

/** Every command, in the order `/help` lists them. */
export const COMMANDS: readonly Command[] = Object.freeze([
  help,
  config,
  role,
  mode,
  model,
  models,
  tools,
  policy,
  jobs,
  sessions,
  resume,
  rename,
  clear,
  context,
  compact,
  cost,
  usage,
  doctor,
  fresh,
  exit,
]);

export const findCommand = (name: string, door: "slash" | "cli"): Command | undefined =>
  COMMANDS.find(
    (command) => command.doors.includes(door) && (command.name === name || command.aliases?.includes(name) === true),
  );
