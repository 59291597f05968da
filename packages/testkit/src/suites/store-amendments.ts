import { AgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import type { MessageChange, Store } from "@smith/contract/store";
import { expect } from "vitest";
import { answer, type Case, contents, opening, play } from "./store-scene.ts";

/** The code of what amending throws; null: it did not. */
const refusal = (store: Store, id: string, changes: readonly MessageChange[]): Promise<string | null> =>
  store.conversation.amend(id, changes).then(
    () => null,
    (thrown: unknown) => (thrown instanceof AgentError ? thrown.code : String(thrown)),
  );

const third = async (store: Store): Promise<TranscriptMessage> =>
  (await store.conversation.messages("a")).messages[2] ?? answer("t9", "there is none");

const turned = ({ seq, before, after }: MessageChange): MessageChange => ({ seq, before: after, after: before });

/** Messages changed where they stand. */
export const AMENDMENTS: readonly Case[] = [
  [
    "U13 stored messages are changed and deleted, the others keep their numbers; turned round a change takes itself back",
    async ({ store, reopen }) => {
      await play(store, opening("a", { line: "one" }), "of one");
      await play(store, opening("a", { line: "two" }), "of two");
      const { messages } = await store.conversation.messages("a");
      const changes: readonly MessageChange[] = [
        { seq: 2, before: messages[1] ?? null, after: answer("t1", "otherwise") },
        { seq: 3, before: await third(store), after: null },
      ];
      const [before] = [await store.conversation.get("a")];
      await store.conversation.amend("a", changes);
      const again = await reopen();
      expect(await contents(again, "a")).toEqual(["one", "otherwise", "of two"]);
      expect((await again.conversation.messages("a")).seqs).toEqual([1, 2, 4]);
      expect(await again.conversation.get("a")).toEqual({ ...before, messages: 3 });
      await play(again, opening("a", { line: "three" }), "of three");
      expect((await again.conversation.messages("a")).seqs).toEqual([1, 2, 4, 5, 6]);
      await again.conversation.amend("a", changes.map(turned));
      expect(await contents(again, "a")).toEqual(["one", "of one", "two", "of two", "three", "of three"]);
      expect((await again.conversation.get("a"))?.messages).toBe(6);
    },
  ],
  [
    "U13 of changes that don't all fit what is stored none is made; an open turn and no conversation refuse them",
    async ({ store }) => {
      await play(store, opening("a", { line: "one" }), "of one");
      const { messages } = await store.conversation.messages("a");
      const good = { seq: 1, before: messages[0] ?? null, after: null };
      const wrong: readonly MessageChange[] = [
        { seq: 2, before: answer("t1", "what it never was"), after: null },
        { seq: 2, before: null, after: answer("t1", "over it") },
        { seq: 9, before: answer("t1", "of one"), after: null },
      ];
      for (const each of wrong) expect(await refusal(store, "a", [good, each])).toBe("changed_since");
      expect(await contents(store, "a")).toEqual(["one", "of one"]);
      expect(await refusal(store, "none", [good])).toBe("unknown_conversation");
      await store.turn.open(opening("a", { line: "two" }));
      expect(await refusal(store, "a", [good])).toBe("conversation_busy");
    },
  ],
  [
    "U13 what is deleted is not found any more, what is edited is found by its new words",
    async ({ store }) => {
      await play(store, opening("a", { line: "heliotrope" }), "about petunias");
      const { messages } = await store.conversation.messages("a");
      await store.conversation.amend("a", [
        { seq: 1, before: messages[0] ?? null, after: null },
        { seq: 2, before: messages[1] ?? null, after: answer("t1", "about begonias") },
      ]);
      const find = async (text: string) =>
        (await store.search.find({ text, project_id: "p1", kind: null, role: null, limit: 5 })).hits.map(
          ({ key }) => key,
        );
      expect([await find("heliotrope"), await find("petunias"), await find("begonias")]).toEqual([
        [],
        [],
        ["message/a/2"],
      ]);
    },
  ],
];
