import type { ToolOutcome } from "@smith/contract/tool";
import { printable } from "../fault.ts";

/** `1 file`, `2 files`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** ` under src`; nothing for the project root. */
export const underFolder = (shown: string): string => (shown === "." ? "" : ` under ${shown}`);

/** Remarks as the last lines of an answer. */
export const remarks = (notes: readonly string[]): readonly string[] => notes.map((note) => `[${note}]`);

/** Paths that could not be read, as one remark; none where all could. */
export function unreadNotes(unread: readonly (readonly [path: string, errno: string])[]): readonly string[] {
  const [first] = unread;
  if (first === undefined) return [];
  const [path, errno] = first;
  const why = errno === "EACCES" ? "permission denied" : errno;
  return [`${count(unread.length, "path")} could not be read, as ${printable(path)}: ${why}`];
}

/** An outcome as one line for people. */
export const summaryOf = ({ metadata, error }: ToolOutcome): string =>
  metadata?.["summary"]?.toString() ?? `error: ${error?.message.split("\n")[0]}`;
