import type { Cancel } from "@smith/contract/cancel";
import type { CancelAccount } from "@smith/contract/dispatch";
import { AgentError, toAgentError } from "@smith/contract/error";
import { type TranscriptMessage, textOf } from "@smith/contract/message";
import type { Notice, TurnAs, TurnResult } from "@smith/contract/turn";
import { narrower, playTurn, type TurnEffects, type TurnEnd } from "@smith/engine";
import { type ExecutionContext, freezeContext } from "./context.ts";
import type { Entered } from "./conversation.ts";
import { type Demand, demanding, judge } from "./demand.ts";
import { budgetText } from "./ends.ts";
import { contentOf, imagesOf, noImages, type TurnInput } from "./input.ts";
import type { TurnMirror } from "./mirror.ts";
import type { Recovered } from "./recovery.ts";
import { tellEntered, tellRecovered } from "./resume.ts";
import { findScope } from "./scope.ts";
import { type OpenSeat, openSeat } from "./seat.ts";
import type { TurnWorld } from "./world.ts";

/** A line of the user's. */
export interface UserTurn {
  readonly input: TurnInput;
  readonly cancel: Cancel;
  readonly conversation_id?: string | undefined;
  /** What it runs as, other than the session does. */
  readonly as?: TurnAs | undefined;
  interject(): readonly string[];
  /** What the answer has to be. */
  readonly demand?: Demand | undefined;
  /** Names a conversation that begins with this turn; default: the user's own first words. */
  readonly label?: string | undefined;
  /** What opening had to say, for the first turn's result. */
  readonly notices: readonly Notice[];
}

/** A turn that has begun: open in the store, its context frozen. */
export interface BegunTurn {
  readonly context: ExecutionContext;
  readonly seat: OpenSeat;
  readonly started_at: number;
  /** What is to be told of the input. */
  readonly said: readonly string[];
  /** What entering the conversation had to do. */
  readonly entered: Pick<Entered, "recovered" | "unreadable">;
  /** What was completed of other conversations. */
  readonly left: readonly Recovered[];
  readonly demand: Demand | undefined;
  readonly label: string | undefined;
}

/** Chooses the model, works out the scope, opens the turn in the store. Throws when the turn may not begin. */
export async function beginTurn(
  { cancel, conversation_id, as, interject, notices, demand, label, ...turn }: UserTurn,
  world: TurnWorld,
): Promise<BegunTurn> {
  const { services } = world;
  await world.plugins.ready(); // a guard that is not there guards nothing
  const input = demand?.told(turn.input) ?? turn.input;
  const config = services.config.effective();
  const role = roleOf(as?.role ?? world.role(), services);
  const mode = narrower(config.mode, as?.mode ?? "full");
  const chosen = as?.model == null ? world.choose(role.name) : services.model.select(role, as.model);
  const [choice, scope] = await Promise.all([chosen, findScope(world.cwd(), config, world.findProject)]);
  const chat = await services.model.connect(choice);
  if (imagesOf(input).length > 0 && chat.takes_images !== true) throw noImages(choice);
  const content = await contentOf(input, world.pictures);
  const entered = await services.conversation.enter(conversation_id); // last: what it recovers must be told of
  const { project_id } = scope.project;
  const left = await services.conversation.completeAbandoned(project_id, entered.id);
  const started_at = world.now();
  const seat = await openSeat(
    {
      ...{ role, mode, config, conversation_id: entered.id, parent: null, job_id: null, task: null },
      ...{
        input: content,
        history: entered.history,
        first_seq: entered.first_seq,
        scope,
        choice,
        chat,
        cancel,
        interject,
        notices,
      },
      limits: { tool_step_budget: config.tool_step_budget ?? null, max_rounds: config.max_rounds ?? null },
    },
    world,
  );
  const context = freezeContext({
    ...{ session_id: world.session_id, turn_id: seat.turn_id, active_role: role.name, conversation_id: entered.id },
    ...{
      mode,
      cwd: scope.cwd,
      project: { ...scope.project, index: scope.index?.text ?? null },
      project_id,
    },
    ...{ config_snapshot: config, service_handles: services, cancel },
  });
  const said = typeof input === "string" ? [] : (input.notices ?? []);
  return { context, seat, started_at, said, entered, left, demand, label };
}

/** @throws {AgentError} `policy` for one that only runs as a job, or is none. */
function roleOf(name: string, services: TurnWorld["services"]) {
  const role = services.role.resolve(name);
  if (role.user_facing) return role;
  const those = services.role.list().filter((each) => each.user_facing);
  throw new AgentError({
    kind: "policy",
    code: "refused",
    origin: "runtime/turns",
    message: `${role.name} only runs as a job; a turn of yours runs as ${those.map(({ name: each }) => each).join(" or ")}.`,
  });
}

