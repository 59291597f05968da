import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Cancel } from "@smith/contract/cancel";
import type { Config } from "@smith/contract/config";
import { AgentError, toAgentError } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { TranscriptMessage, UserMessage } from "@smith/contract/message";
import type { ChatModel } from "@smith/contract/model";
import type { OpenTurn } from "@smith/contract/store";
import type { Notice, TurnResult } from "@smith/contract/turn";
import { type EventBus, playTurn, type RoleSpec, type RoleTools, type TurnEffects, type TurnEnd } from "@smith/engine";
import type { Services } from "./compose.ts";
import { type ExecutionContext, freezeContext } from "./context.ts";
import { policyOf } from "./host.ts";
import { createJournal, type Journal } from "./journal.ts";
import type { ModelChoice } from "./models.ts";
import { findScope, type Scope } from "./scope.ts";
import { createUsage, type UsageTracker } from "./usage.ts";

/** What is the same for every turn of a runtime. */
export interface TurnWorld {
  readonly session_id: string;
  readonly services: Services;
  readonly bus: EventBus;
  /** Of the whole session. */
  readonly usage: UsageTracker;
  now(): number;
  cwd(): string;
  role(): string;
  projectId(): string;
  choose(): Promise<ModelChoice>;
}

export interface TurnRequest {
  readonly input: string;
  readonly cancel: Cancel;
  readonly conversation_id?: string | undefined;
}

/** A turn that is open in the store, with everything it needs, frozen. */
export interface BegunTurn {
  readonly context: ExecutionContext;
  readonly turn_id: string;
  readonly user: UserMessage;
  readonly history: readonly TranscriptMessage[];
  readonly journal: Journal;
  readonly choice: ModelChoice;
  readonly chat: ChatModel;
  readonly role: RoleSpec;
  readonly tools: RoleTools;
  readonly scope: Scope;
  readonly notices: readonly Notice[];
}

/** Chooses the model, works out the scope, opens the turn in the store. Throws when the turn may not begin. */
export async function beginTurn({ input, cancel, conversation_id }: TurnRequest, world: TurnWorld): Promise<BegunTurn> {
  const { services } = world;
  const config = services.config.effective();
  const role = services.role.resolve(world.role());
  const [choice, scope, registry, entered] = await Promise.all([
    world.choose(),
    findScope(world.cwd(), config),
    services.tool.registry(),
    services.conversation.enter(conversation_id),
  ]);
  const chat = await services.model.connect(choice);
  const ts = world.now();
  const user = { role: "user" as const, content: input, round: 0, ts };
  const { open, error } = await openTurn(services, {
    conversation_id: entered.id,
    project_id: scope.project.project_id,
    role: role.name,
    ts,
    user,
  });
  const turn_id = open?.turn_id ?? nextTurnId(entered.history);
  const context = freezeContext({
    session_id: world.session_id,
    turn_id,
    active_role: role.name,
    conversation_id: entered.id,
    mode: config.mode,
    cwd: scope.cwd,
    project: scope.project,
    project_id: scope.project.project_id,
    config_snapshot: config,
    service_handles: services,
    cancel,
  });
  const lost = entered.unreadable === 0 ? [] : [unreadable(entered.unreadable)];
  return {
    ...{ context, turn_id, user: { ...user, turn_id }, history: entered.history, journal: createJournal(open, error) },
    ...{ choice, chat, role, tools: registry.forRole(role.name, policyOf(services.config)), scope, notices: lost },
  };
}

type Opening = Omit<Parameters<Services["persistence"]["turn"]["open"]>[0], "parent">;

/** A store that can't write costs the saving, not the turn; one that another process holds stops it. */
async function openTurn(
  services: Services,
  opening: Opening,
): Promise<{ open: OpenTurn | null; error: AgentError | null }> {
  try {
    return { open: await services.persistence.turn.open({ ...opening, parent: null }), error: null };
  } catch (thrown) {
    const error = toAgentError(thrown, "runtime/turns");
    if (error.code === "conversation_busy") throw error;
    return { open: null, error };
  }
}

const unreadable = (count: number): Notice => ({
  level: "warn",
  text: `${count} stored ${count === 1 ? "message" : "messages"} of this conversation can't be read and ${count === 1 ? "is" : "are"} left out.`,
});

const nextTurnId = (history: readonly TranscriptMessage[]): string =>
  `t${Number((history.at(-1)?.turn_id ?? "t0").slice(1)) + 1}`;

