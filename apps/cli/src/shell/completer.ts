import { COMMANDS } from "@smith/commands";
import type { CommandHost } from "@smith/contract/command";
import { applyCompletion, complete, type EditorState } from "@smith/terminal";

export interface Completer {
  complete(editor: EditorState, text: string): Promise<EditorState>;
}

/** Completion of commands with their arguments, and of `@file`. */
export function createCompleter(host: CommandHost): Completer {
  const commands = COMMANDS.filter((command) => command.doors.includes("slash")).map((command) => ({
    name: command.name,
    ...(command.aliases === undefined ? {} : { aliases: command.aliases }),
    complete: (words: readonly string[]) => command.complete?.(words, host) ?? [],
  }));
  const sources = {
    commands: () => commands,
    configPaths: () => host.config.paths().map(({ path }) => path),
    roles: () => host.policy.roles(),
    conversations: async () => (await host.sessions.list({ children: false, all: false })).map(({ id }) => id),
    files: host.session.files,
  };
  return Object.freeze({
    complete: async (editor: EditorState, text: string) => applyCompletion(editor, await complete(text, sources)),
  });
}
