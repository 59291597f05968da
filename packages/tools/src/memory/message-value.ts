import { type TranscriptMessage, textOf } from "@smith/contract/message";
import type { Store } from "@smith/contract/store";

const MESSAGE_KEY = /^message\/([^/:]+)\/(\d{1,8})$/;

/**
 * The text behind `message/<conversation_id>/<seq>`; null for another kind of key, and for a message that is not there or
 * belongs to another project: who may not read it is not told that it exists.
 */
export async function messageValue(store: Store, key: string, projectId: string): Promise<string | null> {
  const [, id, seq] = MESSAGE_KEY.exec(key) ?? [];
  if (id === undefined || !id.isWellFormed()) return null;
  const conversation = await store.conversation.get(id);
  if (conversation === null || conversation.project_id !== projectId) return null;
  const { messages, seqs } = await store.conversation.messages(id);
  const message = messages[seqs.indexOf(Number(seq))];
  return message === undefined ? null : shown(message);
}

const ROUND_KEY = /^round\/(t\d{1,8})\/(\d{1,8})$/;

/**
 * What was said in a round of this conversation, as `round/<turn_id>/<n>` names it: texts, calls and outputs as they are,
 * each behind a line of its own that says whose it is. Null for another kind of key, and for a round that is not there.
 */
export async function roundValue(store: Store, key: string, conversationId: string): Promise<string | null> {
  const [, turn_id, n] = ROUND_KEY.exec(key) ?? [];
  if (turn_id === undefined) return null;
  const { messages } = await store.conversation.messages(conversationId);
  const own = messages.filter((message) => message.turn_id === turn_id && message.round === Number(n));
  return own.length === 0 ? null : own.map((message) => `[${nameOf(message)}]\n${shown(message)}`).join("\n");
}

const nameOf = (message: TranscriptMessage): string =>
  message.role === "tool"
    ? `${message.ok ? "result" : "failure"} of ${message.name} ${message.tool_call_id}`
    : message.role;

/** Its text; an assistant's calls follow, a line each. */
function shown(message: TranscriptMessage): string {
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  const text = textOf(message.content);
  return [...(text === "" ? [] : [text]), ...calls.map((call) => `[call ${call.name} ${call.arguments}]`)].join("\n");
}
