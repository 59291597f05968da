import { type TranscriptMessage, textOf } from "@smith/contract/message";
import type { Store } from "@smith/contract/store";
import type { Place } from "./ledger.ts";

/** Reads what a stored turn was asked and answered; null when it is not there, or was cut off before its answer. */
export function createTurnReader(store: Store) {
  return async ({ conversation_id, turn_id }: Place): Promise<{ line: string; text: string } | null> => {
    const { messages } = await store.conversation.messages(conversation_id);
    const turn = messages.filter((message) => message.turn_id === turn_id);
    const [line, answer] = [turn[0], turn.at(-1)];
    if (line?.role !== "user" || answer === undefined || !isAnswer(answer)) return null;
    return { line: textOf(line.content), text: answer.content };
  };
}

const isAnswer = (message: TranscriptMessage): message is TranscriptMessage & { role: "assistant" } =>
  message.role === "assistant" && (message.tool_calls ?? []).length === 0 && message.is_error !== true;
