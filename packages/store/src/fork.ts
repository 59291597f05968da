import { AgentError } from "@smith/contract/error";
import type { Conversation, ForkCopy } from "@smith/contract/store";
import { decode, encode } from "./codec.ts";
import { CONVERSATION_KEYSPACES, conversationKey, messageKey, numberAfter, scopeOf, turnKey } from "./keys.ts";
import type { Kv } from "./kv.ts";
import { lastTurn } from "./recover.ts";

/** What turns cost was paid once, and stays with the original. */
const COPIED = CONVERSATION_KEYSPACES.filter((keyspace) => keyspace !== "usage");

/** Copies closed turns under a new id; see the port. Inside a transaction. */
export function forkConversation(kv: Kv, { from, turn_id, id, name, ts }: ForkCopy): Conversation | null {
  const original = decode("conversation", kv.get("conversation", conversationKey(from)) ?? "");
  const n = original === null ? null : lastCopied(kv, from, turn_id);
  if (original === null || n === null) return null;
  if (kv.get("conversation", conversationKey(id)) !== null) throw taken(id);
  const before = firstLeftOut(kv, from, n);
  for (const keyspace of COPIED) {
    for (const { key, value } of kv.scan(keyspace, scopeOf(from))) {
      const rest = key.slice(scopeOf(from).length);
      if (isCopied(keyspace, rest, { n, before })) kv.add(keyspace, scopeOf(id) + rest, renamed(value, from, id));
    }
  }
  const messages = kv.count("message", scopeOf(id));
  const { project_id } = original;
  const row = { id, project_id, name, parent: null, turns: n, messages, created_at: ts, updated_at: ts };
  kv.put("conversation", id, encode("conversation", row));
  return row;
}

/** The number of the last turn to copy. */
function lastCopied(kv: Kv, from: string, turn_id: string | null): number | null {
  const last = lastTurn(kv, from);
  if (last === null) return null;
  const closed = last.row?.state === "closed" ? last.n : last.n - 1;
  const wanted = turn_id === null ? closed : Number(/^t(\d{1,8})$/.exec(turn_id)?.[1] ?? 0);
  return wanted >= 1 && wanted <= closed ? wanted : null;
}

/** The key of the first message that is not copied; null when all are. */
function firstLeftOut(kv: Kv, from: string, n: number): string | null {
  const next = decode("turn", kv.get("turn", turnKey(from, n + 1)) ?? "");
  return next === null ? null : messageKey(from, next.first_seq).slice(scopeOf(from).length);
}

/** @param rest the key without its conversation. */
function isCopied(keyspace: string, rest: string, { n, before }: { n: number; before: string | null }): boolean {
  if (keyspace === "message") return before === null || rest < before;
  if (keyspace === "turn") return (numberAfter("", rest) ?? 0) <= n;
  const turn = /^(?:turn_record-)?t(\d+)(?=$|:)/.exec(rest)?.[1];
  return turn === undefined || Number(turn) <= n;
}

/** A turn record names its conversation; it is the only record here that does. */
function renamed(value: string, from: string, id: string): string {
  const record = decode("turn_record", value);
  return record?.conversation_id === from ? encode("turn_record", { ...record, conversation_id: id }) : value;
}

const taken = (id: string): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "conversation_exists",
    origin: "store/fork",
    data: { conversation_id: id },
    message: `There is a session ${id} already; a copy needs an id of its own.`,
  });
