import { safeText } from "@smith/terminal/safe";
import type { Args, Subcommand } from "./args.ts";
import { setUp } from "./setup.ts";

/** Runs a subcommand: its lines, or with `--json` its data, on stdout. Returns the exit code. */
export async function runSubcommand({ command, words, flags }: Subcommand, args: Args): Promise<number> {
  // `--role` and `--mode` beside a subcommand ask about a role; they are no configuration of this run.
  const { role, mode, ...plain } = args;
  const runtime = setUp(plain);
  const { host, notices } = await runtime.start();
  for (const notice of notices) process.stderr.write(`smith: ${notice.text}\n`);
  const asked = { ...(role === undefined ? {} : { role }), ...(mode === undefined ? {} : { mode }), ...flags };

  const answer = await command.run({ words, flags: asked }, host);
  await runtime.close();
  const failed = answer.ok === false;
  if (failed) process.stderr.write(`smith: ${safeText(answer.say)}\n`);
  else if (flags["json"] === true) process.stdout.write(`${JSON.stringify(answer.data ?? null)}\n`);
  else if (answer.say !== "") process.stdout.write(`${process.stdout.isTTY ? safeText(answer.say) : answer.say}\n`);
  if (!failed) return 0;
  return answer.misuse === true ? 2 : 1;
}
