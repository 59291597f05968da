import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ConfirmRequest } from "@smith/contract/confirm";
import { type Change, textOf } from "./edit-preview.ts";

/** What an edit or a write would make of its file; or why it would be refused. Null: the call is none, or can't be shown. */
export type Planned = (Change & { readonly path: string }) | { readonly refused: string } | null;

/** Works on the file as it is now, with line ends as `\n`: it is to be looked at, the tool does it again by its own rules. */
export function plannedChange({ tool, args, files }: ConfirmRequest): Planned {
  const [path] = files ?? [];
  if (path === undefined || files?.length !== 1 || typeof args !== "object" || args === null) return null;
  const text = textOf(path);
  if (text === null) return null;
  const before = unix(text);
  const given = args as Given;
  if (tool === "write" && typeof given.content === "string") return { path, before, after: unix(given.content) };
  if (tool !== "edit") return null;
  const hash = hashOf(path);
  if (hash === null) return { refused: "there is no such file" };
  if (typeof given.hash === "string" && given.hash !== hash) {
    return { refused: "the file has changed since it was read" };
  }
  const after = typeof given.old_string === "string" ? byText(before, given) : byLines(before, given);
  return typeof after === "string" ? { path, before, after } : after;
}

type Given = Readonly<Record<string, unknown>>;
type After = string | { readonly refused: string } | null;

/** SHA-256 of the bytes, the first 16 hex digits; null for a file that can't be read, or is not there. */
function hashOf(path: string): string | null {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 16);
  } catch {
    return null; // it went away meanwhile: the edit will say so itself
  }
}

const unix = (text: string): string => text.replace(/\r\n/g, "\n");

function byText(before: string, { old_string, new_string, replace_all }: Given): After {
  if (typeof old_string !== "string" || typeof new_string !== "string" || old_string === "") return null;
  const parts = before.split(unix(old_string));
  if (parts.length === 1) return { refused: "the text to replace is not in the file" };
  if (parts.length > 2 && replace_all !== true) return { refused: "the text to replace is there more than once" };
  return parts.join(unix(new_string));
}

function byLines(before: string, { op, start_line, end_line, text }: Given): After {
  if (typeof start_line !== "number" || (text !== undefined && typeof text !== "string")) return null;
  const lines = before === "" ? [] : before.replace(/\n$/, "").split("\n");
  const end = typeof end_line === "number" ? end_line : start_line;
  const count = op === "insert" ? 0 : end - start_line + 1;
  if (start_line - 1 + count > lines.length || count < 0) return { refused: `the file has ${lines.length} lines` };
  const given =
    op === "delete"
      ? []
      : unix(text ?? "")
          .replace(/\n$/, "")
          .split("\n");
  lines.splice(start_line - 1, count, ...given);
  return lines.join("\n") + (before === "" || before.endsWith("\n") ? "\n" : "");
}
