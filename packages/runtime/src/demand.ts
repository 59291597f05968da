import { toAgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import type { TurnEffects, TurnEnd } from "@smith/engine";
import type { TurnInput } from "./input.ts";

/** An answer that is asked for as a value. */
export interface Demand {
  /** The input with what is asked for put under it. */
  told(input: TurnInput): TurnInput;
  /** What to say to the model when its last answer does not fit; nothing when it fits, or when it was told so twice. */
  complaints(messages: readonly TranscriptMessage[]): readonly string[];
  /** @throws {AgentError} `schema`/`output_schema` when the text is no such value. */
  read(text: string): unknown;
}

/** An answer that does not fit is followed by a line that says so, as if the user had steered. */
export const demanding = (
  effects: TurnEffects,
  demand: Demand,
  messages: readonly TranscriptMessage[],
): TurnEffects => ({
  ...effects,
  interject() {
    const lines = effects.interject();
    return lines.length > 0 ? lines : demand.complaints(messages);
  },
});

/** What was asked for, of a turn that came to its end; one without it ends in an error. */
export function judge(end: TurnEnd, demand: Demand, text: string): { end: TurnEnd; output: unknown } {
  if (end.stop_reason !== "completed") return { end, output: null };
  try {
    return { end, output: demand.read(text) };
  } catch (thrown) {
    return { end: { ...end, stop_reason: "error", error: toAgentError(thrown, "runtime/demand") }, output: null };
  }
}
