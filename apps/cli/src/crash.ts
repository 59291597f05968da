import { writeSync } from "node:fs";
import { maskSecrets, secretValues } from "@smith/contract/secret";
import { safeText } from "@smith/terminal/safe";

/** What nobody caught ends the process with one line, once everything else has left the terminal as it was. */
export function crash(thrown: unknown): never {
  process.once("exit", () => {
    try {
      writeSync(2, `smith: ${safeText(unforeseen(thrown))}\n`);
    } catch {
      // nobody listens any more
    }
  });
  process.exit(1);
}

/** What nobody foresaw, in one sentence. Whatever failed may have had a key at hand: none is shown. */
export function unforeseen(thrown: unknown): string {
  if (thrown instanceof Error && "code" in thrown && (thrown.code === "EMFILE" || thrown.code === "ENFILE")) {
    return `too many open files for this process (${thrown.code}). Raise the limit (ulimit -n 1024) and try again.`;
  }
  const message = maskSecrets(thrown instanceof Error ? thrown.message : String(thrown), secretValues(process.env));
  return `internal error: ${message}. This is a fault of smith; please report it.`;
}
