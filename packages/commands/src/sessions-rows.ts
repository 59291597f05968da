import { type TranscriptMessage, textOf } from "@smith/contract/message";
import type { Conversation } from "@smith/contract/store";

/** A conversation as `--json` has it. */
export const rowOf = ({ id, name, project_id, turns, messages, updated_at, parent }: Conversation) => ({
  id,
  name,
  project_id,
  turns,
  messages,
  updated_at,
  parent,
});

/** Minutes, in the user's own time zone: `2026-01-31 09:05`. */
export const timeOf = (ts: number): string =>
  new Date(ts).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" }); // Swedish dates are ISO dates

export function shownMessage(message: TranscriptMessage): string {
  const text = textOf(message.content);
  if (message.role === "user") return `> ${text}`;
  if (message.role === "tool") return `[${message.name}${message.ok ? "" : " failed"}] ${text}`;
  const calls = (message.tool_calls ?? []).map((call) => `[call ${call.name} ${call.arguments}]`);
  return [...(text === "" ? [] : [text]), ...calls].join("\n");
}
