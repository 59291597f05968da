import { explainMisuse } from "@smith/commands";
import type { CommandAnswer } from "@smith/contract/command";
import type { Runtime } from "@smith/runtime";
import { safeText } from "@smith/terminal/safe";
import type { Args, Subcommand } from "./args.ts";
import { setUp } from "./setup.ts";

/** Runs a subcommand: its lines, or with `--json` its data, on stdout. Returns the exit code. */
export async function runSubcommand({ command, words, flags }: Subcommand, args: Args): Promise<number> {
  // `--role` and `--mode` beside a subcommand ask about a role; they are no configuration of this run.
  const { role, mode, ...plain } = args;
  const runtime = setUp(plain);
  if (command.name === "doctor" && words.length === 0) return diagnose(runtime, flags["json"] === true);
  const { host, notices } = await runtime.start();
  for (const notice of notices) process.stderr.write(`smith: ${safeText(notice.text)}\n`);
  const asked = { ...(role === undefined ? {} : { role }), ...(mode === undefined ? {} : { mode }), ...flags };

  const answer = await command.run({ words, flags: asked }, host);
  await runtime.close();
  const typed = Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name} ${value}`));
  const call = [command.name, ...words, ...typed].join(" ");
  const bare = words.length + typed.length === 0;
  return tell(explainMisuse(answer, { call, bare, help: `smith ${command.name} --help` }), flags["json"] === true);
}

/** What is broken may be what a start needs: so nothing is started before it was looked at. */
async function diagnose(runtime: Runtime, asJson: boolean): Promise<number> {
  const { showChecks } = await import("@smith/commands");
  const answer = showChecks(await runtime.diagnose());
  await runtime.close();
  return tell(answer, asJson);
}

/** Prints an answer; one that failed but has something to show is shown all the same. Returns the exit code. */
function tell({ say, data, notes = [], ok, misuse }: CommandAnswer, asJson: boolean): number {
  const failed = ok === false;
  if (asJson) for (const note of notes) process.stderr.write(`smith: ${safeText(note)}\n`);
  if (failed && (data ?? null) === null) process.stderr.write(`smith: ${safeText(say)}\n`);
  else if (asJson) process.stdout.write(`${JSON.stringify(data ?? null)}\n`);
  else if (say !== "") process.stdout.write(`${process.stdout.isTTY ? safeText(say) : say}\n`);
  if (!failed) return 0;
  return misuse === true ? 2 : 1;
}
