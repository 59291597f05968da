import { Config } from "@smith/contract/config";
import { snapshot } from "@smith/contract/freeze";
import { checkLayer } from "./check.ts";
import { type ConfigFile, configError, readConfigFile } from "./file.ts";
import { deepMerge, type Layer } from "./merge.ts";

export interface ConfigSources {
  readonly user_file: string;
  /** `--config`: it must exist. */
  readonly must_exist: boolean;
  /** Flags and environment: above every file. */
  readonly ephemeral: Layer;
}

export interface LoadedConfig {
  readonly effective: Readonly<Config>;
  readonly user: ConfigFile | null;
}

/**
 * The effective configuration: defaults, user file, flags, lowest first; checked and frozen.
 * @throws {AgentError} `schema`/`config` that names file, line, column, the value and the mend.
 */
export async function loadConfig(sources: ConfigSources): Promise<LoadedConfig> {
  const user = await readConfigFile(sources.user_file);
  if (user === null && sources.must_exist) {
    throw configError(`--config ${sources.user_file}: there is no such file. Name an existing one.`);
  }
  const flags = checkLayer(deepMerge({}, sources.ephemeral));
  if (flags.length > 0) throw configError(flags.map((issue) => issue.message).join("\n"));
  const merged = deepMerge(user?.layer ?? {}, sources.ephemeral);
  return { effective: snapshot(Config.parse(merged)), user };
}
