import type { Command } from "./command.ts";
import { config } from "./config.ts";
import { compact, context } from "./context.ts";
import { doctor } from "./doctor.ts";
import { createHelp } from "./help.ts";
import { inspect } from "./inspect.ts";
import { jobs } from "./jobs.ts";
import { mcp } from "./mcp.ts";
import { memory, recall } from "./memory.ts";
import { models } from "./models.ts";
import { plugins } from "./plugins.ts";
import { policy, tools } from "./policy.ts";
import { search } from "./search.ts";
import { effort, exit, fresh, mode, model, provider, role } from "./session.ts";
import { exportSession, fork, prompt } from "./session-more.ts";
import { clear, rename, resume } from "./session-place.ts";
import { deleteSession, sessions } from "./sessions.ts";
import { retry, undo } from "./undo.ts";
import { cost, tokens, usage } from "./usage.ts";
import { pager } from "./views.ts";

const help = createHelp(() => COMMANDS.filter((command) => command.doors.includes("slash")));

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
  inspect,
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
