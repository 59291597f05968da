import type { Store } from "@smith/contract/store";
import type { Access } from "../access.ts";
import { decode } from "../codec.ts";
import { receiptScope } from "../keys.ts";

/** They are written by the transaction that closes their turn. */
export const receipts = ({ kv, run }: Access): Store["receipt"] =>
  Object.freeze<Store["receipt"]>({
    list: (conversation_id, turn_id) =>
      run(() =>
        kv
          .scan("receipt", receiptScope(conversation_id, turn_id))
          .flatMap(({ value }) => decode("receipt", value) ?? []),
      ),
  });
