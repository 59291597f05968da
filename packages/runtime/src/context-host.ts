import type { Cancel } from "@smith/contract/cancel";
import { AgentError } from "@smith/contract/error";
import type { ContextView, SessionHost } from "@smith/contract/session";
import { compactNow, lookAtContext, type OutRow } from "@smith/engine";
import type { Sendable } from "./conversation-marks.ts";
import { keepFraming } from "./framing.ts";
import type { ModelChoice } from "./models.ts";
import { openJobs, type Prepared, prepareRequest } from "./request.ts";
import { findScope } from "./scope.ts";
import type { TurnWorld } from "./world.ts";

/** Runs while no turn does. @throws {AgentError} `policy`/`turn_active`. */
export type Exclusive = <T>(work: (cancel: Cancel) => Promise<T>) => Promise<T>;

/** What commands see and change of what the model is sent. */
export function createContextHost(
  world: () => TurnWorld,
  exclusive: Exclusive,
): Pick<SessionHost, "context" | "compact" | "prompt"> {
  const here = () => world().services.conversation.current();
  return Object.freeze({
    prompt: async () => (await promptOf(here(), world())).system_prompt,
    context: (id: string) => viewOf(id, world()),
    compact: (focus: string | null) => exclusive((cancel) => compact(focus, cancel, world())),
  });
}

async function viewOf(id: string, world: TurnWorld): Promise<ContextView> {
  const choice = await world.choose(world.role()).catch(withoutModel);
  const sent = await world.services.conversation.context(id);
  const prepared = await prepare({ id, ...sent, choice }, world);
  const { out, ...look } = lookAtContext({ ...prepared, history: sent.history });
  const { context_window, threshold_pct } = prepared.framing.settings;
  return {
    ...{ conversation_id: id, model: choice?.model ?? null, ...look, out: out.map(rowOf) },
    ...{ context_window, limit_tokens: Math.floor((context_window * threshold_pct) / 100) },
    unreadable: sent.unreadable,
  };
}

async function promptOf(id: string | null, world: TurnWorld): Promise<Prepared> {
  const choice = await world.choose(world.role()).catch(withoutModel);
  return prepare({ id: id ?? "", history: [], first_seq: 1, choice }, world);
}

/** Looking needs no model; only the size of its window is not known then. */
function withoutModel(thrown: unknown): null {
  if (thrown instanceof AgentError && thrown.code === "no_model") return null;
  throw thrown;
}

const rowOf = ({ message, standing, chars, key }: OutRow): ContextView["out"][number] => ({
  role: message.role,
  name: message.role === "tool" ? message.name : null,
  turn_id: message.role === "system" ? null : message.turn_id,
  standing,
  chars,
  key,
});

async function compact(focus: string | null, cancel: Cancel, world: TurnWorld) {
  const { services } = world;
  const id = services.conversation.current();
  if (id === null) throw nothingYet();
  const choice = await world.choose(world.role());
  const { history, first_seq } = await services.conversation.enter(id);
  const { place, ...prepared } = await prepare({ id, history, first_seq, choice }, world);
  const chat = await services.model.connect(choice);
  const turn_id = history.at(-1)?.turn_id ?? "t0";
  const { edges, ...done } = await compactNow(
    { ...prepared, history, chat, model: choice.model, signal: cancel.signal },
    focus,
    { emit: (body) => world.bus.emit(turn_id, body), onUsage: world.usage.add, openJobs: () => openJobs(world) },
  );
  await keepFraming(edges, { ...place, now: world.now() }, services.persistence.note);
  return done;
}

async function prepare(
  { id, history, first_seq, choice }: Omit<Sendable, "unreadable"> & { id: string; choice: ModelChoice | null },
  world: TurnWorld,
): Promise<Prepared> {
  const config = world.services.config.effective();
  const role = world.services.role.resolve(world.role());
  const scope = await findScope(world.cwd(), config, world.findProject);
  return prepareRequest(
    { role, mode: config.mode, config, conversation_id: id, history, first_seq, scope, choice },
    world,
  );
}

const nothingYet = (): AgentError =>
  new AgentError({
    kind: "policy",
    code: "nothing_to_compact",
    origin: "runtime/context",
    message: "There is nothing to summarise yet: a session begins with its first line.",
  });
