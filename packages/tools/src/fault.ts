import { AgentError, type ErrorKind } from "@smith/contract/error";
import type { ToolOutcome } from "@smith/contract/tool";

/** An answer "no" for the model, with the mend in its words; thrown inside this package, a value outside of it. */
export const refusal = (code: string, message: string, kind: ErrorKind = "tool"): AgentError =>
  new AgentError({ kind, code, message, origin: "tools" });

const ERRNO: Readonly<Record<string, readonly [code: string, words: string]>> = {
  ENOENT: ["not_found", "does not exist"],
  ENOTDIR: ["not_directory", "has a parent that is a file, not a directory"],
  EEXIST: ["not_directory", "has a parent that is a file, not a directory"],
  EISDIR: ["is_directory", "is a directory"],
  EACCES: ["permission", "may not be accessed by this user (permission denied)"],
  EPERM: ["permission", "may not be changed by this user (operation not permitted)"],
  EROFS: ["permission", "is on a read-only file system"],
  ELOOP: ["symlink_loop", "is a symlink that leads back to itself"],
  ENAMETOOLONG: ["name_too_long", "has a name that is too long for the file system"],
  ENOSPC: ["disk_full", "could not be written: the disk is full"],
  EDQUOT: ["disk_full", "could not be written: the disk quota is used up"],
  ERR_INVALID_ARG_VALUE: ["bad_path", "holds a NUL character, which no path can"],
};

/** The `code` of a Node error (`ENOENT`), or undefined for anything else. */
export const errnoOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;

/** What was thrown as a refusal about `path`; a bug (no refusal, no errno) is thrown on for the executor to report. */
function toRefusal(thrown: unknown, path: string): AgentError {
  if (thrown instanceof AgentError) return thrown;
  const errno = errnoOf(thrown);
  if (errno === undefined) throw thrown;
  const known = ERRNO[errno];
  if (known !== undefined) return refusal(known[0], `${path} ${known[1]}.`);
  return refusal("io_error", `${path} could not be used: the system answered ${errno}.`);
}

/** Runs a file tool's work; a refusal or a system error about `path` becomes its failed outcome. */
export async function answering(path: string, work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (thrown) {
    // The edge of this package: a tool answers with values.
    const { kind, code, message } = toRefusal(thrown, printable(path));
    return { ok: false, content: "", error: { kind, code, message } };
  }
}

/** @throws {AgentError} `bad_text` for text with half a surrogate pair, which no file could hold as it is. */
export function requireText(field: string, text: string): void {
  if (text.isWellFormed()) return;
  const at = [...text].findIndex((c) => /[\ud800-\udfff]/.test(c) && c.length === 1);
  throw refusal(
    "bad_text",
    `${field} holds half a character (a lone surrogate, character ${at + 1}), which UTF-8 can't store. Nothing was written; send the text again.`,
  );
}

/** A name that is safe to print on one line: control and direction characters are shown as escapes. */
export const printable = (name: string): string =>
  name.replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
