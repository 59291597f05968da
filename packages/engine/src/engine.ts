import type { EventBody } from "@smith/contract/event";
import type { Message, ToolCall, TranscriptMessage } from "@smith/contract/message";
import type { ChatModel, ChatRequest, Usage } from "@smith/contract/model";
import type { ToolContext, ToolResult } from "@smith/contract/tool";
import { openWindow } from "./context.ts";
import { seedSystem } from "./prompt/assemble.ts";
import { createExecutor } from "./tools/executor.ts";
import type { RoleTools } from "./tools/registry.ts";
import { runBatch, type Schedule } from "./tools/schedule.ts";
import type { ExecutorPorts } from "./tools/work.ts";
import { type AskOptions, createAsk } from "./turn/ask.ts";
import type { Limits } from "./turn/budget.ts";
import type { Edges } from "./turn/edges.ts";
import type { FramingOptions } from "./turn/framing.ts";
import { notRun } from "./turn/results.ts";
import { runTurn, type TurnEnd } from "./turn/turn.ts";

/** Everything one turn needs; the runtime fills it in. */
export interface TurnRequest {
  readonly system_prompt: string;
  /** Earlier messages and the user's new line, last. */
  readonly history: readonly Message[];
  readonly chat: ChatModel;
  readonly model: string;
  readonly sampling: Pick<ChatRequest, "temperature" | "max_tokens" | "effort">;
  readonly tools: RoleTools;
  readonly limits: Limits;
  readonly empty_retry: AskOptions["empty_retry"];
  /** How the transcript is fitted into the model's window. */
  readonly framing: FramingOptions;
  readonly scope: Omit<ToolContext, "call_id" | "signal" | "isCancelled" | "role">;
  readonly signal: AbortSignal;
  /** Rounds this turn has had before: for the numbers of rounds and messages only. */
  readonly rounds_before?: number;
}

/** Where a turn's effects go. `append`, `intend` and `onPartial` must not throw: saving may fail, the turn goes on. */
export interface TurnEffects
  extends Pick<
    ExecutorPorts,
    "hashFile" | "keepFile" | "hashText" | "intend" | "confirm" | "hooks" | "processes" | "receipts"
  > {
  emit(body: EventBody): void;
  now(): number;
  append(message: TranscriptMessage): Promise<void>;
  /** The bytes of a picture in a message; null when they are not kept any more. */
  loadBlob(hash: string): Promise<Uint8Array | null>;
  onPartial(text: string): void;
  onUsage(usage: Usage): void;
  /** What runs in the background, a line each; absent: nothing can. */
  openJobs?(): readonly string[];
  /** Where the window stands at the end of the turn. */
  onEdges(edges: Edges): void;
  /** Each result, in call order, before it is appended. */
  onResult(result: ToolResult): void;
  /** Lines that came in meanwhile, to be put in before the next round. */
  interject(): readonly string[];
}

/** Ties the loop to the model and the tools, and runs it to its end. Never throws. */
export async function playTurn(request: TurnRequest, effects: TurnEffects): Promise<TurnEnd> {
  const { tools, signal, scope, chat, model, sampling } = request;
  const { emit, now, loadBlob, onPartial, onUsage } = effects;
  emit({
    type: "prompt_built",
    system_bytes: Buffer.byteLength(request.system_prompt),
    tool_specs_bytes: Buffer.byteLength(JSON.stringify(tools.specs)),
  });
  const framing = openWindow(request, effects);
  const ask = createAsk({
    ...{
      chat,
      turn_id: scope.turn_id,
      model,
      tools: tools.specs,
      sampling,
      signal,
      empty_retry: request.empty_retry,
      framing,
      hooks: effects.hooks,
    },
    ...{ emit, now, loadBlob, onPartial, onUsage },
  });
  const execute = createExecutor({ ...effects, tools, scope, signal });
  const schedule = scheduleFor(request, execute);
  const history = seedSystem(request.history, request.system_prompt);
  const { limits, rounds_before = 0 } = request;
  const end = await runTurn(
    { turn_id: scope.turn_id, history, limits, rounds_before, signal, now },
    {
      ask,
      append: effects.append,
      interject: effects.interject,
      runTools: (calls, deliver) =>
        runBatch(calls, schedule, (result) => {
          effects.onResult(result);
          return deliver(result);
        }),
    },
  );
  effects.onEdges(framing.edges());
  if (end.which !== null) emit({ type: "budget_exhausted", which: end.which });
  return end;
}

const scheduleFor = (request: TurnRequest, run: (call: ToolCall) => Promise<ToolResult>): Schedule => ({
  isFree: (call) => isFree(call, request),
  run,
  skip: notRun,
  isCancelled: () => request.signal.aborted,
});

/** Decision 2: what has no side effects runs side by side; so does an explorer's bash, which must not mutate. */
function isFree(call: ToolCall, { tools }: TurnRequest): boolean {
  const tool = tools.get(call.name);
  if (tool === undefined || tool.side_effects === "none") return tool?.is_terminal !== true;
  return tools.base === "explorer" && call.name === "bash";
}
