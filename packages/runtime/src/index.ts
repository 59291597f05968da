export type { Beside, BesideOptions } from "./beside.ts";
export {
  composeServices,
  SERVICE_NAMES,
  type ServiceName,
  type ServiceOverrides,
  type Services,
  serviceOptions,
} from "./compose.ts";
export { configError } from "./config/file.ts";
export type { Layer } from "./config/merge.ts";
export { overrideLayer } from "./config/overrides.ts";
export { findPaths, type Paths } from "./config/paths.ts";
export type { ExecutionContext } from "./context.ts";
export type { Picture, TurnInput } from "./input.ts";
export { readSessionFile, type SessionLine, type SessionMeta } from "./mirror.ts";
export type { ModelChoice } from "./models.ts";
export type { RuntimeOptions, Started } from "./open.ts";
export { createRuntime, type Processed, type RunOptions, type Runtime } from "./runtime.ts";
export type { SessionState } from "./session.ts";
