import { type Command, say } from "./command.ts";
import { config } from "./config.ts";
import { compact, context } from "./context.ts";
import { doctor } from "./doctor.ts";
import { jobs } from "./jobs.ts";
import { mcp } from "./mcp.ts";
import { memory, recall } from "./memory.ts";
import { models } from "./models.ts";
import { plugins } from "./plugins.ts";
import { policy, tools } from "./policy.ts";
import { search } from "./search.ts";
import { answering, effort, exit, fresh, mode, model, provider, role } from "./session.ts";
import { exportSession, fork, prompt } from "./session-more.ts";
import { clear, rename, resume } from "./session-place.ts";
import { deleteSession, sessions } from "./sessions.ts";
import { retry, undo } from "./undo.ts";
import { cost, tokens, usage } from "./usage.ts";
import { pager } from "./views.ts";

/** `/help`. */
const help: Command = {
  name: "help",
  summary: "list the commands",
  usage: [""],
  example: "help",
  doors: ["slash"],
  async run(_call, host) {
    const written = await host.user_commands.list();
    const rows = COMMANDS.filter((command) => command.doors.includes("slash"));
    const own = rows.map(({ name, aliases = [], summary }) => ({
      names: [name, ...aliases].map((each) => `/${each}`).join(", "),
      summary,
    }));
    const theirs = written.commands.map((command) => ({
      names: `/${command.name} ${command.arguments}`.trim(),
      summary: `${command.description} (${command.source === "user" ? "yours" : "this project's"})`,
    }));
    const roles = answering(host.policy).flatMap(({ name, base, description, source }) =>
      source === null ? [] : [{ names: `/role ${name}`, summary: `${description} (a role made of ${base})` }],
    );
    const width = Math.max(...[...own, ...theirs, ...roles].map(({ names }) => names.length));
    const lines = [...own, ...theirs, ...roles].map(({ names, summary }) => `${names.padEnd(width)}  ${summary}`);
    return say([...lines, ...written.warnings, "Anything else goes to the model. Ctrl-C cancels a turn."].join("\n"), [
      ...rows.map(({ name, aliases = [], summary, usage }) => ({ name, aliases, summary, usage })),
      ...written.commands.map(({ name, description, arguments: args }) => ({
        ...{ name, aliases: [], summary: description, usage: [args] },
      })),
    ]);
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
  provider,
  effort,
  tools,
  policy,
  mcp,
  plugins,
  jobs,
  sessions,
  search,
  memory,
  recall,
  resume,
  rename,
  fork,
  exportSession,
  deleteSession,
  clear,
  undo,
  retry,
  pager,
  context,
  compact,
  prompt,
  tokens,
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
