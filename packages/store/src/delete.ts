import { decode } from "./codec.ts";
import { ACTIVE, CONVERSATION_KEYSPACES, conversationKey, openTurnKey, scopeOf } from "./keys.ts";
import type { Kv } from "./kv.ts";
import { conversationBusy, isAlive } from "./lease.ts";
import { isOpen, lastTurn } from "./recover.ts";

/**
 * Deletes a conversation and all below it, whatever state their records are in. Inside a transaction.
 * @throws {AgentError} `persistence`/`conversation_busy` while a turn runs in one of them: its process would go on writing.
 */
export function deleteTree(kv: Kv, id: string): boolean {
  if (kv.get("conversation", conversationKey(id)) === null) return false;
  const tree = treeOf(kv, id);
  for (const each of tree) refuseBusy(kv, each);
  for (const each of tree) {
    for (const keyspace of CONVERSATION_KEYSPACES) kv.removeScope(keyspace, scopeOf(each));
    kv.remove("conversation", each);
    kv.remove("meta", openTurnKey(each));
  }
  for (const { key, value } of kv.scan("meta", ACTIVE)) {
    if (tree.has(decode("conversation_id", value) ?? "")) kv.remove("meta", key);
  }
  return true;
}

/** The conversation and its descendants. A set grows while it is walked, and ends also where parents go in a circle. */
function treeOf(kv: Kv, id: string): ReadonlySet<string> {
  const rows = kv.all("conversation").map(({ value }) => decode("conversation", value));
  const tree = new Set([id]);
  for (const parent of tree) {
    for (const row of rows) if (row?.parent === parent) tree.add(row.id);
  }
  return tree;
}

function refuseBusy(kv: Kv, id: string): void {
  const last = lastTurn(kv, id);
  if (isOpen(last) && isAlive(last.row.lease)) throw conversationBusy(id, last.row.turn_id, last.row.lease);
}
