import type { Cancel } from "@smith/contract/cancel";
import type { Config, Mode } from "@smith/contract/config";
import { type AgentError, toAgentError } from "@smith/contract/error";
import type { EventSource } from "@smith/contract/event";
import { snapshot } from "@smith/contract/freeze";
import { type TranscriptMessage, textOf, type UserMessage } from "@smith/contract/message";
import type { ChatModel } from "@smith/contract/model";
import type { OpenTurn, TurnOpening } from "@smith/contract/store";
import type { Notice } from "@smith/contract/turn";
import {
  createSlots,
  type Gathered,
  type ReceiptBook,
  type RoleSpec,
  type RoleTools,
  type TurnEffects,
  type TurnEnd,
  type TurnRequest,
} from "@smith/engine";
import { keepFraming } from "./framing.ts";
import { hash16, hashFile } from "./hash.ts";
import { createJournal, type Journal } from "./journal.ts";
import { keepFile } from "./kept-outputs.ts";
import type { ModelChoice } from "./models.ts";
import type { TurnHooks } from "./plugins/hooks.ts";
import type { HookContext } from "./plugins/plugin.ts";
import { pluginWarnings } from "./plugins/public.ts";
import { openJobs, prepareRequest } from "./request.ts";
import type { Scope } from "./scope.ts";
import { type Answerer, closeTurn, createLog, failTurn, type Log, settle } from "./seat-log.ts";
import type { UsageTracker } from "./usage.ts";
import { seatKey, type TurnWorld } from "./world.ts";

/** What one turn is, the user's or a job's. */
export interface SeatSpec {
  readonly role: RoleSpec;
  readonly mode: Mode;
  readonly config: Readonly<Config>;
  readonly conversation_id: string;
  /** The conversation it was handed out from; null for the user's own. */
  readonly parent: string | null;
  readonly job_id: string | null;
  /** What the job is for; null in a turn of the user's. */
  readonly task: string | null;
  readonly input: UserMessage["content"];
  readonly history: readonly TranscriptMessage[];
  /** The sequence number of the first of them in the store; null when it is not sure. */
  readonly first_seq: number | null;
  readonly limits: TurnRequest["limits"];
  readonly scope: Scope;
  readonly choice: ModelChoice;
  readonly chat: ChatModel;
  readonly cancel: Cancel;
  /** Stamped on the events of a job. */
  readonly source?: EventSource;
  interject(): readonly string[];
  /** What was said before the turn and belongs into its result. */
  readonly notices?: readonly Notice[];
}

/** A turn that is open in the store, with all that the engine needs to play it. */
export interface OpenSeat {
  readonly turn_id: string;
  readonly request: TurnRequest;
  readonly effects: TurnEffects;
  readonly report_only: RoleTools;
  readonly gathered: Gathered;
  readonly receipts: ReceiptBook;
  readonly turn_usage: UsageTracker;
  readonly messages: readonly TranscriptMessage[];
  readonly notices: readonly Notice[];
  /** Who gave the last whole answer; the chosen one until there was any. */
  answeredBy(): Answerer;
  /** Waits, not for long, until it is known what its commands changed. */
  settle(): Promise<void>;
  /** Closes the turn in the store and tells of its end. Never throws; false when it could not be saved. */
  close(end: TurnEnd): Promise<boolean>;
}

/**
 * What fails once the turn is open closes it again: an open one would keep its conversation busy.
 * @throws {AgentError} `persistence`/`conversation_busy` when another process holds the conversation.
 */
export async function openSeat(spec: SeatSpec, world: TurnWorld): Promise<OpenSeat> {
  const ts = world.now();
  const user = { role: "user" as const, content: spec.input, round: 0, ts };
  const { conversation_id, parent, scope, role } = spec;
  const { project_id } = scope.project;
  const { open, error } = await openTurn({ conversation_id, project_id, parent, role: role.name, ts, user }, world);
  const turn_id = open?.turn_id ?? nextTurnId(spec.history);
  const log = createLog(spec, { ...user, turn_id }, world);
  const journal = createJournal(open, error);
  const onAbort = () =>
    log.emit({ type: "turn_cancel_requested", reason: toAgentError(spec.cancel.signal.reason).message });
  spec.cancel.signal.addEventListener("abort", onAbort, { once: true });
  const leave = () => {
    spec.cancel.signal.removeEventListener("abort", onAbort);
    world.seats.delete(seatKey({ conversation_id, turn_id }));
  };
  // Told before the request is made: that may wait for servers to start.
  log.emit({ type: "turn_started", role: role.name, conversation_id });
  try {
    return await prepareSeat(spec, { turn_id, log, journal, leave }, world);
  } catch (thrown) {
    leave();
    await failTurn(toAgentError(thrown, "runtime/seat"), { log, journal }, world);
    throw thrown;
  }
}

interface Begun extends Omit<Parts, "hooks"> {
  readonly turn_id: string;
  /** Takes away what stands elsewhere for the turn. */
  leave(): void;
}

