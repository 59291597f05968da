import { isRequiredPlugin } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import type { Settings } from "../config/settings.ts";
import type { TurnWorld } from "../world.ts";
import type { LoadedPlugin, PluginError } from "./plugin.ts";
import type { PluginSession, Plugins } from "./plugins.ts";

// What is here is read at each start: it loads nothing of plugins before it is called.

/**
 * Loads plugins, as the configuration would. Nothing is thrown: what can't be loaded is an error.
 * @param base_dir the folder that relative paths and packages are looked for from.
 */
export const loadPlugins = async (
  entries: readonly string[],
  base_dir: string,
): Promise<{ readonly plugins: readonly LoadedPlugin[]; readonly errors: readonly PluginError[] }> =>
  (await import("./load.ts")).loadPlugins(entries, base_dir);

/** All of them in one line. */
export const pluginErrorsSummary = (errors: readonly PluginError[]): string =>
  errors.map(({ message }) => message).join("; ");

/** What the user has not been told of them yet: in one line what could not be had, then what they printed. */
export const pluginWarnings = (plugins: Plugins | null, untold: TurnWorld["untold"]): readonly string[] => {
  if (plugins === null) return [];
  const { errors, takeSaid } = plugins;
  return [...untold(errors.length === 0 ? [] : [`plugins: ${pluginErrorsSummary(errors)}`]), ...takeSaid()];
};

/** The plugins of a session. */
export interface PluginsAtHand {
  /** Loads them when it is first called; null: none are configured. */
  open(): Promise<Plugins | null>;
  /** Loads them if one is required. @throws {AgentError} `policy`/`required_plugin` when such a one can't be had. */
  ready(): Promise<void>;
  dispose(): Promise<void>;
}

/** Nothing of it is loaded where none are configured. */
export function lazyPlugins(settings: Settings, cwd: () => string, session: PluginSession): PluginsAtHand {
  let opened: Promise<Plugins | null> | null = null;
  const open = () => {
    opened ??=
      settings.effective().plugins.length === 0
        ? Promise.resolve(null)
        : import("./from-config.ts").then(({ pluginsFromConfig }) => pluginsFromConfig(settings, cwd(), session));
    return opened;
  };
  return Object.freeze({
    open,
    async ready() {
      if (!settings.effective().plugins.some(isRequiredPlugin)) return;
      const { unmet = [] } = (await open()) ?? {};
      if (unmet.length > 0) throw requiredPlugin(unmet);
    },
    dispose: async () => (await opened)?.dispose(),
  });
}

const requiredPlugin = (unmet: readonly PluginError[]): AgentError =>
  new AgentError({
    kind: "policy",
    code: "required_plugin",
    origin: "runtime/plugins",
    message: `Nothing runs without a plugin that is required: ${pluginErrorsSummary(unmet)}. Do what that says, or take it out of plugins.`,
  });
