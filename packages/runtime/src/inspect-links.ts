import { type TranscriptMessage, textOf } from "@smith/contract/message";

/**
 * By position: the positions of all that is deleted with a message, so that what is left can be sent. A call goes with its
 * results and a result with its call and that one's other results; a line that opens a turn takes the turn along.
 */
export function linksOf(messages: readonly TranscriptMessage[]): readonly (readonly number[])[] {
  const turns = new Map<string, number[]>();
  for (const [at, { turn_id }] of messages.entries()) turns.set(turn_id, [...(turns.get(turn_id) ?? []), at]);
  const groups = callGroups(messages);
  return messages.map((message, at) => {
    const opensTurn = message.role === "user" && message.round === 0;
    return opensTurn ? (turns.get(message.turn_id) ?? [at]) : (groups[at] ?? [at]);
  });
}

/** By position: an answer with the results that follow it, for each of them the same list. */
function callGroups(messages: readonly TranscriptMessage[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  let open: number[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role !== "tool" || open.length === 0) open = [];
    open.push(at);
    groups.push(open);
    if (message.role === "user") open = [];
  }
  return groups;
}

/** The message with another text; pictures stay, what a provider wanted back word for word does not. */
export function withText(message: TranscriptMessage, text: string): TranscriptMessage {
  if (message.role === "user" && typeof message.content !== "string") {
    const pictures = message.content.filter(({ type }) => type === "image");
    return { ...message, content: [{ type: "text", text }, ...pictures] };
  }
  if (message.role !== "assistant") return { ...message, content: text };
  const { provider_data: _, ...rest } = message;
  return { ...rest, content: text };
}

/** A message in a few words: `your line`, `the answer`, `the call of read`, `the result of read`. */
export function nameOf(message: TranscriptMessage): string {
  if (message.role === "user") return "your line";
  if (message.role === "tool") return `the result of ${message.name}`;
  const names = (message.tool_calls ?? []).map(({ name }) => name);
  return names.length === 0 || textOf(message.content).trim() !== "" ? "the answer" : `the call of ${names.join(", ")}`;
}
