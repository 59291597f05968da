import type { Store } from "@smith/contract/store";
import fc from "fast-check";
import { expect } from "vitest";
import { anyText } from "./arbitraries.ts";
import { type Case, opening, play, refused } from "./store-scene.ts";

/** Ids that a query language, a pattern or a key could take for something else. */
const HARD_IDS = ["ABC-77", "a:b", "AND", "(", "*", "a_", "ab", "a%", "%", "_", "a\0b", "'\"", "é", "🌍", "\u{10ffff}"];

const idsOf = async (store: Store, conversation: string, prefix: string): Promise<string[]> =>
  (await store.note.list(conversation, prefix)).map(({ id }) => id);

/** Notes of conversations, and what projects remember. */
export const NOTES: readonly Case[] = [
  [
    "U34 the lines of a project come back in order, the last 500 of them, and no other project's",
    async ({ store, reopen }) => {
      for (let n = 1; n <= 502; n++) await store.history.append("p", `line ${n}`);
      await store.history.append("pq", 'two\nlines "你好"');
      const again = await reopen();
      const lines = await again.history.load("p");
      expect([lines.length, lines[0], lines.at(-1)]).toEqual([500, "line 3", "line 502"]);
      expect(await again.history.load("pq")).toEqual(['two\nlines "你好"']);
      expect(await again.history.load("none")).toEqual([]);
    },
  ],
  [
    "TL45 any note comes back as it was put, of a conversation that need not exist yet, and the last put wins",
    async ({ store, reopen }) => {
      let current = store;
      const law = fc.asyncProperty(anyText(), async (text) => {
        await current.note.put("a", "scratchpad:k", "before");
        await current.note.put("a", "scratchpad:k", text);
        current = await reopen();
        expect(await current.note.get("a", "scratchpad:k")).toBe(text);
        expect(await current.note.list("a", "")).toEqual([{ id: "scratchpad:k", chars: text.length }]);
      });
      await fc.assert(law, { numRuns: 40 });
      expect(await current.conversation.get("a")).toBeNull();
    },
  ],
  [
    "TL45 a note of a million characters, or of half a character, comes back to the unit",
    async ({ store, reopen }) => {
      const texts = { big: "naïve 音 🌍\r\n\0".repeat(80_000), half: "\ud83d", other: "a\udc00b", empty: "" };
      for (const [id, text] of Object.entries(texts)) await store.note.put("a", id, text);
      const again = await reopen();
      for (const [id, text] of Object.entries(texts)) expect((await again.note.get("a", id)) === text).toBe(true);
      expect(await again.note.get("a", "none")).toBeNull();
    },
  ],
  [
    "B84 PS8 note ids and prefixes mean themselves to the letter, and ids may hold colons",
    async ({ store, reopen }) => {
      for (const id of HARD_IDS) await store.note.put("c", id, `of ${id}`);
      const again = await reopen();
      for (const id of HARD_IDS) {
        expect(await again.note.get("c", id)).toBe(`of ${id}`);
        expect(await idsOf(again, "c", id)).toEqual(HARD_IDS.filter((each) => each.startsWith(id)).sort());
      }
      expect(await idsOf(again, "c", "a_")).toEqual(["a_"]);
      expect(await idsOf(again, "c", "")).toEqual([...HARD_IDS].sort());
      expect([await idsOf(again, "c", "b"), await idsOf(again, "c", "\ud83c")]).toEqual([[], []]);
    },
  ],
  [
    "D18 a prefix of note ids names what begins with it, with sizes, whatever its last letter is",
    async ({ store }) => {
      const ids = ["x\ud7ff1", "x\ue0001", "x\u{10ffff}1", "x\u{10ffff}\u{10ffff}", "y", "dispatch/j1", "dispatch0"];
      for (const id of ids) await store.note.put("c", id, id);
      expect(await store.note.list("c", "dispatch/")).toEqual([{ id: "dispatch/j1", chars: 11 }]);
      for (const prefix of ["x\ud7ff", "x\ue000", "x\u{10ffff}", "x"]) {
        expect(await idsOf(store, "c", prefix)).toEqual(ids.filter((id) => id.startsWith(prefix)).sort());
      }
    },
  ],
  [
    "PS9 notes and memories of a, ab, a_ and a% don't leak into each other",
    async ({ store }) => {
      const owners = ["a", "ab", "a_", "a%"];
      for (const owner of owners) {
        await store.note.put(owner, "b", `note of ${owner}`);
        await store.memory.put(owner, { id: "b", content: `memory of ${owner}`, updated_at: 1 });
      }
      for (const owner of owners) {
        expect(await store.note.get(owner, "b")).toBe(`note of ${owner}`);
        expect(await idsOf(store, owner, "")).toEqual(["b"]);
        const memory = { id: "b", content: `memory of ${owner}`, updated_at: 1 };
        expect(await store.memory.list(owner)).toEqual([memory]);
      }
    },
  ],
  [
    "PS15 a closed turn leaves its record as a note, which can be read",
    async ({ store }) => {
      await play(store, opening("a"));
      expect(await idsOf(store, "a", "")).toEqual(["turn_record-t1"]);
      const text = (await store.note.get("a", "turn_record-t1")) ?? "";
      expect(JSON.parse(text)).toMatchObject({ turn_id: "t1", first_seq: 1, last_seq: 2, stop_reason: "completed" });
      expect(await store.note.list("a", "turn_record-")).toEqual([{ id: "turn_record-t1", chars: text.length }]);
    },
  ],
  [
    "PS10 TL46 a project's memory is one for all its conversations, and outlives the process",
    async ({ store, reopen }) => {
      const [one, two] = [
        { id: "m1", content: "tests run with half \ud83d", updated_at: 5 },
        { id: "m:2", content: "", updated_at: 6 },
      ];
      for (const memory of [two, one]) await store.memory.put("p", memory);
      const again = await reopen();
      expect(await again.memory.list("p")).toEqual([one, two]);
      expect(await again.memory.get("p", "m1")).toEqual(one);
      expect([await again.memory.get("p", "m"), await again.memory.get("q", "m1")]).toEqual([null, null]);
      await again.memory.put("p", { ...one, content: "changed", updated_at: 7 });
      expect(await again.memory.get("p", "m1")).toEqual({ id: "m1", content: "changed", updated_at: 7 });
      expect([await again.memory.delete("p", "m1"), await again.memory.delete("p", "m1")]).toEqual([true, false]);
      expect(await again.memory.list("p")).toEqual([two]);
    },
  ],
  [
    "PS8 an owner's id with a colon, an empty id and half a character as an id are refused",
    async ({ store }) => {
      const memory = { content: "", updated_at: 1 };
      const kinds = [
        await refused(store.note.put("a:b", "n", "")),
        await refused(store.note.put("a", "", "")),
        await refused(store.note.put("a", "\ud83d", "")),
        await refused(store.note.list("", "")),
        await refused(store.memory.put("p:q", { id: "m", ...memory })),
        await refused(store.memory.put("p", { id: "", ...memory })),
        await refused(store.memory.put("p", { id: "\udc00", ...memory })),
      ];
      expect(kinds).toEqual(kinds.map(() => "persistence"));
      expect([await store.note.list("a", ""), await store.memory.list("p")]).toEqual([[], []]);
    },
  ],
];
