import { dirname } from "node:path";
import { type Config, isRequiredPlugin, OUTSIDE_ROLES } from "@smith/contract/config";
import type { Settings } from "../config/settings.ts";
import type { PluginEntry } from "./load.ts";
import { openPlugins, type PluginSession, type Plugins } from "./plugins.ts";

const entryOf = (each: Config["plugins"][number]): PluginEntry =>
  typeof each === "string"
    ? { entry: each, roles: OUTSIDE_ROLES, required: isRequiredPlugin(each) }
    : { entry: each.entry, roles: each.roles ?? OUTSIDE_ROLES, required: isRequiredPlugin(each) };

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
    bases: [await folderOf(settings, work_dir)],
  });
}

/**
 * Where the file that names the plugins is: a path in it means what lies beside it, in whichever folder Smith works. That
 * folder may be anybody's, a fresh clone for one: it counts only where no file names them.
 */
async function folderOf(settings: Settings, work_dir: string): Promise<string> {
  const { winner } = await settings.explain("plugins");
  const { user, project } = settings.files();
  if (winner === "user" && user != null) return dirname(user);
  // `.smith/config.json`: the project's root lies above it.
  return winner === "project" && project != null ? dirname(dirname(project)) : work_dir;
}