/** Plays a begun turn to its end and closes it in the store. Never throws. */
export async function playBegunTurn(begun: BegunTurn, world: TurnWorld): Promise<TurnResult> {
  const { context, seat } = begun;
  const { emit } = seat.effects;
  for (const text of begun.said) emit({ type: "notice", level: "warn", text });
  await tellEntered(begun.entered, world, emit);
  for (const each of begun.left) await tellRecovered(each, { bus: world.bus, emit, isElsewhere: true });
  const clock = watchAbort(context.cancel.signal, world);
  const mirror = await openMirror(begun, world);
  const effects = mirrored(seat.effects, mirror);
  const played = await playTurn(
    seat.request,
    begun.demand === undefined ? effects : demanding(effects, begun.demand, seat.messages),
  );
  const text = lastText(seat.messages);
  const { end, ...judged } = begun.demand === undefined ? { end: played } : judge(played, begun.demand, text);
  await seat.settle();
  const account = accountOf(end, begun, clock());
  if (end.which !== null) emit({ type: "notice", level: "warn", text: budgetText(end, context.config_snapshot) });
  if (end.which !== null) mirror?.meta({ type: "budget_exhausted", turn_id: seat.turn_id, which: end.which });
  const { stop_reason } = end;
  mirror?.meta({ type: "run_end", turn_id: seat.turn_id, stop_reason, usage: seat.turn_usage.total() });
  for (const line of seat.effects.interject()) emit({ type: "notice", level: "warn", text: lateLineText(line) });
  const persisted = await seat.close(end);
  const usage = seat.turn_usage;
  world.usage.add(usage.total(), usage.requests());
  for (const { target_role, usage: spent } of seat.gathered.dispatches()) world.usage.addChild(target_role, spent);
  await world.services.conversation.add(context.conversation_id, seat.messages);
  await name(begun, world);
  return {
    ...{ stop_reason: end.stop_reason, text, turn_id: seat.turn_id },
    ...{
      conversation_id: context.conversation_id,
      role: context.active_role,
      ...seat.answeredBy(),
    },
    ...{ rounds: end.rounds, tool_calls: end.tool_calls, duration_ms: world.now() - begun.started_at },
    usage: { ...usage.total(), children: usage.children() },
    dispatches: seat.gathered.dispatches(),
    cancel: account,
    error: end.error?.toJSON() ?? null,
    persisted,
    notices: seat.notices,
    messages: seat.messages,
    ...judged,
  };
}

/** With its beginning written: the line of the user's. Null when sessions are not mirrored. */
async function openMirror({ context, seat, label }: BegunTurn, world: TurnWorld): Promise<TurnMirror | null> {
  const { cwd, conversation_id, config_snapshot: config } = context;
  const dir = config.session_dir;
  if (dir === undefined) return null;
  const [user] = seat.messages;
  const input = user?.role === "user" ? textOf(user.content) : "";
  const mirror = (await world.mirror()).turn({
    ...{ dir, cwd, conversation_id, label: label ?? input.slice(0, 200) },
    warn: (text) => seat.effects.emit({ type: "notice", level: "warn", text }),
  });
  const history_size = seat.request.history.length - 1;
  const { turn_id } = seat;
  mirror.meta({ type: "run_start", conversation_id, turn_id, input_chars: input.length, history_size });
  if (user !== undefined) mirror.message(user);
  return mirror;
}

const mirrored = (effects: TurnEffects, mirror: TurnMirror | null): TurnEffects =>
  mirror === null
    ? effects
    : {
        ...effects,
        async append(message) {
          mirror.message(message);
          await effects.append(message);
        },
      };

/** Returns how long ago, in ms, the signal was aborted; 0 when it was not. */
function watchAbort(signal: AbortSignal, world: TurnWorld): () => number {
  let at: number | null = signal.aborted ? world.now() : null;
  signal.addEventListener("abort", () => (at = world.now()), { once: true });
  return () => (at === null ? 0 : world.now() - at);
}

function accountOf(end: TurnEnd, { context, seat }: BegunTurn, stopped_after_ms: number): CancelAccount | null {
  if (end.stop_reason !== "cancelled") return null;
  const reason = toAgentError(context.cancel.signal.reason).message;
  return { reason, nodes: seat.gathered.account({ role: context.active_role, job_id: null, stopped_after_ms }) };
}

/** Gives a conversation that began with this turn its label; a store that can't leaves it with the user's first words. */
async function name({ label, context, seat }: BegunTurn, { services }: TurnWorld): Promise<void> {
  if (label === undefined || seat.turn_id !== "t1") return;
  await services.persistence.conversation.rename(context.conversation_id, label).catch(() => false);
}

const lateLineText = (line: string): string =>
  `The turn ended before this line could be put in; say it again: ${JSON.stringify(line)}`;

function lastText(messages: readonly TranscriptMessage[]): string {
  const last = messages.findLast((message) => message.role === "assistant" && message.content.trim() !== "");
  return last?.role === "assistant" ? last.content : "";
}
