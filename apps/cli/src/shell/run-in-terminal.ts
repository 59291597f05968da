import { spawn } from "node:child_process";
import type { Keys, Screen } from "@smith/terminal";

/**
 * `!command`: the user's own command, with the terminal to itself. The model sees nothing of it.
 * Returns how it ended, where it did not end well; else an empty text.
 */
export async function runInTerminal(
  command: string,
  { screen, keys, cwd }: { readonly screen: Screen; readonly keys: Keys; readonly cwd: string },
): Promise<string> {
  keys.pause();
  screen.suspend();
  // Ctrl-C is the command's while it runs.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    return await new Promise<string>((resolve) => {
      const child = spawn("bash", ["-c", command], { cwd, stdio: "inherit" });
      child.once("error", ({ message }) => resolve(`bash can't be run: ${message}`));
      child.once("exit", (code, signal) => resolve(code === 0 ? "" : `exit ${code ?? signal}`));
    });
  } finally {
    process.off("SIGINT", ignore);
    screen.resume();
    keys.resume();
  }
}
