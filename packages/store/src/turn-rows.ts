import type { TurnClosing } from "@smith/contract/store";
import { encode, type OpenRow } from "./codec.ts";
import { intentScope, partialKey, turnKey, turnRecordKey, usageKey } from "./keys.ts";
import type { Kv } from "./kv.ts";
import { nextSeq } from "./recover.ts";
import { countMessages } from "./repos/conversations.ts";

/** A turn that stands open in the database. */
export interface Begun {
  readonly conversation_id: string;
  readonly n: number;
  readonly row: OpenRow;
  /** The row as it was written: while it reads so, the turn is ours. */
  readonly rowText: string;
}

/** Turn record, usage and the closed row; the partial text and the intents have had their day. Inside a transaction. */
export function writeClose(kv: Kv, begun: Begun, closing: TurnClosing): void {
  const { conversation_id, n, row } = begun;
  const { turn_id, role, first_seq, opened_at } = row;
  const { ts, model, provider, usage, stop_reason } = closing;
  const record = recordOf(begun, closing, nextSeq(kv, conversation_id) - 1);
  kv.put("conversation_note", turnRecordKey(conversation_id, turn_id), record);
  const used = encode("usage", { ...usage, conversation_id, turn_id, model, provider, ts });
  kv.put("usage", usageKey(conversation_id, turn_id), used);
  const closed = { state: "closed", turn_id, role, first_seq, opened_at, closed_at: ts, stop_reason } as const;
  kv.put("turn", turnKey(conversation_id, n), encode("turn", closed));
  kv.remove("turn", partialKey(conversation_id, n));
  kv.removeScope("turn", intentScope(conversation_id, n));
  countMessages(kv, conversation_id, { count: 0, ts });
}

/** The turn record as text. `last_seq`: the sequence number of the turn's last message. */
export function recordOf({ conversation_id, row }: Begun, { ts, ...closing }: TurnClosing, last_seq: number): string {
  const { turn_id, role, first_seq, opened_at } = row;
  const place = { conversation_id, turn_id, role, first_seq, last_seq, opened_at, closed_at: ts };
  return encode("turn_record", { ...closing, ...place });
}
