import { spawn } from "node:child_process";
import type { Keys, Screen } from "@smith/terminal";

/** `!command`: the user's own command, with the terminal to itself. The model sees nothing of it. */
export async function runInTerminal(
  command: string,
  { screen, keys, cwd }: { readonly screen: Screen; readonly keys: Keys; readonly cwd: string },
): Promise<void> {
  keys.pause();
  screen.suspend();
  // Ctrl-C is the command's while it runs.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    await new Promise<void>((resolve) => {
      const child = spawn("bash", ["-c", command], { cwd, stdio: "inherit" });
      child.once("error", () => resolve());
      child.once("exit", () => resolve());
    });
  } finally {
    process.off("SIGINT", ignore);
    screen.resume();
    keys.resume();
  }
}
