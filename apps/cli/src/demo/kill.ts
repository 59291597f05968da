import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { AFTER, BREAK } from "./script.ts";

export interface KillPlace {
  readonly cwd: string;
  /** Stands in for the user's home: configuration and database are in it. */
  readonly home: string;
  readonly model: string;
  say(line: string): void;
}

/** A second smith is killed in the middle of its work, and a third one completes the turn it left behind. */
export async function killAndRecover(place: KillPlace): Promise<void> {
  const { say } = place;
  say(`\n3. The same once more in another process, and that one is killed: kill -9, nothing can be saved then.\n`);
  say(`> ${BREAK}\n`);
  await smith(["--new", "-p", BREAK, "--output", "jsonl"], place, (line, pid) => {
    if (/"type":"tool_execution_started".*"tool":"bash"/.test(line)) process.kill(pid, "SIGKILL");
  });
  say(`\nKilled, between an edit and the end of the tests. Now smith is started again, in the same session:\n`);
  say(`> ${AFTER}\n`);
  await smith(["-c", "-p", AFTER], place, (line) => say(line));
}

/** Its stderr is shown as it comes; each line of stdout is handed on. */
async function smith(
  args: readonly string[],
  { cwd, home, model, say }: KillPlace,
  onLine: (line: string, pid: number) => void,
): Promise<void> {
  const set = [`default_model=replay`, `llm_config.api_url=${model}`].flatMap((each) => ["--set", each]);
  const env = { PATH: process.env["PATH"], HOME: home, SMITH_HOME: join(home, "smith"), SMITH_NO_PROBE: "1" };
  const [, entry = ""] = process.argv;
  const child = spawn(process.execPath, [entry, ...args, ...set], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => child.kill("SIGKILL");
  process.once("exit", stop);
  createInterface({ input: child.stderr }).on("line", say);
  createInterface({ input: child.stdout }).on("line", (line) => onLine(line, child.pid ?? 0));
  await new Promise((resolve) => child.once("close", resolve));
  process.off("exit", stop);
}
