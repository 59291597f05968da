import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { MODES } from "@smith/contract/config";
import type { UserCommand, UserCommands } from "@smith/contract/user-command";
import { z } from "zod";
import { placeOf, readWritten, refusedHead } from "./front-matter.ts";

/** Where command files are; a folder that is not there has none. Null: there is no such place. */
export interface CommandFolders {
  readonly user: string | null;
  readonly project: string | null;
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

const text = z.string().trim().min(1);
const Head = z.strictObject({
  description: text.optional(),
  arguments: text.optional(),
  model: text.optional(),
  role: text.optional(),
  mode: z.enum(MODES).optional(),
});

/**
 * The commands that users wrote: `NAME.md`, front matter and a prompt. The project's wins over the home's of the same name.
 * @param isTaken whether a name is one of Smith's own, which no file can take.
 */
export async function readUserCommands(
  { user, project }: CommandFolders,
  isTaken: (name: string) => boolean,
): Promise<UserCommands> {
  const [own, ofProject] = await Promise.all([
    readFolder(user, "user", isTaken),
    readFolder(project, "project", isTaken),
  ]);
  const named = new Map([...own.commands, ...ofProject.commands].map((command) => [command.name, command]));
  const commands = [...named.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { commands, warnings: [...own.warnings, ...ofProject.warnings] };
}

async function readFolder(
  folder: string | null,
  source: UserCommand["source"],
  isTaken: (name: string) => boolean,
): Promise<UserCommands> {
  const names = folder === null ? [] : await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".md")).sort();
  const read = await Promise.all(
    files.map((file) => readOne(join(folder ?? "", file), file.slice(0, -3), source, isTaken)),
  );
  return {
    commands: read.flatMap((each) => (typeof each === "string" ? [] : [each])),
    warnings: read.filter((each) => typeof each === "string"),
  };
}

/** The command, or why it is none. */
async function readOne(
  file: string,
  name: string,
  source: UserCommand["source"],
  isTaken: (name: string) => boolean,
): Promise<UserCommand | string> {
  if (!NAME.test(name))
    return `${file} is no command: its name has to be letters, digits, "_" and "-", a letter first.`;
  if (isTaken(name)) return `${file} is left out: /${name} is a command of Smith's own. Give the file another name.`;
  const written = await readWritten(file);
  if ("fault" in written) return `${placeOf(file, written.line)} ${written.fault}`;
  const { head, body } = written;
  if (body === "") return `${file} is left out: there is no prompt in it.`;
  const parsed = Head.safeParse(head);
  if (!parsed.success) return refusedHead(file, written, parsed.error);
  const { description, arguments: args, model, role, mode } = parsed.data;
  return {
    ...{ name, file, source, body, description: description ?? firstLine(body), arguments: args ?? "" },
    ...{ model: model ?? null, role: role ?? null, mode: mode ?? null },
  };
}

const firstLine = (body: string): string => {
  const line = body.split("\n", 1)[0]?.replace(/^#+\s*/, "") ?? "";
  return line.length > 60 ? `${line.slice(0, 59).toWellFormed()}…` : line;
};

/** The text behind `$ARGUMENTS`, the words behind `$1` to `$9`, `$` behind `$$`. Without any of them arguments are added at the end. */
export function expandCommand(body: string, typed: string, words: readonly string[]): string {
  let isUsed = false;
  const filled = body.replace(/\$(\$|ARGUMENTS\b|[1-9](?!\d))/g, (_whole, what: string) => {
    if (what === "$") return "$";
    isUsed = true;
    return what === "ARGUMENTS" ? typed : (words[Number(what) - 1] ?? "");
  });
  return isUsed || typed === "" ? filled : `${filled}\n\n${typed}`;
}
