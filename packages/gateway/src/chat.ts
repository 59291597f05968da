import { createBook } from "./book.ts";
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
import type { Answer, Inbound, Receive, Watcher } from "./platform.ts";
import { createTalk, type TalkPorts } from "./talk.ts";

/** What a chat needs of the gateway. */
export interface ChatPorts extends TalkPorts {
  /** Runs work when one of the gateway's places for turns is free. */
  slot<T>(work: () => Promise<T>): Promise<T>;
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

interface Queued {
  readonly message: Inbound;
  readonly answer: Promise<Answer>;
  /** Cancelled before its turn began. */
  isDropped: boolean;
}

/** Messages of a chat are answered one after the other, in the order they came. */
export function createChat(chat_id: string, ports: ChatPorts): Chat {
  const book = createBook(chat_id, ports.ledger, ports.keeps_text);
  const talk = createTalk(book, ports);
  const queue = new Set<Queued>();
  let tail: Promise<unknown> = Promise.resolve();

  const enqueue = (message: Inbound, watcher: Watcher): Promise<Answer> => {
    const taken = book
      .taken(message)
      .catch(() => {}) // without its place it is answered all the same
      .then(() => watcher.accepted?.());
    const answer = tail.then(async () => {
      await taken;
      if (commandOf(message.text) === "new") return startAfresh(message);
      return ports.slot(() => talk.answer({ message, watcher, isDropped: () => queued.isDropped }));
    });
    const queued: Queued = { message, answer, isDropped: false };
    queue.add(queued);
    const done = () => void queue.delete(queued);
    tail = answer.then(done, done);
    return answer;
  };
  const startAfresh = async (message: Inbound): Promise<Answer> => {
    await talk.startAfresh();
    await book.forgets(message);
    return { reply: FRESH_REPLY, usage: null };
  };
  /** How many were dropped before they began. */
  const cancel = async (reason: string): Promise<number> => {
    const waiting = [...queue].slice(talk.runningSince() === null ? 0 : 1);
    for (const queued of waiting) queued.isDropped = true;
    await talk.cancel(reason);
    return waiting.length;
  };

  const replyTo = (command: ChatCommand): string | Promise<string> => {
    const since = talk.runningSince();
    const isRunning = since !== null;
    const running_ms = since === null ? null : ports.now() - since;
    if (command === "start") return GREETING;
    if (command === "help") return HELP_REPLY;
    if (command === "cancel") return cancel("cancelled in the chat").then((dropped) => cancelReply(isRunning, dropped));
    if (command !== "status") return UNKNOWN_REPLY;
    return statusReply({ running_ms, waiting: queue.size - (isRunning ? 1 : 0), turns: talk.turns() });
  };

  return Object.freeze({
    async receive(message: Inbound, watcher: Watcher = {}) {
      const { message_id } = message;
      const same = [...queue].find((queued) => message_id !== null && queued.message.message_id === message_id);
      const command = commandOf(message.text);
      const isForNow = command !== null && command !== "new";
      if (same === undefined && !isForNow) return enqueue(message, watcher); // at once, to keep the order
      watcher.accepted?.();
      if (same !== undefined) return { ...(await same.answer), again: true };
      return { reply: await replyTo(command ?? "unknown"), usage: null };
    },
    waiting: () => queue.size,
    cancel: async (reason: string) => void (await cancel(reason)),
    close: talk.close,
  });
}
