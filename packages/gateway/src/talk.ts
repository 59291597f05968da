import { AgentError, toAgentError } from "@smith/contract/error";
import { sleep } from "@smith/contract/wait";
import type { Beside } from "@smith/runtime";
import { type AgainPorts, answeredBefore } from "./again.ts";
import type { Book } from "./book.ts";
import type { Place } from "./ledger.ts";
import type { Answer, Inbound, Watcher } from "./platform.ts";
import { BUSY_REPLY, CANCELLED_REPLY, errorReply, replyOf } from "./reply.ts";
import { createWatch } from "./watch.ts";

/** What the turns of a chat need of the gateway. */
export interface TalkPorts extends AgainPorts {
  /** A session of the shared agent; null: with a fresh conversation. */
  open(conversation_id: string | null): Beside;
  /** Names a conversation in lists. */
  label(conversation_id: string): Promise<void>;
  /** Once there is no time left: nothing more begins, and what is cut off is not answered. */
  isOver(): boolean;
  now(): number;
}

/** A message on its way. */
export interface Item {
  readonly message: Inbound;
  readonly watcher: Watcher;
  /** Cancelled before its turn began. */
  readonly isDropped: () => boolean;
}

/** The conversation of a chat: one turn at a time. */
export interface Talk {
  /** Never rejects but with {@link closing}. */
  answer(item: Item): Promise<Answer>;
  /** Since when a turn runs, as `now`; null when none does. */
  runningSince(): number | null;
  /** Turns so far; null when nothing was said in this process. */
  turns(): number | null;
  cancel(reason: string): Promise<void>;
  startAfresh(): Promise<void>;
  close(): Promise<void>;
}

/** Ms that a turn waits for the conversation while another process has one in it, and between two looks. */
const BUSY_MS = 60_000;
const BUSY_LOOK_MS = 300;

export function createTalk(book: Book, ports: TalkPorts): Talk {
  let side: Beside | null = null;
  let turns: number | null = null;
  let runningSince: number | null = null;

  const enter = async (conversation_id: string | null): Promise<{ session: Beside; place: Place }> => {
    side ??= ports.open(conversation_id);
    const entered = await side.enter();
    turns = entered.turns;
    return {
      session: side,
      place: { conversation_id: entered.conversation_id, turn_id: `t${turns + 1}` },
    };
  };
  /** Into the chat's conversation, or into a fresh one when it has none or it is gone. */
  const enterOrBegin = async (conversation_id: string | null) => {
    try {
      return await enter(conversation_id);
    } catch (thrown) {
      if (!(thrown instanceof AgentError) || thrown.code !== "unknown_conversation") throw thrown;
      await side?.close();
      side = null;
      return await enter(null);
    }
  };

  const play = async ({ message, watcher, isDropped }: Item): Promise<Answer> => {
    const known = await book.entry();
    const before = await answeredBefore(message, known, ports);
    if (before !== null) return before;
    const { session, place } = await enterOrBegin(known.conversation_id);
    const isFresh = await book.begins(message, place);
    if (isDropped()) return await refuse(message, CANCELLED_REPLY);
    runningSince = ports.now();
    const unwatch = session.subscribe(createWatch(watcher, ports.discreet));
    const result = await session.run(message.text).finally(() => {
      unwatch();
      runningSince = null;
    });
    turns = Number(result.turn_id.slice(1));
    if (isFresh) await ports.label(result.conversation_id).catch(() => {}); // the name is for lists only
    if (ports.isOver() && result.stop_reason === "cancelled") throw closing();
    const reply = replyOf(result, ports.discreet);
    if (result.stop_reason === "error") {
      await book.forgets(message); // a failure is no answer: the same message may ask again
      return { reply, usage: result.usage };
    }
    const isWhole = result.stop_reason === "completed"; // then the turn itself holds the answer
    await book.answered(message, isWhole ? { ...place, turn_id: result.turn_id } : null, reply);
    return { reply, usage: result.usage };
  };

  /** Told, and not remembered: the same message may ask again. */
  const refuse = async (message: Inbound, reply: string): Promise<Answer> => {
    await book.forgets(message);
    return { reply, usage: null };
  };

  /** An answer, or `busy`: another process, maybe a shell, has a turn in the conversation. */
  const attempt = async (item: Item): Promise<Answer | "busy"> => {
    if (ports.isOver()) throw closing();
    if (item.isDropped()) return await refuse(item.message, CANCELLED_REPLY);
    try {
      return await play(item);
    } catch (thrown) {
      if (ports.isOver()) throw thrown;
      const { code, message } = toAgentError(thrown, "gateway/talk");
      return code === "conversation_busy" ? "busy" : await refuse(item.message, errorReply(message, ports.discreet));
    }
  };

  return Object.freeze({
    async answer(item: Item) {
      for (const since = ports.now(); ports.now() - since < BUSY_MS; await sleep(BUSY_LOOK_MS, NEVER)) {
        const answer = await attempt(item);
        if (answer !== "busy") return answer;
      }
      return await refuse(item.message, BUSY_REPLY);
    },
    runningSince: () => runningSince,
    turns: () => turns,
    cancel: async (reason: string) => void (await side?.cancel(reason)),
    async startAfresh() {
      await side?.close();
      side = null;
      turns = 0;
      await book.startsAfresh();
    },
    close: async () => void (await side?.close()),
  });
}

const NEVER = new AbortController().signal;

export const closing = (): AgentError =>
  new AgentError({
    kind: "cancelled",
    code: "closing",
    origin: "gateway/talk",
    message: "The gateway is closing. Send it again in a moment.",
  });
