import { type Message, textOf } from "@smith/contract/message";

/** Characters and estimated tokens of a message. */
export interface Size {
  readonly chars: number;
  /** ceil(chars / 4) over its text and calls, and 8 more for a tool message. */
  readonly tokens: number;
}

/** Messages never change, so each is measured once, however many requests it goes into. */
export function createSizes(): (message: Message) => Size {
  const known = new WeakMap<Message, Size>();
  return (message) => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const size = measure(message);
    known.set(message, size);
    return size;
  };
}

function measure(message: Message): Size {
  const calls =
    message.role === "assistant" && message.tool_calls !== undefined ? JSON.stringify(message.tool_calls).length : 0;
  const chars = textOf(message.content).length + calls;
  return { chars, tokens: Math.ceil(chars / 4) + (message.role === "tool" ? 8 : 0) };
}
