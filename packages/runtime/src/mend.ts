import type { AssistantMessage, ToolCall, ToolMessage, TranscriptMessage } from "@smith/contract/message";

const LOST = "the result of this call was lost: its record can't be read";

/**
 * A transcript that every endpoint takes, although records of it are missing: a call without a result gets one that says
 * so, a result without its call is left out. One that lacks nothing comes back as it is.
 */
export function mendTranscript(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  const mended: TranscriptMessage[] = [];
  let open: readonly ToolCall[] = [];
  let place: AssistantMessage | null = null;
  const settle = () => {
    for (const call of open) if (place !== null) mended.push(lost(call, place));
    open = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const at = open.findIndex((call) => call.id === message.tool_call_id);
      if (at === -1) continue;
      open = open.toSpliced(at, 1);
    } else {
      settle();
      if (message.role === "assistant") [open, place] = [message.tool_calls ?? [], message];
    }
    mended.push(message);
  }
  settle();
  return mended;
}

const lost = ({ id, name }: ToolCall, { turn_id, round, ts }: AssistantMessage): ToolMessage => ({
  ...{ role: "tool", content: LOST, tool_call_id: id, name, ok: false },
  ...{ turn_id, round, ts },
});
