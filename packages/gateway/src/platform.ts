import type { Platform } from "@smith/contract/platform";
import type { TurnResult } from "@smith/contract/turn";

/** One message that came in. */
export interface Inbound {
  readonly platform: Platform;
  readonly chat_id: string;
  readonly user_id: string;
  readonly text: string;
  /** The platform's own id of it: a second one of the same id gets the first one's answer. Null: there is none. */
  readonly message_id: string | null;
}

export interface Answer {
  /** Never empty, and nothing of this machine in it. */
  readonly reply: string;
  /** Null for what no model was asked for. */
  readonly usage: TurnResult["usage"] | null;
  /** The message was answered before; whoever sent it has the answer, or has lost it. */
  readonly again?: boolean;
}

/** What an adapter is told of a message that is being answered. A call that throws disturbs nobody. */
export interface Watcher {
  /** It is written down: from now on a crash does not lose it, where the platform's own id of it is known. */
  accepted?(): void;
  /** What goes on now, as a short line; nothing of this machine in it. */
  progress?(line: string): void;
  /** Text of the answer, a line at a time. */
  text?(lines: string): void;
}

/** Takes a message in. @throws {AgentError} `policy`/`busy` when too many wait, `cancelled` when the gateway is closing. */
export type Receive = (message: Inbound, watcher?: Watcher) => Promise<Answer>;

/** One chat platform. What it takes in goes to `receive`; what comes back it sends. */
export interface Adapter {
  readonly name: Platform;
  /** Resolves as soon as messages come in. A rejection leaves the other adapters running. */
  start(receive: Receive): Promise<void>;
  /**
   * Takes nothing more in, and resolves when the answers that are due are sent, or given up: `late` aborts when there is no
   * time left for them. Safe to call without a start.
   */
  stop(late: AbortSignal): Promise<void>;
  /** Sends an answer to a chat whose message came before a restart; absent: whoever asked is gone. */
  deliver?(chat_id: string, reply: string): Promise<void>;
}

/** What adapters report to: one line for whoever runs the gateway. */
export type Say = (line: string) => void;

/** The name of a chat's conversation in lists, and its key in memory. */
export const keyOf = ({ platform, chat_id }: Pick<Inbound, "platform" | "chat_id">): string => `${platform}:${chat_id}`;
