import type { Receipt } from "@smith/contract/receipt";
import type { ForkCopy } from "@smith/contract/store";
import { expect } from "vitest";
import { answer, type Case, closing, contents, opening, play, refused } from "./store-scene.ts";

const RECEIPT: Receipt = {
  ...{ receipt_id: "r1", job_id: null, call_id: "c1", tool: "read", args_hash: "00", started_at: 1, ended_at: 2 },
  ...{ ok: true, cancelled: false, exit_code: null, output_hash: "11", output_bytes: 3, output_key: null, files: [] },
  ...{ changed_during: null, changed_unknown: null, mutation_state: "none" },
};

const copy = (more: Partial<ForkCopy> = {}): ForkCopy => ({
  from: "a",
  turn_id: null,
  id: "b",
  name: "the other way",
  ts: 9_000,
  ...more,
});

/** Names, copies, and what is recovered. */
export const COPIES: readonly Case[] = [
  [
    "a conversation is renamed, and keeps its name through later turns",
    async ({ store, reopen }) => {
      await play(store, opening("a"));
      expect([await store.conversation.rename("a", "the parser"), await store.conversation.rename("x", "y")]).toEqual([
        true,
        false,
      ]);
      await play(store, opening("a", { line: "more" }));
      const again = await reopen();
      expect(await again.conversation.get("a")).toMatchObject({ name: "the parser", turns: 2, messages: 4 });
      expect(await again.conversation.get("x")).toBeNull();
    },
  ],
  [
    "a copy holds the turns up to the one named, its notes, and goes its own way",
    async ({ store, reopen }) => {
      for (const line of ["one", "two", "three"]) await play(store, opening("a", { line }), `of ${line}`);
      await store.note.put("a", "scratchpad:k", "kept");
      const turn = await store.turn.open(opening("r"));
      await turn.close({ ...closing(2_000), receipts: [RECEIPT] });
      await store.conversation.fork(copy({ from: "r", id: "s" }));
      expect(await store.receipt.list("s", "t1")).toEqual([RECEIPT]);
      await play(store, opening("child", { parent: "a" }));
      const shown = { id: "b", project_id: "p1", name: "the other way", parent: null, turns: 2, messages: 4 };
      expect(await store.conversation.fork(copy({ turn_id: "t2" }))).toEqual({
        ...shown,
        created_at: 9_000,
        updated_at: 9_000,
      });
      const again = await reopen();
      expect((await play(again, opening("b", { line: "else" }))).turn_id).toBe("t3");
      expect(await contents(again, "b")).toEqual(["one", "of one", "two", "of two", "else", "done"]);
      expect(await contents(again, "a")).toEqual(["one", "of one", "two", "of two", "three", "of three"]);
      const notes = (await again.note.list("b", "")).map(({ id }) => id);
      expect(notes).toEqual(["scratchpad:k", "turn_record-t1", "turn_record-t2", "turn_record-t3"]);
      expect(await again.note.get("b", "turn_record-t1")).toContain('"conversation_id":"b"');
      expect(await again.conversation.delete("a")).toBe(true);
      expect(await again.conversation.get("b")).toMatchObject({ turns: 3 });
    },
  ],
  [
    "a copy leaves out the turn that runs, and there is none of what has no such closed turn",
    async ({ store }) => {
      const turn = await store.turn.open(opening("a"));
      expect(await store.conversation.fork(copy())).toBeNull();
      await turn.append(answer("t1", "first"));
      await turn.close(closing(2_000));
      await store.turn.open(opening("a", { line: "second" }));
      expect(await store.conversation.fork(copy())).toMatchObject({ turns: 1, messages: 2 });
      expect(await contents(store, "b")).toEqual(["fix the parser", "first"]);
      for (const turn_id of ["t2", "t0", "t", "x1"]) {
        expect(await store.conversation.fork(copy({ id: "c", turn_id }))).toBeNull();
      }
      expect(await store.conversation.fork(copy({ id: "c", from: "x" }))).toBeNull();
      expect(await refused(store.conversation.fork(copy()))).toBe("persistence");
    },
  ],
  [
    "there is nothing to recover in a conversation without an interrupted turn, and a running one is refused",
    async ({ store }) => {
      const recover = (id: string) =>
        store.turn.recover(id, async () => {
          throw new Error("there is nothing to resolve");
        });
      expect(await recover("x")).toBeNull();
      await play(store, opening("a"));
      expect(await recover("a")).toBeNull();
      await store.turn.open(opening("a"));
      expect(await refused(recover("a"))).toBe("persistence");
    },
  ],
];
