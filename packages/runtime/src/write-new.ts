import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { AgentError } from "@smith/contract/error";

/**
 * Writes a file that is not there yet. Returns its path.
 * @throws {AgentError} `persistence`/`file_exists` or `write_failed`.
 */
export async function writeNew(path: string, text: string, cwd: string): Promise<string> {
  const file = resolve(cwd, path);
  try {
    await writeFile(file, text, { flag: "wx" });
    return file;
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? String(thrown);
    const exists = code === "EEXIST";
    throw new AgentError({
      kind: "persistence",
      code: exists ? "file_exists" : "write_failed",
      origin: "runtime/write-new",
      message: exists
        ? `${file} is there already and was left as it is. Name another file.`
        : `${file} can't be written (${code}). Name a file in a folder that is there.`,
    });
  }
}
