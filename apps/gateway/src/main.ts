import { dirname } from "node:path";
import { AgentError } from "@smith/contract/error";
import { chatOptions, runGateway } from "@smith/gateway";
import { createRuntime, findPaths } from "@smith/runtime";

/** The chat gateway as a program of its own: its arguments are the platforms. */
async function main(platforms: readonly string[]): Promise<number> {
  const paths = findPaths(process.env);
  const cwd = process.cwd();
  const runtime = createRuntime({
    ...{ cwd: () => cwd, env: process.env, user_file: paths.user_config, user_folder: dirname(paths.user_config) },
    ...{ database: paths.database, ...chatOptions },
  });
  return runGateway({ runtime, platforms, env: process.env, cwd, say });
}

/** Control characters of a name or an error must not reach a terminal. */
const say = (line: string) => void process.stderr.write(`smith-gateway: ${line.replaceAll(/\p{Cc}+/gu, " ")}\n`);

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  const isOurs = thrown instanceof AgentError && thrown.kind !== "internal";
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  say(isOurs ? message : `internal error: ${message}. This is a fault of smith; please report it.`);
  process.exitCode = isOurs ? 2 : 1;
}
process.exit();
