import type { TurnClosing } from "@smith/contract/store";
import { encode, type OpenRow } from "./codec.ts";
import { childUsageKey, intentScope, openTurnKey, partialKey, turnKey, turnRecordKey, usageKey } from "./keys.ts";
import type { Entry, Kv } from "./kv.ts";
import { nextSeq } from "./recover.ts";
import { countMessages } from "./repos/conversations.ts";
import { receiptRows } from "./repos/receipts.ts";

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
  const { ts, stop_reason } = closing;
  const record = recordOf(begun, closing, nextSeq(kv, conversation_id) - 1);
  kv.put("conversation_note", turnRecordKey(conversation_id, turn_id), record);
  for (const { key, value } of usageRows(begun, closing)) kv.put("usage", key, value);
  for (const { key, value } of receiptRows(conversation_id, turn_id, closing.receipts)) kv.put("receipt", key, value);
  const closed = { state: "closed", turn_id, role, first_seq, opened_at, closed_at: ts, stop_reason } as const;
  kv.put("turn", turnKey(conversation_id, n), encode("turn", closed));
  kv.remove("turn", partialKey(conversation_id, n));
  kv.remove("meta", openTurnKey(conversation_id));
  kv.removeScope("turn", intentScope(conversation_id, n));
  countMessages(kv, conversation_id, { count: 0, ts });
}

/** @throws {AgentError} `persistence`/`bad_record` or `bad_key` for a closing that can't be written, however often it is tried. */
export function checkClosing(begun: Begun, closing: TurnClosing): void {
  recordOf(begun, closing, 0);
  usageRows(begun, closing);
  receiptRows(begun.conversation_id, begun.row.turn_id, closing.receipts);
}

/** The turn record as text. `last_seq`: the sequence number of the turn's last message. */
function recordOf({ conversation_id, row }: Begun, { ts, ...closing }: TurnClosing, last_seq: number): string {
  const { turn_id, role, first_seq, opened_at } = row;
  const place = { conversation_id, turn_id, role, first_seq, last_seq, opened_at, closed_at: ts };
  return encode("turn_record", { ...closing, ...place });
}

/** What the turn itself used, and each of its jobs. */
function usageRows({ conversation_id, row }: Begun, closing: TurnClosing): readonly Entry[] {
  const { turn_id } = row;
  const { ts, model, provider, usage, children } = closing;
  const place = { conversation_id, turn_id, ts };
  const own = encode("usage", { ...usage, ...place, model, provider });
  return [
    { key: usageKey(conversation_id, turn_id), value: own },
    ...children.map(({ job_id, role, usage: used }) => ({
      key: childUsageKey(conversation_id, turn_id, job_id),
      value: encode("child_usage", { ...used, ...place, job_id, role }),
    })),
  ];
}
