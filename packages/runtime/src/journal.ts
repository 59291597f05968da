import { type AgentError, type AgentErrorData, toAgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import type { Receipt } from "@smith/contract/receipt";
import type { Intent, OpenTurn, TurnClosing } from "@smith/contract/store";

/** A turn's writes. None throws: when the disk won't take them, the turn goes on and the result says so. */
export interface Journal {
  append(message: TranscriptMessage, receipts?: readonly Receipt[]): Promise<void>;
  intend(intent: Intent): Promise<void>;
  partial(text: string): void;
  /** Null when everything is on disk, else why not. What an earlier write could not save is tried once more. */
  close(closing: TurnClosing): Promise<AgentErrorData | null>;
}

/** @param turn null when the turn could not be opened in the store: `openingError` says why. */
export function createJournal(turn: OpenTurn | null, openingError: AgentError | null): Journal {
  // The store keeps what a failed append held and writes it with the next one, so a failure needs no memory here.
  const attempt = (write: Promise<void> | undefined): Promise<void> => (write ?? Promise.resolve()).catch(() => {});
  return Object.freeze({
    append: (message: TranscriptMessage, receipts: readonly Receipt[] = []) => attempt(turn?.append(message, receipts)),
    intend: (intent: Intent) => attempt(turn?.intend(intent)),
    partial: (text: string) => void attempt(turn?.partial(text)),
    async close(closing: TurnClosing) {
      if (turn === null) return openingError?.toJSON() ?? null;
      try {
        await turn.close(closing);
        return null;
      } catch (thrown) {
        return toAgentError(thrown, "runtime/journal").toJSON();
      }
    },
  });
}
