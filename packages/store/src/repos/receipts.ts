import type { Receipt } from "@smith/contract/receipt";
import type { Store } from "@smith/contract/store";
import type { Access } from "../access.ts";
import { decode, encode } from "../codec.ts";
import { receiptKey, receiptScope } from "../keys.ts";
import type { Entry, Kv } from "../kv.ts";

/** They are written with the message of their call, and once more when more is known of it. */
export const receipts = ({ kv, run }: Access): Store["receipt"] =>
  Object.freeze<Store["receipt"]>({
    list: (conversation_id, turn_id) => run(() => receiptsIn(kv, conversation_id, turn_id)),
  });

/** In order; what can't be read is left out. */
export const receiptsIn = (kv: Kv, conversationId: string, turnId: string): readonly Receipt[] =>
  kv.scan("receipt", receiptScope(conversationId, turnId)).flatMap(({ value }) => decode("receipt", value) ?? []);

/** @throws {AgentError} `persistence`/`bad_record` or `bad_key` for one that can't be written. */
export const receiptRows = (conversationId: string, turnId: string, given: readonly Receipt[] = []): readonly Entry[] =>
  given.map((receipt) => ({
    key: receiptKey(conversationId, turnId, Number(receipt.receipt_id.slice(1))),
    value: encode("receipt", receipt),
  }));
