import { AgentError } from "@smith/contract/error";
import type { Message, ToolCall } from "@smith/contract/message";

/**
 * Checks what every endpoint demands of a transcript: a call has id, name and string arguments; no id is pending twice;
 * nothing is said before all results are in; every result answers a pending call; no call is left open.
 * @throws {AgentError} `protocol`/`bad_transcript`, naming the message; nothing was sent.
 */
export function checkTranscript(messages: readonly Message[]): void {
  const pending = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!pending.delete(message.tool_call_id)) {
        throw broken(index, `it answers the call ${message.tool_call_id}, which is not open`);
      }
      continue;
    }
    if (pending.size > 0)
      throw broken(index, `a ${message.role} message stands before the result of ${[...pending].join(", ")}`);
    for (const call of callsOf(message)) {
      checkCall(call, index);
      if (pending.has(call.id)) throw broken(index, `the call id ${call.id} is there twice`);
      pending.add(call.id);
    }
  }
  if (pending.size > 0) throw broken(messages.length - 1, `the call ${[...pending].join(", ")} has no result`);
}

/** The ids of all calls in a transcript. */
export const callIds = (messages: readonly Message[]): ReadonlySet<string> =>
  new Set(messages.flatMap((message) => callsOf(message).map((call) => call.id)));

const NONE: readonly ToolCall[] = [];
const callsOf = (message: Message): readonly ToolCall[] =>
  message.role === "assistant" ? (message.tool_calls ?? NONE) : NONE;

function checkCall(call: ToolCall, index: number): void {
  // The types promise it; a transcript may have been made elsewhere.
  const { id, name, arguments: args }: { [key in keyof ToolCall]: unknown } = call;
  if (typeof id !== "string" || id === "") throw broken(index, "a tool call has no id");
  if (typeof name !== "string" || name === "") throw broken(index, `the tool call ${id} has no name`);
  if (typeof args !== "string") throw broken(index, `the arguments of the tool call ${id} are no text`);
}

const broken = (index: number, what: string): AgentError =>
  new AgentError({
    kind: "protocol",
    code: "bad_transcript",
    origin: "llm/transcript",
    message: `The conversation can't be sent: in message ${index}, ${what}. Start a new conversation, or mend its transcript.`,
    data: { index },
  });
