export { configError } from "./config/file.ts";
export { type ConfigSources, type LoadedConfig, loadConfig } from "./config/load.ts";
export { overrideLayer } from "./config/overrides.ts";
export { findPaths, type Paths } from "./config/paths.ts";
export { createRuntime, type RunOptions, type Runtime, type RuntimeOptions } from "./runtime.ts";
