import { COMMANDS } from "@smith/commands";
import type { CommandHost } from "@smith/contract/command";
import { type Completion, complete } from "@smith/terminal";

export interface Completer {
  complete(text: string): Promise<Completion>;
}

/** Completion of commands with their arguments, and of `@file`. */
export function createCompleter(host: CommandHost): Completer {
  const own = COMMANDS.filter((command) => command.doors.includes("slash")).map((command) => ({
    name: command.name,
    ...(command.aliases === undefined ? {} : { aliases: command.aliases }),
    // Without a completion of its own a command gets what its name tells: models, conversations.
    ...(command.complete && { complete: (words: readonly string[]) => command.complete?.(words, host) ?? [] }),
  }));
  let written: readonly { readonly name: string }[] = [];
  const sources = {
    commands: () => [...own, ...written],
    configPaths: () => host.config.paths().map(({ path }) => path),
    models: () => modelsIn(host.config.get(null)),
    roles: () => host.policy.roles().map(({ name }) => name),
    conversations: async () => (await host.sessions.list({ children: false, all: false })).map(({ id }) => id),
    files: host.session.files,
  };
  return Object.freeze({
    async complete(text: string) {
      // Read when a name is being typed: a file may have come since.
      if (/^\s*\/\S*$/.test(text)) written = (await host.user_commands.list()).commands;
      return complete(text, sources);
    },
  });
}

/** The models that the configuration names: the default one, those of roles, and each provider's as `provider:model`. */
function modelsIn(config: unknown): readonly string[] {
  const { default_model, models, providers } = Object(config) as Readonly<Record<string, unknown>>;
  const ofProviders = Object.entries(Object(providers) as Readonly<Record<string, unknown>>).map(([name, provider]) => {
    const { model } = Object(provider) as { readonly model?: unknown };
    return typeof model === "string" ? `${name}:${model}` : null;
  });
  return [default_model, ...Object.values(Object(models) as object), ...ofProviders].filter(
    (name): name is string => typeof name === "string",
  );
}
