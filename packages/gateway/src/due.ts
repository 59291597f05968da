import { toAgentError } from "@smith/contract/error";
import type { Answer, Inbound, Receive, Watcher } from "./platform.ts";

/** The answers that an adapter still owes. */
export interface Due {
  /**
   * Has a message answered and the answer sent; resolves as soon as the message is written down. Who can't be taken in is
   * told why.
   */
  take(message: Inbound, outlet: Outlet): Promise<void>;
  /** Has something sent that answers no turn. */
  tell(chat_id: string, sent: Promise<unknown>): void;
  /** Resolves when nothing is owed, or with the signal. */
  settled(late: AbortSignal): Promise<void>;
}

export interface Outlet {
  readonly watcher?: Watcher;
  send(reply: string): Promise<void>;
}

/** @param complain is told of an answer that could not be sent. */
export function createDue(receive: Receive, complain: (line: string) => void): Due {
  const owed = new Set<Promise<void>>();
  const owe = (chat_id: string, sent: Promise<unknown>): void => {
    const kept = sent
      .then(() => {})
      .catch((thrown: unknown) => complain(`an answer to chat ${chat_id} was not sent: ${textOf(thrown)}`))
      .finally(() => owed.delete(kept));
    owed.add(kept);
  };
  return Object.freeze({
    take(message: Inbound, { watcher, send }: Outlet) {
      return new Promise<void>((resolve) => {
        const answered = receive(message, { ...watcher, accepted: resolve })
          .catch((thrown: unknown): Answer | null => refusalOf(thrown))
          .finally(resolve) // how long sending takes is no matter of who brings the messages
          .then(async (answer) => {
            if (answer !== null && answer.again !== true) await send(answer.reply);
          });
        owe(message.chat_id, answered);
      });
    },
    tell: owe,
    async settled(late: AbortSignal) {
      const over = new Promise<void>((resolve) => {
        if (late.aborted) resolve();
        else late.addEventListener("abort", () => resolve(), { once: true });
      });
      while (owed.size > 0 && !late.aborted) await Promise.race([Promise.all(owed), over]);
    },
  });
}

/** One who writes while the gateway closes is answered after the restart. */
function refusalOf(thrown: unknown): Answer | null {
  const { code, message } = toAgentError(thrown, "gateway/due");
  return code === "busy" ? { reply: message, usage: null } : null;
}

const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
