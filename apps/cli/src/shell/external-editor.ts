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

/** A text as it was edited, or why it could not be; null: left unchanged. */
export type EditedText = { readonly text: string } | { readonly fault: string } | null;

/**
 * Opens the text in the user's editor, which has the terminal to itself. Ends with the signal.
 * @param name of the file, from which the editor knows what it holds.
 */
export async function editText(
  text: string,
  name: string,
  { place, signal }: { readonly place: EditPlace; readonly signal?: AbortSignal },
): Promise<EditedText> {
  const editor = process.env["EDITOR"] || process.env["VISUAL"] || "vi";
  const folder = await mkdtemp(join(tmpdir(), "smith-edit-"));
  const file = join(folder, name);
  try {
    await writeFile(file, text, { mode: 0o600 });
    const ended = await runEditor(editor, file, place, signal);
    if (ended !== null) return { fault: `${editor}: ${ended}. EDITOR names the editor.` };
    const left = await readFile(file, "utf8");
    return left === text ? null : { text: left };
  } catch (thrown) {
    return { fault: thrown instanceof Error ? thrown.message : String(thrown) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Null: it ended well. */
async function runEditor(
  editor: string,
  file: string,
  { screen, keys, cwd }: EditPlace,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  keys.pause();
  screen.suspend();
  try {
    return await new Promise<string | null>((resolve) => {
      const command = `exec env ${editor} "$1"`;
      const child = spawn("sh", ["-c", command, "sh", file], { cwd, stdio: "inherit", ...(signal && { signal }) });
      child.once("error", ({ message }) => resolve(message));
      child.once("exit", (code, by) => resolve(code === 0 ? null : `exit ${code ?? by}`));
    });
  } finally {
    screen.resume();
    keys.resume();
  }
}
