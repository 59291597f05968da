import { AgentError, toAgentError } from "@smith/contract/error";
import type { TurnResult } from "@smith/contract/turn";
import type { Beside } from "@smith/runtime";
import { type AgainPorts, answeredBefore, digestOf } from "./again.ts";
import {
  type ChatCommand,
  cancelReply,
  commandOf,
  FRESH_REPLY,
  GREETING,
  HELP_REPLY,
  statusReply,
  UNKNOWN_REPLY,
} from "./commands.ts";
import type { Entry, Place } from "./ledger.ts";
import type { Answer, Inbound, Receive, Watcher } from "./platform.ts";
import { CANCELLED_REPLY, errorReply, replyOf } from "./reply.ts";
import { createWatch } from "./watch.ts";

/** What a chat needs of the gateway. */
export interface ChatPorts extends AgainPorts {
  /** A session of the shared agent; null: with a fresh conversation. */
  open(conversation_id: string | null): Beside;
  /** Names a conversation in lists. */
  label(conversation_id: string): Promise<void>;
  /** Runs work when one of the gateway's places for turns is free. */
  slot<T>(work: () => Promise<T>): Promise<T>;
  /** Once there is no time left: nothing more begins, and what is cut off is not answered. */
  isOver(): boolean;
  now(): number;
  /** Whether a message that waits is kept with its text, to be answered after a restart. */
  readonly keeps_text: boolean;
}

export interface Chat {
  readonly receive: Receive;
  /** Messages that are not answered yet. */
  waiting(): number;
  cancel(reason: string): Promise<void>;
  close(): Promise<void>;
}

interface Item {
  readonly message: Inbound;
  readonly watcher: Watcher;
  readonly answer: Promise<Answer>;
  /** Cancelled before its turn began. */
  dropped: boolean;
}

