export type { ConfigInput } from "@smith/contract/config";
export type { CancelAccount, DispatchResult } from "@smith/contract/dispatch";
export { AgentError, type AgentErrorData, ERROR_KINDS, type ErrorKind, toAgentError } from "@smith/contract/error";
export type { AgentEvent } from "@smith/contract/event";
export type { TranscriptMessage } from "@smith/contract/message";
export { type ChatModel, UNKNOWN_USAGE, type Usage } from "@smith/contract/model";
export type { AnyTool, Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
export type { TurnResult } from "@smith/contract/turn";
export { createEventBus, createExecutor, createToolRegistry, type Listener, type ToolRegistry } from "@smith/engine";
export {
  type Agent,
  type AgentEvents,
  type AgentResult,
  type AgentRunOptions,
  createAgent,
  createAgentWithPlugins,
  runAgent,
} from "./agent.ts";
export type { Beside, BesideOptions } from "./beside.ts";
export { composeServices } from "./compose.ts";
export { configError } from "./config/file.ts";
export type { Layer } from "./config/merge.ts";
export { overrideLayer } from "./config/overrides.ts";
export { findPaths, type Paths } from "./config/paths.ts";
export type { ExecutionContext } from "./context.ts";
export { defineTool, type ToolDefinition } from "./define-tool.ts";
export type { Demand } from "./demand.ts";
export type { HistoryMessage } from "./history.ts";
export type { Picture, TurnInput } from "./input.ts";
export { readSessionFile, type SessionLine, type SessionMeta } from "./mirror.ts";
export type { ModelChoice } from "./models.ts";
export type { RuntimeOptions, Started } from "./open.ts";
export type { OutputSchema } from "./output.ts";
export type {
  GuardAnswer,
  HookContext,
  LoadedPlugin,
  Plugin,
  PluginError,
  PluginHooks,
  PluginTool,
} from "./plugins/plugin.ts";
export { loadPlugins, pluginErrorsSummary } from "./plugins/public.ts";
export type { RunOptions } from "./run-options.ts";
export { createRuntime, type Processed, type Runtime } from "./runtime.ts";
export { SERVICE_NAMES, type ServiceName, type ServiceOverrides, type Services, serviceOptions } from "./services.ts";
export type { SessionState } from "./session.ts";
export { VERSION } from "./version.ts";
