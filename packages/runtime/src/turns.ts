import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Config } from "@smith/contract/config";
import { AgentError, toAgentError } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { TranscriptMessage, UserMessage } from "@smith/contract/message";
import type { ChatModel } from "@smith/contract/model";
import type { OpenTurn, Store } from "@smith/contract/store";
import type { Notice, TurnResult } from "@smith/contract/turn";
import {
  assemblePrompt,
  type EventBus,
  playTurn,
  projectBlock,
  type RoleTools,
  resolveRole,
  roleFrame,
  type ToolRegistry,
  type TurnEnd,
} from "@smith/engine";
import { createJournal } from "./journal.ts";
import type { ModelChoice } from "./models.ts";
import type { Project } from "./project.ts";
import { createUsage } from "./usage.ts";

/** One user line in one conversation. */
export interface Turn {
  readonly input: string;
  readonly conversation_id: string;
  readonly history: readonly TranscriptMessage[];
  readonly signal: AbortSignal;
}

/** What is the same for every turn of a runtime. */
export interface World {
  readonly config: Readonly<Config>;
  readonly cwd: string;
  readonly project: Project;
  readonly role: string;
  readonly choice: ModelChoice;
  readonly chat: ChatModel;
  readonly registry: ToolRegistry;
  readonly store: Store;
  readonly bus: EventBus;
  now(): number;
}

/** Opens the turn in the store, plays it, closes it. Throws only when the turn may not begin. */
export async function runOneTurn(turn: Turn, world: World): Promise<TurnResult> {
  const { now, project } = world;
  const started = now();
  const { open, error: openingError } = await openTurn(turn, world, started);
  const turn_id = open?.turn_id ?? nextTurnId(turn.history);
  const journal = createJournal(open, openingError);
  const user: UserMessage = { role: "user", content: turn.input, turn_id, round: 0, ts: started };
  const messages: TranscriptMessage[] = [user];
  const notices: Notice[] = [];
  const usage = createUsage();
  const emit = (body: EventBody) => {
    if (body.type === "notice") notices.push({ level: body.level, text: body.text });
    world.bus.emit(turn_id, body);
  };
  const onAbort = () => emit({ type: "turn_cancel_requested", reason: toAgentError(turn.signal.reason).message });
  turn.signal.addEventListener("abort", onAbort, { once: true });
  emit({ type: "turn_started", role: world.role, conversation_id: turn.conversation_id });

  const { mode, services } = world.config;
  const tools = world.registry.forRole(world.role, {
    mode,
    enabled: services.tool.enabled,
    extra: services.tool.extra,
  });
  const end = await playTurn(
    {
      system_prompt: systemPrompt(world, tools),
      history: [...turn.history, user],
      chat: world.chat,
      model: world.choice.model,
      sampling: samplingOf(world.config),
      tools,
      limits: limitsOf(world.config),
      scope: { conversation_id: turn.conversation_id, turn_id, cwd: world.cwd, project_root: project.root },
      signal: turn.signal,
    },
    {
      emit,
      now,
      hashFile,
      hashText: hash16,
      append: async (message) => {
        messages.push(message);
        await journal.append(message);
      },
      intend: journal.intend,
      onPartial: journal.partial,
      onUsage: usage.add,
    },
  );
  turn.signal.removeEventListener("abort", onAbort);
  if (end.which !== null) emit({ type: "notice", level: "warn", text: budgetText(end, world.config) });
  emit(endEvent(end));

  const { choice } = world;
  const closing = {
    stop_reason: end.stop_reason,
    rounds: end.rounds,
    tool_calls: end.tool_calls,
    usage: usage.total(),
  };
  const unsaved = await journal.close({ ...closing, ts: now(), model: choice.model, provider: choice.provider });
  if (unsaved !== null) {
    emit({ type: "notice", level: "error", text: `The turn was answered but not saved: ${unsaved.message}` });
  }
  emit(unsaved === null ? { type: "turn_persisted" } : { type: "turn_persist_failed", error: unsaved });
  return {
    stop_reason: end.stop_reason,
    text: lastText(messages),
    turn_id,
    conversation_id: turn.conversation_id,
    role: world.role,
    model: choice.model,
    provider: choice.provider,
    rounds: end.rounds,
    tool_calls: end.tool_calls,
    duration_ms: now() - started,
    usage: { ...closing.usage, children: {} },
    dispatches: [],
    cancel: null,
    error: end.error?.toJSON() ?? null,
    persisted: unsaved === null,
    notices,
    messages,
  };
}

/** A store that can't write costs the saving, not the turn; one that another process holds stops it. */
async function openTurn(
  turn: Turn,
  world: World,
  ts: number,
): Promise<{ open: OpenTurn | null; error: AgentError | null }> {
  try {
    const user = { role: "user" as const, content: turn.input, round: 0, ts };
    const { conversation_id } = turn;
    const { project_id } = world.project;
    const open = await world.store.turn.open({ conversation_id, project_id, parent: null, role: world.role, ts, user });
    return { open, error: null };
  } catch (thrown) {
    const error = toAgentError(thrown, "runtime/turns");
    if (error.code === "conversation_busy") throw error;
    return { open: null, error };
  }
}

const nextTurnId = (history: readonly TranscriptMessage[]): string => {
  const last = history.at(-1)?.turn_id ?? "t0";
  return `t${Number(last.slice(1)) + 1}`;
};

function systemPrompt({ role, cwd, project }: World, tools: RoleTools): string {
  const frame = roleFrame(resolveRole(role).prompt_profile, tools.names);
  const { root, origin, project_id } = project;
  return assemblePrompt([frame, projectBlock({ cwd, root, origin, normalized: origin, project_id, index: null })]);
}

const samplingOf = ({ temperature, max_tokens, effort }: Config) => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(max_tokens === undefined ? {} : { max_tokens }),
  ...(effort === undefined ? {} : { effort }),
});

const limitsOf = (config: Config) => ({
  tool_step_budget: config.tool_step_budget ?? null,
  max_rounds: config.max_rounds ?? null,
});

function budgetText(end: TurnEnd, config: Config): string {
  return end.which === "max_rounds"
    ? `Stopped after ${config.max_rounds} model calls (max_rounds). Say "go on", or raise it.`
    : `Stopped after ${config.tool_step_budget} tool calls (tool_step_budget). Say "go on", or raise it.`;
}

function endEvent(end: TurnEnd): EventBody {
  if (end.stop_reason !== "error") return { type: "turn_completed", stop_reason: end.stop_reason };
  const error =
    end.error ?? new AgentError({ kind: "internal", message: "The turn ended in an error without a cause." });
  return { type: "turn_failed", error: error.toJSON() };
}

function lastText(messages: readonly TranscriptMessage[]): string {
  for (const message of [...messages].reverse()) {
    if (message.role === "assistant" && message.content.trim() !== "") return message.content;
  }
  return "";
}

const hash16 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex").slice(0, 16);

async function hashFile(path: string): Promise<string | null> {
  try {
    return hash16(await readFile(path));
  } catch {
    return null; // no such file, or none that can be read: either way it has no hash to compare
  }
}
