import fc from "fast-check";
import { expect } from "vitest";
import { transcript } from "./arbitraries.ts";
import { answer, type Case, closing, contents, opening, play } from "./store-scene.ts";

/** Conversations as they are listed. */
export const LISTS: readonly Case[] = [
  [
    "PS9 the conversations a and ab don't leak into each other",
    async ({ store, reopen }) => {
      await play(store, opening("a"), "of a");
      await play(store, opening("ab"), "of ab");
      await play(store, opening("a_"), "of a_");
      await play(store, opening("a%"), "of a%");
      const again = await reopen();
      for (const id of ["a", "ab", "a_", "a%"]) {
        expect(await contents(again, id)).toEqual(["fix the parser", `of ${id}`]);
        expect(await again.conversation.get(id)).toMatchObject({ id, turns: 1, messages: 2 });
      }
    },
  ],
  [
    "a conversation is shown with its name, its counts and its times",
    async ({ store, reopen }) => {
      await play(store, opening("a", { ts: 1_000, project_id: "p7", parent: "root" }));
      await play(store, opening("a", { ts: 3_000, project_id: "p7", parent: "root", line: "and the tests" }));
      const shown = {
        id: "a",
        project_id: "p7",
        name: "fix the parser",
        parent: "root",
        turns: 2,
        messages: 4,
        created_at: 1_000,
        updated_at: 3_500,
      };
      expect(await store.conversation.get("a")).toEqual(shown);
      expect(await (await reopen()).conversation.get("a")).toEqual(shown);
    },
  ],
  [
    "the list has the last used first, of one project or of all, with children only where asked",
    async ({ store }) => {
      await play(store, opening("old", { ts: 1_000 }));
      await play(store, opening("new", { ts: 3_000 }));
      await play(store, opening("other", { ts: 5_000, project_id: "p2" }));
      await play(store, opening("child", { ts: 7_000, parent: "new" }));
      await play(store, opening("old", { ts: 9_000 }));
      const list = async (project_id: string | null, children: boolean) =>
        (await store.conversation.list({ project_id, children })).map((each) => each.id);
      expect(await list("p1", false)).toEqual(["old", "new"]);
      expect(await list("p1", true)).toEqual(["old", "child", "new"]);
      expect(await list(null, false)).toEqual(["old", "other", "new"]);
      expect(await list("none", true)).toEqual([]);
    },
  ],
];

/** Values as they are kept. */
export const RECORDS: readonly Case[] = [
  [
    "the config patch is kept as it was set, and set anew as a whole",
    async ({ store, reopen }) => {
      await store.config.setPatch({ default_model: "m", llm_config: { retry_backoff_ms: [0.5, 8000] }, "ü'\"": null });
      const again = await reopen();
      expect(await again.config.patch()).toEqual({
        default_model: "m",
        llm_config: { retry_backoff_ms: [0.5, 8000] },
        "ü'\"": null,
      });
      await again.config.setPatch({ temperature: 0 });
      expect(await again.config.patch()).toEqual({ temperature: 0 });
    },
  ],
  [
    "a name is asked for once, in one session or the next, and is no part of the patch",
    async ({ store, reopen }) => {
      await store.config.setPatch({ temperature: 0 });
      const seen = [await store.config.once("a"), await store.config.once("a"), await store.config.once("b")];
      const again = await reopen();
      expect([...seen, await again.config.once("a"), await again.config.once("c")]).toEqual([
        ...[true, false, true],
        ...[false, true],
      ]);
      expect(await again.config.patch()).toEqual({ temperature: 0 });
    },
  ],
  [
    "what the caller does to its objects afterwards changes nothing in the store",
    async ({ store }) => {
      const turn = await store.turn.open(opening("a"));
      const message = { ...answer(turn.turn_id, "as written") };
      await turn.append(message);
      Object.assign(message, { content: "changed" });
      const { messages } = await store.conversation.messages("a");
      try {
        Object.assign(messages[1] ?? {}, { content: "changed" });
      } catch {
        // frozen: just as good
      }
      expect(await contents(store, "a")).toEqual(["fix the parser", "as written"]);
    },
  ],
  [
    "PS4 any sequence of messages comes back as it went in",
    async ({ store, reopen }) => {
      let current = store;
      let runs = 0;
      const law = fc.asyncProperty(transcript("t1"), async (messages) => {
        const id = `run${++runs}`;
        const turn = await current.turn.open(opening(id));
        for (const message of messages) await turn.append(message);
        await turn.close(closing(2_000));
        current = await reopen();
        const user = { ...opening(id).user, turn_id: "t1" };
        const all = [user, ...messages];
        const seqs = all.map((_, at) => at + 1);
        expect(await current.conversation.messages(id)).toEqual({ messages: all, seqs, unreadable: 0 });
      });
      await fc.assert(law, { numRuns: 40 });
    },
  ],
];
