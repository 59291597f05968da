import type { Message } from "@smith/contract/message";
import { expect } from "vitest";
import { type Case, HELLO } from "./chat-model-scene.ts";

const place = { turn_id: "t1", round: 1, ts: 1 };
const TOOLS = [{ name: "read", description: "Reads a file.", parameters: { type: "object", properties: {} } }];

const WHOLE: readonly Message[] = [
  ...HELLO.messages,
  {
    role: "assistant",
    content: "I look.",
    reasoning: "hm",
    tool_calls: [
      { id: "c1", name: "read", arguments: '{"path":"a"}' },
      { id: "c2", name: "read", arguments: '{"path":"b"}' },
    ],
    ...place,
  },
  { role: "tool", tool_call_id: "c1", name: "read", content: "of a", ok: true, recall_key: "k", ...place },
  { role: "tool", tool_call_id: "c2", name: "read", content: "of b", ok: false, is_error: true, ...place },
  { role: "assistant", content: "Two files.", ...place },
  { role: "user", content: [{ type: "text", text: "and now?" }], ...place },
];

/** All that a transcript may hold and a real endpoint refuses. */
const ROUGH: readonly Message[] = [
  ...HELLO.messages,
  {
    role: "assistant",
    content: "",
    tool_calls: [
      { id: "c1", name: "read", arguments: "" },
      { id: "c2", name: "read", arguments: '{"path": "cut' },
    ],
    ...place,
  },
  { role: "tool", tool_call_id: "c1", name: "read", content: "", ok: true, ...place },
  { role: "tool", tool_call_id: "c2", name: "read", content: " \n", ok: false, ...place },
  { role: "assistant", content: "", is_error: true, ...place },
  { role: "user", content: "half a pair: \ud83d", ...place },
];

/** What goes out; the server refuses, and so fails the test, what a real endpoint would refuse. */
export const REQUESTS: readonly Case[] = [
  {
    title: "L13 a conversation with calls and results is sent as a real endpoint wants it",
    steps: [{ say: "fine" }],
    async work({ chat }) {
      const reply = await chat({ messages: WHOLE, tools: TOOLS, temperature: 0, max_tokens: 100 });
      expect(reply.content).toBe("fine");
    },
  },
  {
    title: "B36 B41 B88 what a transcript may hold and the wire may not is mended on the way out",
    steps: [{ say: "fine" }],
    async work({ chat }) {
      expect((await chat({ messages: ROUGH, tools: TOOLS })).content).toBe("fine");
    },
  },
];
