import type { EventBody } from "@smith/contract/event";
import type { SessionHost } from "@smith/contract/session";
import type { Conversation } from "@smith/contract/store";
import type { Entered } from "./conversation.ts";
import type { Recovered } from "./recovery.ts";
import type { TurnWorld } from "./world.ts";

/** What commands may change about where the next turn goes. */
export function createPlaceHost(
  find: (wanted: string) => Promise<Conversation>,
  world: () => TurnWorld,
): Pick<SessionHost, "startAfresh" | "conversation" | "resume" | "clear" | "last"> {
  const service = () => world().services.conversation;
  return Object.freeze({
    startAfresh: () => service().leave(),
    conversation: () => service().current(),
    async resume(wanted: string) {
      const found = await find(wanted);
      await resume(found.id, world());
      return (await world().services.persistence.conversation.get(found.id)) ?? found;
    },
    clear: () => service().clear(),
    last: () => service().last(world().projectId()),
  });
}

/** Goes on with a stored conversation from the next turn on, and tells what was recovered or is lost of it. */
export async function resume(id: string, world: TurnWorld): Promise<Entered> {
  const entered = await world.services.conversation.enter(id);
  const turn_id = entered.recovered?.turn.turn_id ?? entered.history.at(-1)?.turn_id ?? "t0";
  await tellEntered(entered, world, (body) => world.bus.emit(turn_id, body));
  const { unfinishedUndo } = await import("./undo-host.ts");
  const text = await unfinishedUndo(id, world.services.persistence);
  if (text !== null) world.bus.emit(turn_id, { type: "notice", level: "warn", text });
  return entered;
}

/** Tells what had to be done to a conversation when it was entered. @param emit where the notices go. */
export async function tellEntered(
  { recovered, unreadable }: Pick<Entered, "recovered" | "unreadable">,
  { bus }: Pick<TurnWorld, "bus">,
  emit: (body: EventBody) => void,
): Promise<void> {
  if (recovered !== null) await tellRecovered(recovered, { bus, emit });
  if (unreadable > 0) emit({ type: "notice", level: "warn", text: unreadableText(unreadable) });
}

export interface Telling {
  readonly bus: TurnWorld["bus"];
  /** Default: in the name of the recovered turn. */
  emit?(body: EventBody): void;
  /** It is not the conversation that is gone on with, so the line names it. */
  readonly isElsewhere?: boolean;
}

/** One event, and one line for people. */
export async function tellRecovered(
  recovered: Recovered,
  { bus, isElsewhere = false, emit = (body) => bus.emit(recovered.turn.turn_id, body) }: Telling,
): Promise<void> {
  const { turn, calls } = recovered;
  bus.emit(turn.turn_id, { type: "turn_recovered", rounds: turn.rounds, open_calls: calls.length });
  const { recoveredText } = await import("./recovery.ts");
  emit({ type: "notice", level: "warn", text: recoveredText(recovered, isElsewhere) });
}

const unreadableText = (count: number): string =>
  count === 1
    ? "One stored message of this conversation can't be read and is left out."
    : `${count} stored messages of this conversation can't be read and are left out.`;
