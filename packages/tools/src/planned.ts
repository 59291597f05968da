import { plannedEdit } from "./edit.ts";
import { hashBytes } from "./text-file.ts";
import { plannedWrite } from "./write.ts";

/**
 * The hash that a file has after a call of `edit` or `write`, by its arguments and what was there before; null where that
 * can't be told. Tells a change of the call's from one that somebody else made later.
 * @param before null: there was no such file, or its bytes are not kept.
 */
export function plannedHash(tool: string, args: unknown, before: Uint8Array | null): string | null {
  const planned =
    tool === "write"
      ? plannedWrite(args)
      : tool === "edit" && before !== null
        ? plannedEdit(args, Buffer.from(before))
        : null;
  return planned === null ? null : hashBytes(planned);
}
