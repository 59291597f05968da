import { AgentError } from "@smith/contract/error";
import type { MessageChange } from "@smith/contract/store";
import { decodeMessage, encode } from "./codec.ts";
import { conversationKey, messageKey } from "./keys.ts";
import type { Kv } from "./kv.ts";
import { conversationBusy, isAlive } from "./lease.ts";
import { isOpen, lastTurn } from "./recover.ts";

/** Changes messages where they stand; see the port. Inside a transaction. Returns how many more there are. */
export function amendMessages(kv: Kv, id: string, changes: readonly MessageChange[]): number {
  if (kv.get("conversation", conversationKey(id)) === null) throw unknown(id);
  const last = lastTurn(kv, id);
  if (isOpen(last) && isAlive(last.row.lease)) throw conversationBusy(id, last.row.turn_id, last.row.lease);
  for (const change of changes) amend(kv, id, change);
  return changes.reduce((sum, { before, after }) => sum + Number(after !== null) - Number(before !== null), 0);
}

function amend(kv: Kv, id: string, { seq, before, after }: MessageChange): void {
  const key = messageKey(id, seq);
  const stored = kv.get("message", key);
  if (shape(stored) !== (before === null ? null : encode("message", before))) throw changedSince(id, seq);
  if (after === null) kv.remove("message", key);
  else kv.put("message", key, encode("message", after));
}

/** A record as it would be written today, so that an old spelling is no change. */
function shape(stored: string | null): string | null {
  const message = stored === null ? null : decodeMessage(stored);
  return message === null ? stored : encode("message", message);
}

const changedSince = (id: string, seq: number): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "changed_since",
    origin: "store/amend",
    data: { conversation_id: id, seq },
    message: `Nothing is changed: message ${seq} of ${id} is not what it was any more. Look at it again.`,
  });

const unknown = (id: string): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "unknown_conversation",
    origin: "store/amend",
    data: { conversation_id: id },
    message: `There is no session ${id}.`,
  });
