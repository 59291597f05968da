import type { ToolMessage, TranscriptMessage } from "@smith/contract/message";
import { isReport } from "../turn/results.ts";

/** An output as a job was shown it. */
export interface Shown {
  /** Null where the result named none. */
  readonly receipt_id: string | null;
  readonly tool: string;
  /** As the model sent them. */
  readonly args: string;
  readonly text: string;
}

const TAG = /\n?\[receipt (r\d+)\]$/;

/**
 * What the calls of a transcript showed, in order. Of a failure it is the output, not the error: an error repeats what the
 * model sent. What `report` answered is nothing to rest on.
 */
export function shownIn(messages: readonly TranscriptMessage[]): readonly Shown[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
  const args = new Map(calls.map((call) => [call.id, call.arguments]));
  return messages.flatMap((message) =>
    message.role === "tool" && !isReport(message) ? [shownBy(message, args.get(message.tool_call_id) ?? "")] : [],
  );
}

function shownBy({ name, content, ok }: ToolMessage, args: string): Shown {
  const text = content.replace(TAG, "");
  return { receipt_id: TAG.exec(content)?.[1] ?? null, tool: name, args, text: ok ? text : outputOf(text) };
}

/** The output in `{"ok":false,"output":…}`. */
function outputOf(failure: string): string {
  try {
    const { output } = JSON.parse(failure) as { output?: unknown };
    return typeof output === "string" ? output : "";
  } catch {
    return failure; // cut, or from a tool that says it in words of its own
  }
}
