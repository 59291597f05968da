import { AgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import type { MessageChange } from "@smith/contract/store";

interface Stored {
  readonly messages: Map<number, string>;
  readonly holder: object | null;
}

/** The messages by their numbers. */
export function readMemory(id: string, conversations: ReadonlyMap<string, Stored>) {
  const stored = [...(conversations.get(id)?.messages ?? [])].sort(([a], [b]) => a - b);
  const messages = stored.map(([, text]) => JSON.parse(text) as TranscriptMessage);
  return { messages, seqs: stored.map(([seq]) => seq), unreadable: 0 };
}

/** All changes or none. */
export function amendMemory(
  id: string,
  changes: readonly MessageChange[],
  conversations: ReadonlyMap<string, Stored>,
): void {
  const stored = conversations.get(id);
  if (stored === undefined) throw refusal("unknown_conversation", `There is no conversation ${id}.`);
  if (stored.holder !== null) throw refusal("conversation_busy", `Conversation ${id} has a turn open.`);
  const { messages } = stored;
  for (const { seq, before } of changes) {
    const now = messages.get(seq) ?? null;
    const isSame = now === null ? before === null : before !== null && sorted(JSON.parse(now)) === sorted(before);
    if (!isSame) throw refusal("changed_since", `Message ${seq} of ${id} is not what it was.`);
  }
  for (const { seq, after } of changes) {
    if (after === null) messages.delete(seq);
    else messages.set(seq, JSON.stringify(after));
  }
}

/** As JSON whose keys are in order. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

const refusal = (code: string, message: string): AgentError =>
  new AgentError({ kind: "persistence", code, message, origin: "testkit/memory-store" });
