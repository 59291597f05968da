import type { Message } from "@smith/contract/message";

/** Positions at which a round, or an answer without calls, has just ended: the cuts that part no call from its results. */
export function roundEnds(transcript: readonly Message[]): readonly number[] {
  const ends: number[] = [];
  let open = 0;
  transcript.forEach((message, index) => {
    if (message.role === "assistant") open = message.tool_calls?.length ?? 0;
    else if (message.role === "tool") open--;
    if (open <= 0 && message.role !== "system" && message.role !== "user") ends.push(index + 1);
  });
  return ends;
}
