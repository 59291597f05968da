import type { Store } from "@smith/contract/store";
import { expect } from "vitest";
import { type Case, closing, contents, opening, play, refused } from "./store-scene.ts";

const listed = async (store: Store, children: boolean): Promise<string[]> =>
  (await store.conversation.list({ project_id: null, children })).map(({ id }) => id).sort();

/** What goes when a conversation is deleted, and what stays. */
export const DELETIONS: readonly Case[] = [
  [
    "a conversation is deleted with its messages, its notes and all children below it, and nothing else is",
    async ({ store, reopen }) => {
      await play(store, opening("a"));
      await play(store, opening("child", { parent: "a" }));
      await play(store, opening("grandchild", { parent: "child" }));
      for (const id of ["ab", "a_", "other"]) await play(store, opening(id));
      await play(store, opening("nephew", { parent: "other" }));
      for (const id of ["a", "grandchild", "ab"]) await store.note.put(id, "scratchpad:k", `of ${id}`);
      await store.memory.put("p1", { id: "m1", content: "stays", updated_at: 1 });

      expect(await store.conversation.delete("a")).toBe(true);
      const current = await reopen();
      expect(await listed(current, true)).toEqual(["a_", "ab", "nephew", "other"]);
      for (const id of ["a", "child", "grandchild"]) {
        expect(await current.conversation.get(id)).toBeNull();
        expect(await current.conversation.messages(id)).toEqual({ messages: [], seqs: [], unreadable: 0 });
        expect(await current.note.list(id, "")).toEqual([]);
      }
      for (const id of ["a_", "ab", "nephew", "other"]) {
        expect(await contents(current, id)).toEqual(["fix the parser", "done"]);
      }
      expect(await current.note.get("ab", "scratchpad:k")).toBe("of ab");
      expect(await current.memory.list("p1")).toEqual([{ id: "m1", content: "stays", updated_at: 1 }]);
    },
  ],
  [
    "children are hidden in lists unless asked for, and one can be deleted without its parent",
    async ({ store }) => {
      await play(store, opening("a"));
      await play(store, opening("child", { parent: "a" }));
      expect([await listed(store, false), await listed(store, true)]).toEqual([["a"], ["a", "child"]]);
      expect(await store.conversation.delete("child")).toBe(true);
      expect(await listed(store, true)).toEqual(["a"]);
    },
  ],
  [
    "deleting what is not there says so, and an id that was deleted begins anew",
    async ({ store }) => {
      expect(await store.conversation.delete("a")).toBe(false);
      await play(store, opening("a"));
      await play(store, opening("a"));
      expect([await store.conversation.delete("a"), await store.conversation.delete("a")]).toEqual([true, false]);
      expect((await play(store, opening("a"), "anew")).turn_id).toBe("t1");
      expect(await contents(store, "a")).toEqual(["fix the parser", "anew"]);
    },
  ],
  [
    "a conversation in which a turn runs, in itself or below it, is not deleted",
    async ({ store, reopen }) => {
      await play(store, opening("a"));
      const turn = await store.turn.open(opening("child", { parent: "a" }));
      expect([
        await refused(store.conversation.delete("a")),
        await refused(store.conversation.delete("child")),
      ]).toEqual(["persistence", "persistence"]);
      expect(await listed(store, true)).toEqual(["a", "child"]);
      await turn.close(closing(2_000));
      await store.turn.open(opening("a"));
      expect(await (await reopen()).conversation.delete("a")).toBe(true);
    },
  ],
];
