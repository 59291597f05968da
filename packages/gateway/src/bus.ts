import { AgentError } from "@smith/contract/error";
import type { Platform } from "@smith/contract/platform";
import type { Runtime } from "@smith/runtime";
import pLimit from "p-limit";
import { type Chat, type ChatPorts, createChat } from "./chat.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { type Inbound, keyOf, type Receive } from "./platform.ts";
import type { Discreet } from "./reply.ts";
import { closing } from "./talk.ts";
import { createTurnReader } from "./turn-reader.ts";

/** What the bus keeps in memory, and how much may wait. */
export interface Caps {
  /** Messages of a conversation that are kept and sent. */
  readonly messages: number;
  /** Conversations, the one that was silent longest goes first; those at work stay. */
  readonly conversations: number;
  /** Turns at a time. */
  readonly turns: number;
  /** Messages that wait, of a chat and of all. */
  readonly chat_waiting: number;
  readonly waiting: number;
  /** Characters of all that wait. */
  readonly waiting_chars: number;
}

export const CAPS: Caps = Object.freeze({
  ...{ messages: 40, conversations: 200, turns: 16 },
  ...{ chat_waiting: 50, waiting: 1000, waiting_chars: 16_000_000 },
});

export interface Bus {
  readonly receive: Receive;
  /** What a platform's chats had sent before a restart and was not answered, as far as it was written down. */
  left(platform: Platform): Promise<readonly Inbound[]>;
  /** Takes nothing more in and waits for what is due, at most so long; then cancels what runs. */
  drain(ms: number): Promise<void>;
  /** Conversations in memory, and messages that wait. */
  size(): { readonly conversations: number; readonly waiting: number };
}

export interface BusParts {
  readonly runtime: Runtime;
  readonly discreet: Discreet;
  readonly caps?: Caps;
  readonly now?: () => number;
}

/** Every message of every platform comes through here: one stored conversation for each `platform:chat_id`. */
export async function createBus({ runtime, discreet, caps = CAPS, now = Date.now }: BusParts): Promise<Bus> {
  const { services, host } = await runtime.start();
  const { persistence: store } = services;
  const ledgers = new Map<Platform, Ledger>();
  const chats = new Map<string, Chat>();
  const due = new Set<Promise<unknown>>();
  const slots = pLimit(caps.turns);
  const turnAt = createTurnReader(store);
  let waiting_chars = 0;
  let isClosing = false;
  let isOver = false;

  const ledgerOf = (platform: Platform): Ledger => {
    const ledger = ledgers.get(platform) ?? createLedger(store.note, host.session.project(), platform);
    ledgers.set(platform, ledger);
    return ledger;
  };

  const portsOf = (message: Pick<Inbound, "platform" | "chat_id">): ChatPorts => ({
    ...{ ledger: ledgerOf(message.platform), discreet, turnAt, now },
    open: (conversation_id) =>
      runtime.beside({ max_messages: caps.messages, ...(conversation_id === null ? {} : { conversation_id }) }),
    label: async (conversation_id) => void (await store.conversation.rename(conversation_id, `gw:${keyOf(message)}`)),
    slot: (work) => slots(work),
    isOver: () => isOver,
    keeps_text: message.platform !== "webhook",
  });

  const chatOf = (message: Pick<Inbound, "platform" | "chat_id">): Chat => {
    const key = keyOf(message);
    const chat = chats.get(key) ?? createChat(message.chat_id, portsOf(message));
    chats.delete(key);
    chats.set(key, chat); // the last one is the one that spoke last
    evict(key);
    return chat;
  };

  const evict = (but: string): void => {
    for (const [key, chat] of chats) {
      if (chats.size <= caps.conversations) return;
      if (key === but || chat.waiting() > 0) continue;
      chats.delete(key);
      chat.close().catch(() => {}); // it is idle: there is nothing to end
    }
  };

  const receive: Receive = async (message, watcher) => {
    if (isClosing) throw closing();
    const chat = chatOf(message);
    if (chat.waiting() >= caps.chat_waiting || due.size >= caps.waiting || waiting_chars > caps.waiting_chars)
      throw busy();
    waiting_chars += message.text.length;
    const answer = chat.receive(message, watcher);
    due.add(answer);
    return await answer.finally(() => {
      due.delete(answer);
      waiting_chars -= message.text.length;
    });
  };

  return Object.freeze({
    receive,
    async left(platform: Platform) {
      const chats = await ledgerOf(platform).chats();
      const entries = chats.map(async (chat_id) => {
        const { waiting } = await ledgerOf(platform).read(chat_id);
        return waiting.map(({ id, user_id, text }) => ({ platform, chat_id, user_id, text, message_id: id }));
      });
      return (await Promise.all(entries)).flat();
    },
    async drain(ms: number) {
      isClosing = true;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      await Promise.race([Promise.allSettled(due), late]);
      clearTimeout(timer);
      isOver = true;
      await Promise.all([...chats.values()].map((chat) => chat.cancel("the gateway is closing")));
      await Promise.allSettled(due);
    },
    size: () => ({ conversations: chats.size, waiting: due.size }),
  });
}

const busy = (): AgentError =>
  new AgentError({
    kind: "policy",
    code: "busy",
    origin: "gateway/bus",
    retryable: true,
    message: "Too many messages are waiting. Send it again when some of them are answered.",
  });