/** Messages of a chat are answered one after the other, in the order they came. */
export function createChat(chat_id: string, ports: ChatPorts): Chat {
  const items = new Set<Item>();
  let tail: Promise<unknown> = Promise.resolve();
  let entry: Promise<Entry> | null = null;
  let side: Beside | null = null;
  let turns: number | null = null;
  let running_since: number | null = null;

  const load = (): Promise<Entry> => {
    entry ??= ports.ledger.read(chat_id);
    entry.catch(() => {
      entry = null;
    });
    return entry;
  };
  const keep = async (): Promise<void> => ports.ledger.write(chat_id, await load()).catch(() => {}); // costs the memory of it, not the answer

  /** Goes into the chat's conversation, or into a fresh one when it has none or it is gone. */
  const enter = async (known: Entry): Promise<{ session: Beside; place: Place }> => {
    side ??= ports.open(known.conversation_id);
    try {
      const { conversation_id, turns: before } = await side.enter();
      turns = before;
      return { session: side, place: { conversation_id, turn_id: `t${before + 1}` } };
    } catch (thrown) {
      if (!(thrown instanceof AgentError) || thrown.code !== "unknown_conversation") throw thrown;
      await side.close();
      side = ports.open(null);
      const { conversation_id } = await side.enter();
      turns = 0;
      return { session: side, place: { conversation_id, turn_id: "t1" } };
    }
  };

  const play = async (item: Item): Promise<Answer> => {
    const { message, watcher } = item;
    const known = await load();
    const before = await answeredBefore(message, known, ports);
    if (before !== null) return before;
    const { session, place } = await enter(known);
    const isFresh = known.conversation_id !== place.conversation_id;
    known.conversation_id = place.conversation_id;
    const waiting = known.waiting.find(({ id }) => id === message.message_id);
    if (waiting !== undefined) waiting.place = place;
    if (isFresh || waiting !== undefined) await keep();
    if (item.dropped) return await forget(message, CANCELLED_REPLY);
    running_since = ports.now();
    const unwatch = session.subscribe(createWatch(watcher, ports.discreet));
    const result = await session.run(message.text).finally(() => {
      unwatch();
      running_since = null;
    });
    turns = Number(result.turn_id.slice(1));
    if (isFresh) await ports.label(result.conversation_id).catch(() => {}); // the name is for lists only
    if (ports.isOver() && result.stop_reason === "cancelled") throw closing();
    return settle(message, result, known);
  };

  const settle = async (message: Inbound, result: TurnResult, known: Entry): Promise<Answer> => {
    const reply = replyOf(result, ports.discreet);
    const { conversation_id, turn_id, usage, stop_reason } = result;
    if (message.message_id !== null) {
      known.waiting = known.waiting.filter(({ id }) => id !== message.message_id);
      const place = stop_reason === "completed" ? { conversation_id, turn_id } : null;
      known.answered.push({ id: message.message_id, place, reply: place === null ? reply : null });
      await keep();
    }
    return { reply, usage };
  };

  /** A turn that may not begin is told, and not remembered: it is asked for again by the same message. */
  const answerTo = async (item: Item): Promise<Answer> => {
    if (ports.isOver()) throw closing();
    if (item.dropped) return await forget(item.message, CANCELLED_REPLY);
    try {
      return await play(item);
    } catch (thrown) {
      if (ports.isOver()) throw thrown;
      return await forget(item.message, errorReply(toAgentError(thrown, "gateway/chat").message, ports.discreet));
    }
  };

  const forget = async ({ message_id }: Inbound, reply: string): Promise<Answer> => {
    const known = await load().catch(() => null);
    if (message_id !== null && known !== null) {
      known.waiting = known.waiting.filter(({ id }) => id !== message_id);
      await keep();
    }
    return { reply, usage: null };
  };

  /** Written before it is answered, so that a crash does not lose it. */
  const note = async ({ message_id, user_id, text }: Inbound): Promise<void> => {
    if (message_id === null) return;
    const known = await load();
    if (known.waiting.some(({ id }) => id === message_id)) return;
    const kept = ports.keeps_text ? text : "";
    known.waiting.push({ id: message_id, user_id, text: kept, digest: digestOf(text), place: null });
    await keep();
  };

  const enqueue = (message: Inbound, watcher: Watcher): Promise<Answer> => {
    const noted = note(message)
      .catch(() => {}) // without its place it is answered all the same
      .then(() => watcher.accepted?.());
    const answer = tail.then(async () => {
      await noted;
      return commandOf(message.text) === "new" ? startAfresh(message) : ports.slot(() => answerTo(item));
    });
    const item: Item = { message, watcher, answer, dropped: false };
    items.add(item);
    const done = () => void items.delete(item);
    tail = answer.then(done, done);
    return answer;
  };

  const startAfresh = async (message: Inbound): Promise<Answer> => {
    await side?.close();
    side = null;
    turns = 0;
    (await load()).conversation_id = null;
    return forget(message, FRESH_REPLY);
  };

  const cancel = async (reason: string): Promise<number> => {
    const waiting = [...items].slice(running_since === null ? 0 : 1);
    for (const item of waiting) item.dropped = true;
    await side?.cancel(reason);
    return waiting.length;
  };

  const replyTo = (command: ChatCommand): string | Promise<string> => {
    const isRunning = running_since !== null;
    const running_ms = running_since === null ? null : ports.now() - running_since;
    if (command === "start") return GREETING;
    if (command === "help") return HELP_REPLY;
    if (command === "cancel") return cancel("cancelled in the chat").then((dropped) => cancelReply(isRunning, dropped));
    if (command === "status") return statusReply({ running_ms, waiting: items.size - (isRunning ? 1 : 0), turns });
    return UNKNOWN_REPLY;
  };

  return Object.freeze({
    async receive(message: Inbound, watcher: Watcher = {}) {
      const same = [...items].find((item) => item.message.message_id !== null && isSame(item.message, message));
      const command = commandOf(message.text);
      const isForNow = command !== null && command !== "new";
      if (same === undefined && !isForNow) return enqueue(message, watcher); // at once, to keep the order
      watcher.accepted?.();
      if (same !== undefined) return { ...(await same.answer), again: true };
      return { reply: await replyTo(command ?? "unknown"), usage: null };
    },
    waiting: () => items.size,
    cancel: async (reason: string) => void (await cancel(reason)),
    async close() {
      await side?.close();
    },
  });
}

const isSame = (a: Inbound, b: Inbound): boolean => a.message_id === b.message_id;

export const closing = (): AgentError =>
  new AgentError({
    kind: "cancelled",
    code: "closing",
    origin: "gateway/chat",
    message: "The gateway is closing. Send it again in a moment.",
  });
