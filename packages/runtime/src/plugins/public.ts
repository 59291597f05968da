import type { Settings } from "../config/settings.ts";
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

/** What the user is told of them: in one line what could not be had, then what they printed. */
export const pluginWarnings = (plugins: Plugins | null): readonly string[] => {
  if (plugins === null) return [];
  const { errors, said } = plugins;
  return [...(errors.length === 0 ? [] : [`plugins: ${pluginErrorsSummary(errors)}`]), ...said];
};

/** The plugins of a session. */
export interface PluginsAtHand {
  /** Loads them when it is first called; null: none are configured. */
  open(): Promise<Plugins | null>;
  dispose(): Promise<void>;
}

/** Nothing of it is loaded where none are configured. */
export function lazyPlugins(settings: Settings, cwd: () => string, session: PluginSession): PluginsAtHand {
  let opened: Promise<Plugins | null> | null = null;
  return Object.freeze({
    open() {
      opened ??=
        settings.effective().plugins.length === 0
          ? Promise.resolve(null)
          : import("./from-config.ts").then(({ pluginsFromConfig }) => pluginsFromConfig(settings, cwd(), session));
      return opened;
    },
    dispose: async () => (await opened)?.dispose(),
  });
}
