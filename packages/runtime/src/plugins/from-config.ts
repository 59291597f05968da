import { dirname } from "node:path";
import { type Config, OUTSIDE_ROLES } from "@smith/contract/config";
import type { Settings } from "../config/settings.ts";
import type { PluginEntry } from "./load.ts";
import { openPlugins, type PluginSession, type Plugins } from "./plugins.ts";

const entryOf = (each: Config["plugins"][number]): PluginEntry =>
  typeof each === "string"
    ? { entry: each, roles: OUTSIDE_ROLES }
    : { entry: each.entry, roles: each.roles ?? OUTSIDE_ROLES };

/** Loads what the configuration names under `plugins`. */
export async function pluginsFromConfig(
  settings: Settings,
  work_dir: string,
  session: PluginSession,
): Promise<Plugins> {
  const { database } = settings.files();
  return openPlugins({
    entries: settings.effective().plugins.map(entryOf),
    session,
    data_dir: database == null ? null : dirname(database),
    bases: [...new Set([...(await foldersOf(settings)), work_dir])],
  });
}

/** Where the file that names the plugins is: a path in it means what lies beside it, in whichever folder Smith works. */
async function foldersOf(settings: Settings): Promise<readonly string[]> {
  const { winner } = await settings.explain("plugins");
  const { user, project } = settings.files();
  if (winner === "user" && user != null) return [dirname(user)];
  // `.smith/config.json`: the project's root lies above it.
  return winner === "project" && project != null ? [dirname(dirname(project))] : [];
}
