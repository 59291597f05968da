import { type AgentError, type AgentErrorData, toAgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import type { Intent, OpenTurn, TurnClosing } from "@smith/contract/store";

/** A turn's writes. None throws: when the disk won't take them, the turn goes on and the result says so. */
export interface Journal {
  append(message: TranscriptMessage): Promise<void>;
  intend(intent: Intent): Promise<void>;
  partial(text: string): void;
  /** Null when everything is on disk, else why not. What could not be written before is tried once more. */
  close(closing: TurnClosing): Promise<AgentErrorData | null>;
}

export function createJournal(turn: OpenTurn | null, openingError: AgentError | null): Journal {
  let unsaved: TranscriptMessage[] = [];
  let failure: AgentError | null = openingError;
  const append = async (message: TranscriptMessage) => {
    if (turn === null) return;
    if (unsaved.length > 0) {
      unsaved.push(message); // order first: nothing is written past a message that is missing
      return;
    }
    try {
      await turn.append(message);
    } catch (thrown) {
      unsaved.push(message);
      failure = toAgentError(thrown, "runtime/journal");
    }
  };
  const saveRest = async () => {
    const rest = unsaved;
    unsaved = [];
    for (const message of rest) await append(message);
  };
  return Object.freeze({
    append,
    async intend(intent: Intent) {
      try {
        await turn?.intend(intent);
      } catch (thrown) {
        failure = toAgentError(thrown, "runtime/journal");
      }
    },
    partial(text: string) {
      turn?.partial(text).catch(() => {}); // best effort: the whole message follows
    },
    async close(closing: TurnClosing) {
      if (turn === null) return failure?.toJSON() ?? null;
      try {
        await saveRest();
        if (unsaved.length > 0) return failure?.toJSON() ?? null;
        await turn.close(closing);
        return null;
      } catch (thrown) {
        return toAgentError(thrown, "runtime/journal").toJSON();
      }
    },
  });
}