async function prepareSeat(
  spec: SeatSpec,
  { turn_id, log, journal, leave }: Begun,
  world: TurnWorld,
): Promise<OpenSeat> {
  const { conversation_id, scope, config } = spec;
  const { signal } = spec.cancel;
  const tell = (sentences: readonly string[]) => {
    for (const text of sentences) log.emit({ type: "notice", level: "warn", text });
  };
  const warn = (sentences: readonly string[]) => tell(world.untold(sentences));
  warn(spec.choice.notices ?? []);
  const { place, ...prepared } = await prepareRequest(spec, world, {
    ...{ signal, warn },
    wait: (text) => log.emit({ type: "notice", level: "info", text }),
  });
  const request: TurnRequest = {
    ...prepared,
    history: [...spec.history, log.user],
    chat: spec.chat,
    model: spec.choice.model,
    limits: spec.limits,
    empty_retry: {
      max_retries: config.empty_response_retry_max_retries,
      backoff_ms: config.empty_response_retry_backoff_ms,
    },
    scope: {
      ...{ conversation_id, turn_id, project_id: scope.project.project_id, job_id: spec.job_id, mode: spec.mode },
      ...{ cwd: scope.cwd, project_root: scope.project.root },
    },
    signal,
  };
  const [{ receipts }, children] = [log, createSlots(() => config.services.dispatch.max_parallel)];
  const plugins = await world.plugins.open();
  const hooks =
    plugins?.hooksFor({ context: hookContext(spec, turn_id), signal, emit: log.emit, copy: snapshot }) ?? null;
  world.seats.set(seatKey(request.scope), { emit: log.emit, children, receipts, hooks, once: createOnce() });
  tell(pluginWarnings(plugins, world.untold));
  await hooks?.onRunStart({ input_chars: textOf(spec.input).length });
  const effects = effectsOf(spec, { log, journal, hooks }, world);
  return {
    ...{ turn_id, request, effects, report_only: onlyReport(prepared.tools) },
    ...{ gathered: log.gathered, receipts, turn_usage: log.usage, messages: log.messages, notices: log.notices },
    answeredBy: log.answeredBy,
    settle: () => settle(log, signal),
    async close(end: TurnEnd) {
      leave();
      await settle(log, signal);
      await hooks?.onRunEnd({ stop_reason: end.stop_reason, rounds: end.rounds });
      const edges = log.edges();
      if (edges !== null) await keepFraming(edges, { ...place, now: world.now() }, world.services.persistence.note);
      return closeTurn(end, { log, journal }, world);
    },
  };
}

/** A store that can't write costs the saving, not the turn; one that another process holds stops it. */
async function openTurn(
  opening: TurnOpening,
  world: TurnWorld,
): Promise<{ open: OpenTurn | null; error: AgentError | null }> {
  try {
    return { open: await world.services.persistence.turn.open(opening), error: null };
  } catch (thrown) {
    const error = toAgentError(thrown, "runtime/seat");
    if (error.code === "conversation_busy") throw error;
    return { open: null, error };
  }
}

const nextTurnId = (history: readonly TranscriptMessage[]): string =>
  `t${Number((history.at(-1)?.turn_id ?? "t0").slice(1)) + 1}`;

interface Parts {
  readonly log: Log;
  readonly journal: Journal;
  readonly hooks: TurnHooks | null;
}

function effectsOf(spec: SeatSpec, { log, journal, hooks }: Parts, world: TurnWorld): TurnEffects {
  return {
    hooks,
    emit: log.emit,
    now: world.now,
    hashFile,
    keepFile: (path) => keepFile(path, world.services.persistence),
    hashText: hash16,
    confirm: world.questions.forTurn(spec.task),
    processes: world.processes,
    receipts: log.receipts,
    append: async (message) => {
      log.messages.push(message);
      log.gathered.onMessage(message);
      await journal.append(message, message.role === "tool" ? log.receipts.take(message.tool_call_id) : []);
    },
    intend: journal.intend,
    loadBlob: world.pictures.load,
    onPartial: journal.partial,
    onUsage: log.usage.add,
    onEdges: log.onEdges,
    openJobs: () => openJobs(world),
    onResult: log.gathered.onResult,
    interject: spec.interject,
  };
}

const hookContext = (
  { scope, role, conversation_id, job_id, source, mode }: SeatSpec,
  turn_id: string,
): HookContext => ({
  ...{ work_dir: scope.cwd, project_root: scope.project.root, role: role.name, conversation_id, turn_id, job_id },
  ...{ parent_turn_id: source?.parent_turn_id ?? null, mode },
});

function createOnce(): () => boolean {
  let asked = false;
  return () => {
    const first = !asked;
    asked = true;
    return first;
  };
}

/** The same role with everything but `report` taken away. */
const onlyReport = (tools: RoleTools): RoleTools =>
  Object.freeze({
    ...tools,
    specs: tools.specs.filter((spec) => spec.name === "report"),
    names: tools.names.filter((name) => name === "report"),
    decide: (name: string) =>
      name === "report"
        ? tools.decide(name)
        : { decision: "deny" as const, rule: "only report is left", source: "session mode" as const },
  });
