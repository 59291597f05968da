import { join } from "node:path";
import { placeOf, readWritten, refusedHead } from "@smith/commands";
import { CustomRole, RoleName } from "@smith/contract/config";

/** A role as its file has it. */
export interface RoleFile {
  readonly name: string;
  readonly role: CustomRole;
  /** The frame; null where the file has none below its keys. */
  readonly body: string | null;
  readonly file: string;
  /** The line of a key. */
  lineOf(key: string): number;
}

/** Reads `NAME.md` files of one folder. A string is why a file is none. */
export const readRoleFiles = (folder: string, names: readonly string[]): Promise<readonly (RoleFile | string)[]> =>
  Promise.all(names.map((name) => readOne(join(folder, name), name.slice(0, -".md".length))));

async function readOne(file: string, name: string): Promise<RoleFile | string> {
  const named = RoleName.safeParse(name);
  if (!named.success) return `${file} is no role: its name is ${name}: ${named.error.issues[0]?.message}.`;
  const written = await readWritten(file);
  if ("fault" in written) return `${placeOf(file, written.line)} ${written.fault}`;
  const parsed = CustomRole.safeParse(spread(written.head));
  if (!parsed.success) return refusedHead(file, written, parsed.error);
  const { body, lineOf } = written;
  return { name, role: parsed.data, body: body === "" ? null : body, file, lineOf: (key) => lineOf([key]) };
}

/** Lists may be written on one line, as `tools: read, code_grep`. */
function spread(head: unknown): unknown {
  if (typeof head !== "object" || head === null) return head;
  return Object.fromEntries(
    Object.entries(head).map(([key, value]) => {
      const isList = (key === "tools" || key === "dispatch_targets") && typeof value === "string";
      return [key, isList ? value.split(/[\s,]+/).filter((word) => word !== "") : value];
    }),
  );
}
