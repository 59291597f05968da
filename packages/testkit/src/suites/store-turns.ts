import type { TranscriptMessage } from "@smith/contract/message";
import { expect } from "vitest";
import { answer, type Case, closing, contents, opening, play, refused } from "./store-scene.ts";

/** Turns: how they open, grow, close, and come back. */
export const TURNS: readonly Case[] = [
  [
    "S7 nothing of a conversation exists before its first turn",
    async ({ store }) => {
      expect(await store.conversation.get("a")).toBeNull();
      expect(await store.conversation.messages("a")).toEqual({ messages: [], seqs: [], unreadable: 0 });
      expect(await store.conversation.list({ project_id: null, children: true })).toEqual([]);
      expect(await store.config.patch()).toEqual({});
    },
  ],
  [
    "PS14 a turn's messages come back whole and in order, while it is open, when it is closed, and after reopening",
    async ({ store, reopen }) => {
      const turn = await store.turn.open(opening("a"));
      const added = exampleMessages(turn.turn_id);
      for (const message of added) await turn.append(message);
      const messages = [{ ...opening("a").user, turn_id: "t1" }, ...added];
      const all = { messages, seqs: messages.map((_, at) => at + 1), unreadable: 0 };
      expect(await store.conversation.messages("a")).toEqual(all);
      await turn.close(closing(2_000));
      expect(await store.conversation.messages("a")).toEqual(all);
      expect(await (await reopen()).conversation.messages("a")).toEqual(all);
    },
  ],
  [
    "PS19 a turn that its own process holds, or that was closed, is not abandoned",
    async ({ store, reopen }) => {
      await play(store, opening("a"));
      await store.turn.open(opening("b"));
      expect(await store.turn.abandoned("p1")).toEqual([]);
      expect(await (await reopen()).turn.abandoned("p1")).toEqual([]);
    },
  ],
  [
    "turn ids are counted per conversation from t1, and go on after reopening",
    async ({ store, reopen }) => {
      const first = [await play(store, opening("a")), await play(store, opening("b")), await play(store, opening("a"))];
      expect(first.map((turn) => turn.turn_id)).toEqual(["t1", "t1", "t2"]);
      const again = await reopen();
      expect((await play(again, opening("a"))).turn_id).toBe("t3");
      expect((await play(again, opening("c"))).turn_id).toBe("t1");
      const stamped = (await again.conversation.messages("a")).messages.map((message) => message.turn_id);
      expect(stamped).toEqual(["t1", "t1", "t2", "t2", "t3", "t3"]);
    },
  ],
  [
    "S8 PS19 a turn that was never closed keeps what was appended",
    async ({ store, reopen }) => {
      await play(store, opening("a"), "one");
      const turn = await store.turn.open(opening("a", { line: "more" }));
      await turn.append(answer(turn.turn_id, "two"));
      expect(await contents(await reopen(), "a")).toEqual(["fix the parser", "one", "more", "two"]);
    },
  ],
  [
    "a closed turn takes nothing more, and can't be closed again",
    async ({ store }) => {
      const turn = await play(store, opening("a"));
      expect(await refused(turn.close(closing(9_000)))).toBe("persistence");
      expect(await refused(turn.append(answer("t1", "late")))).toBe("persistence");
      expect(await contents(store, "a")).toEqual(["fix the parser", "done"]);
    },
  ],
  [
    "partial text is overwritten, dropped by the next append, and never counts as a finished answer",
    async ({ store, reopen }) => {
      const turn = await store.turn.open(opening("a"));
      await turn.partial("Hel");
      await turn.partial("Hello");
      await turn.append(answer(turn.turn_id, "Hello you"));
      await turn.close(closing(2_000));
      const cut = await store.turn.open(opening("b"));
      await cut.partial("Hal");
      await cut.partial("Half");
      const again = await reopen();
      expect(await contents(again, "a")).toEqual(["fix the parser", "Hello you"]);
      const [, ...rest] = (await again.conversation.messages("b")).messages;
      const asBroken = [expect.objectContaining({ role: "assistant", content: "Half", is_error: true })];
      expect(rest).toEqual(rest.length === 0 ? [] : asBroken);
    },
  ],
  [
    "an intent is no message",
    async ({ store }) => {
      const turn = await store.turn.open(opening("a"));
      await turn.intend({ call_id: "c1", tool: "bash", args_hash: "00", files_before: null, ts: 1_000 });
      const files_before = { "/a": null, "/b": "02" };
      await turn.intend({ call_id: "c2", tool: "edit", args_hash: "01", files_before, ts: 1_001 });
      await turn.close(closing(2_000));
      expect(await contents(store, "a")).toEqual(["fix the parser"]);
    },
  ],
];

/** One of each kind with every field, and texts that are hard to keep. */
const exampleMessages = (turn_id: string): TranscriptMessage[] => [
  {
    role: "assistant",
    content: "naïve 音 👨‍👩‍👧 'q' \"qq\" \\ \0 \u2028",
    tool_calls: [{ id: "c:1", name: "read", arguments: '{"path": "ü' }],
    reasoning: "hm\r\n",
    turn_id,
    round: 1,
    ts: 1_001,
  },
  {
    role: "tool",
    content: "half a pair \ud83d",
    tool_call_id: "c:1",
    name: "read",
    ok: false,
    is_error: true,
    recall_key: "output:r1",
    turn_id,
    round: 1,
    ts: 1_002,
  },
  {
    role: "user",
    content: [
      { type: "text", text: "and this" },
      { type: "image", media_type: "image/png", blob: "0123456789abcdef" },
    ],
    turn_id,
    round: 2,
    ts: 1_003,
  },
  { role: "assistant", content: "", is_error: true, turn_id, round: 2, ts: 1_004 },
];
