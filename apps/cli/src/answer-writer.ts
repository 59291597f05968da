import type { AgentEvent } from "@smith/contract/event";
import { createSafeStream } from "@smith/terminal";

/** Writes the answer of a turn as it streams, and keeps other lines from landing in the middle of it. */
export interface AnswerWriter {
  onEvent(event: AgentEvent): void;
  /** Ends the line that is being written, if one is. */
  breakLine(): void;
}

/** @param draw the text goes to a terminal: escape sequences in it are taken out. */
export function createAnswerWriter(write: (text: string) => void, draw: boolean): AnswerWriter {
  let safe = createSafeStream();
  let midLine = false;
  const put = (text: string) => {
    if (text === "") return;
    write(text);
    midLine = !text.endsWith("\n");
  };
  const breakLine = () => {
    if (draw) put(safe.end());
    if (midLine) put("\n");
  };
  return Object.freeze({
    breakLine,
    onEvent(event: AgentEvent) {
      if (event.source_role !== undefined) return; // a child's words are for its parent
      if (event.type === "llm_text_delta") put(draw ? safe.write(event.text) : event.text);
      else if (
        event.type === "llm_request_completed" ||
        event.type === "llm_request_cancelled" ||
        event.type === "turn_failed"
      ) {
        breakLine();
        safe = createSafeStream();
      }
    },
  });
}
