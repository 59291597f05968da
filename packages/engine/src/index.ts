export { type ContextLook, compactNow, lookAtContext, type OutRow } from "./context.ts";
export { type CheckGround, checkResult } from "./dispatch/check.ts";
export { createLocalRunner, type LocalRunnerPorts, type Seat } from "./dispatch/child.ts";
export { createJob, jobId, jobMessage } from "./dispatch/job.ts";
export { coerceEvidence, coerceReport, readReport } from "./dispatch/report.ts";
export { createDispatchResult } from "./dispatch/result.ts";
export { type Shown, shownIn } from "./dispatch/shown.ts";
export { playTurn, type TurnEffects, type TurnRequest } from "./engine.ts";
export { createEventBus, type EventBus, type Listener } from "./events/bus.ts";
export { type ModelQuery, type ModelTable, type ResolvedModel, resolveModel } from "./model/resolve.ts";
export { assemblePrompt, seedSystem } from "./prompt/assemble.ts";
export { type MemoryEntry, memoryBlock } from "./prompt/memory.ts";
export { modeBlock } from "./prompt/mode.ts";
export { type ProjectScope, projectBlock } from "./prompt/project.ts";
export { roleFrame } from "./prompt/roles.ts";
export { type SkillFolder, skillsBlock } from "./prompt/skills.ts";
export { createRoles, excessOf, type RoleDefinition, type RoleSpec, type Roles } from "./roles/catalog.ts";
export { checkTool, hasRow, matrixTools } from "./roles/matrix.ts";
export { type Caller, type Decision, decide, hasEffects, narrower, type PolicyOptions } from "./roles/policy.ts";
export { createDispatchTool, type DispatchPorts } from "./tools/dispatch.ts";
export { createExecutor } from "./tools/executor.ts";
export {
  blindWatch,
  type Changes,
  createReceiptBook,
  type ReceiptBook,
  type TreeWatch,
} from "./tools/receipts.ts";
export { createToolRegistry, type RoleTools, type ToolRegistry } from "./tools/registry.ts";
export { createReportTool, type ReportPorts, reportTool } from "./tools/report.ts";
export { runBatch, type Schedule } from "./tools/schedule.ts";
export { createSlots, type Slots } from "./tools/slots.ts";
export { canonical } from "./tools/steps/intend.ts";
export type { ExecutorPorts } from "./tools/work.ts";
export { createBudget, type Limits } from "./turn/budget.ts";
export { type Edges, NO_EDGES } from "./turn/edges.ts";
export type { FramingOptions } from "./turn/framing.ts";
export { createGathered, type Gathered } from "./turn/gather.ts";
export type { Keys } from "./turn/left-out.ts";
export { runTurn, type TurnEnd, type TurnPorts, type TurnStart } from "./turn/turn.ts";
export type { Standing } from "./turn/view.ts";
export type { WindowSettings } from "./turn/window.ts";