/** Plays a begun turn to its end and closes it in the store. Never throws. */
export async function playBegunTurn(begun: BegunTurn, world: TurnWorld): Promise<TurnResult> {
  const { context, turn_id, user, journal, choice, role } = begun;
  const { signal } = context.cancel;
  const log = createLog(begun, world);
  const onAbort = () => log.emit({ type: "turn_cancel_requested", reason: toAgentError(signal.reason).message });
  signal.addEventListener("abort", onAbort, { once: true });
  log.emit({ type: "turn_started", role: role.name, conversation_id: context.conversation_id });
  for (const { level, text } of begun.notices) log.emit({ type: "notice", level, text });
  const end = await play(begun, world, log);
  signal.removeEventListener("abort", onAbort);
  if (end.which !== null) log.emit({ type: "notice", level: "warn", text: budgetText(end, context.config_snapshot) });
  log.emit(endEvent(end));

  const { stop_reason, rounds, tool_calls } = end;
  const usage = log.usage.total();
  const { model, provider } = choice;
  const unsaved = await journal.close({ ts: world.now(), stop_reason, model, provider, rounds, tool_calls, usage });
  if (unsaved !== null) {
    log.emit({ type: "notice", level: "error", text: `The turn was answered but not saved: ${unsaved.message}` });
  }
  log.emit(unsaved === null ? { type: "turn_persisted" } : { type: "turn_persist_failed", error: unsaved });
  world.usage.add(usage);
  world.services.conversation.add(log.messages);
  return {
    ...{ stop_reason, text: lastText(log.messages), turn_id, conversation_id: context.conversation_id },
    ...{ role: role.name, model, provider, rounds, tool_calls, duration_ms: world.now() - user.ts },
    usage: { ...usage, children: log.usage.children() },
    dispatches: [],
    cancel: null,
    error: end.error?.toJSON() ?? null,
    persisted: unsaved === null,
    notices: log.notices,
    messages: log.messages,
  };
}

/** What a turn gathers while it runs. */
function createLog({ turn_id, user }: BegunTurn, world: TurnWorld) {
  const messages: TranscriptMessage[] = [user];
  const notices: Notice[] = [];
  const usage = createUsage();
  const emit = (body: EventBody) => {
    if (body.type === "notice") notices.push({ level: body.level, text: body.text });
    world.bus.emit(turn_id, body);
  };
  return { messages, notices, usage, emit };
}

function play(begun: BegunTurn, world: TurnWorld, log: ReturnType<typeof createLog>): Promise<TurnEnd> {
  const { context, turn_id, user, history, journal, choice, chat, role, tools, scope } = begun;
  const config = context.config_snapshot;
  const effects: TurnEffects = {
    emit: log.emit,
    now: world.now,
    hashFile,
    hashText: hash16,
    append: async (message) => {
      log.messages.push(message);
      await journal.append(message);
    },
    intend: journal.intend,
    onPartial: journal.partial,
    onUsage: log.usage.add,
  };
  const request = {
    system_prompt: world.services.prompt.build(role, tools, scope),
    history: [...history, user],
    chat,
    model: choice.model,
    sampling: samplingOf(config),
    tools,
    limits: { tool_step_budget: config.tool_step_budget ?? null, max_rounds: config.max_rounds ?? null },
    scope: { conversation_id: context.conversation_id, turn_id, cwd: scope.cwd, project_root: scope.project.root },
    signal: context.cancel.signal,
  };
  return playTurn(request, effects);
}

const samplingOf = ({ temperature, max_tokens, effort }: Config) => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(max_tokens === undefined ? {} : { max_tokens }),
  ...(effort === undefined ? {} : { effort }),
});

const budgetText = (end: TurnEnd, config: Readonly<Config>): string =>
  end.which === "max_rounds"
    ? `Stopped after ${config.max_rounds} model calls (max_rounds). Say "go on", or raise it.`
    : `Stopped after ${config.tool_step_budget} tool calls (tool_step_budget). Say "go on", or raise it.`;

function endEvent(end: TurnEnd): EventBody {
  if (end.stop_reason !== "error") return { type: "turn_completed", stop_reason: end.stop_reason };
  const error =
    end.error ?? new AgentError({ kind: "internal", message: "The turn ended in an error without a cause." });
  return { type: "turn_failed", error: error.toJSON() };
}

function lastText(messages: readonly TranscriptMessage[]): string {
  const last = messages.findLast((message) => message.role === "assistant" && message.content.trim() !== "");
  return last?.role === "assistant" ? last.content : "";
}

const hash16 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex").slice(0, 16);

async function hashFile(path: string): Promise<string | null> {
  try {
    return hash16(await readFile(path));
  } catch {
    return null; // no such file, or none that can be read: either way it has no hash to compare
  }
}
