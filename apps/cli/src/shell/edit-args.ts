import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Keys, Screen } from "@smith/terminal";

export interface EditPlace {
  readonly screen: Screen;
  readonly keys: Keys;
  readonly cwd: string;
}

/** The arguments as they were edited; or why they can't be taken, with the text as it was left; null: left unchanged. */
export type EditedArgs = { readonly args: unknown } | { readonly fault: string; readonly text: string } | null;

/** Opens the text, JSON, in the user's editor, which has the terminal to itself. Ends with the signal. */
export async function editArgs(text: string, place: EditPlace, signal: AbortSignal): Promise<EditedArgs> {
  const editor = process.env["EDITOR"] || process.env["VISUAL"] || "vi";
  const folder = await mkdtemp(join(tmpdir(), "smith-edit-"));
  const file = join(folder, "arguments.json");
  try {
    await writeFile(file, text, { mode: 0o600 });
    const ended = await runEditor(editor, file, place, signal);
    if (ended !== null) return { fault: `${editor}: ${ended}. EDITOR names the editor.`, text };
    const left = await readFile(file, "utf8");
    return left === text ? null : parse(left);
  } catch (thrown) {
    return { fault: thrown instanceof Error ? thrown.message : String(thrown), text };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Null: it ended well. */
async function runEditor(
  editor: string,
  file: string,
  { screen, keys, cwd }: EditPlace,
  signal: AbortSignal,
): Promise<string | null> {
  keys.pause();
  screen.suspend();
  try {
    return await new Promise<string | null>((resolve) => {
      const command = `exec env ${editor} "$1"`;
      const child = spawn("sh", ["-c", command, "sh", file], { cwd, stdio: "inherit", signal });
      child.once("error", ({ message }) => resolve(message));
      child.once("exit", (code, by) => resolve(code === 0 ? null : `exit ${code ?? by}`));
    });
  } finally {
    screen.resume();
    keys.resume();
  }
}

function parse(text: string): EditedArgs {
  try {
    const args: unknown = JSON.parse(text);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) return { args };
    return { fault: "the arguments must be one JSON object", text };
  } catch (thrown) {
    return { fault: `no valid JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`, text };
  }
}
