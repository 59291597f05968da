import type { Receipt } from "@smith/contract/receipt";
import { expect } from "vitest";
import { answer, type Case, closing, opening } from "./store-scene.ts";

const receipt = (n: number): Receipt => ({
  ...{ receipt_id: `r${n}`, job_id: null, call_id: `c${n}`, tool: "bash", args_hash: "00", started_at: 1, ended_at: 2 },
  ...{ ok: true, cancelled: false, exit_code: 0, output_hash: "11", output_bytes: 3, output_key: null, files: [] },
  ...{ changed_during: [{ path: "/a", shared: true }], changed_unknown: null, mutation_state: "attempted" },
});

/** The receipts of a turn's calls. */
export const RECEIPTS: readonly Case[] = [
  [
    "the receipts of a turn are there when it is closed, in order, and in the next process too",
    async ({ store, reopen }) => {
      const receipts = Array.from({ length: 12 }, (_, at) => receipt(at + 1));
      const turn = await store.turn.open(opening("c"));
      await turn.append(answer(turn.turn_id, "done"));
      expect(await store.receipt.list("c", turn.turn_id)).toEqual([]);
      await turn.close({ ...closing(2_000), receipts });
      expect(await store.receipt.list("c", turn.turn_id)).toEqual(receipts);
      const again = await reopen();
      expect(await again.receipt.list("c", turn.turn_id)).toEqual(receipts);
      expect([await again.receipt.list("c", "t9"), await again.receipt.list("d", "t1")]).toEqual([[], []]);
    },
  ],
  [
    "a receipt is there with the message of its call, is written over when more is known, and outlives the store",
    async ({ store, reopen }) => {
      const turn = await store.turn.open(opening("c"));
      await turn.append(answer(turn.turn_id, "one"), [receipt(2)]);
      expect(await store.receipt.list("c", turn.turn_id)).toEqual([receipt(2)]);
      await turn.append(answer(turn.turn_id, "two"), [receipt(1), { ...receipt(2), ok: false }]);
      await turn.close({ ...closing(2_000), receipts: [receipt(3)] });
      const [store2, wanted] = [await reopen(), [receipt(1), { ...receipt(2), ok: false }, receipt(3)]];
      expect(await store2.receipt.list("c", turn.turn_id)).toEqual(wanted);
    },
  ],
  [
    "the receipts of a deleted conversation are gone, those of its namesakes stay",
    async ({ store }) => {
      for (const id of ["c", "cc"]) {
        const turn = await store.turn.open(opening(id));
        await turn.close({ ...closing(2_000), receipts: [receipt(1)] });
      }
      await store.conversation.delete("c");
      expect([await store.receipt.list("c", "t1"), await store.receipt.list("cc", "t1")]).toEqual([[], [receipt(1)]]);
    },
  ],
  [
    "a copy of a conversation has the receipts of the turns that were copied",
    async ({ store }) => {
      for (const n of [1, 2]) {
        const turn = await store.turn.open(opening("c"));
        await turn.close({ ...closing(2_000), receipts: [receipt(n)] });
      }
      await store.conversation.fork({ from: "c", turn_id: "t1", id: "d", name: "copy", ts: 3_000 });
      expect([await store.receipt.list("d", "t1"), await store.receipt.list("d", "t2")]).toEqual([[receipt(1)], []]);
    },
  ],
];
