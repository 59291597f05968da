import { UNKNOWN_USAGE } from "@smith/contract/model";
import { expect } from "vitest";
import type { Case } from "./chat-model-scene.ts";

const TEXT = "The answer is 42, and a little more than that.";
const WIDE = "那🌍é 👨‍👩‍👧 naïve";
const USAGE = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };

const READ = { id: "c1", name: "read", args: { path: "naïve 音.ts" } };
const CALLS = [
  READ,
  { id: "c2", name: "bash", args: { command: "echo 🌍 && ls" } },
  { id: "c3", name: "code_map", args: {} },
];

/** What becomes of whole answers. */
export const ANSWERS: readonly Case[] = [
  {
    title: "L1 L12 text comes piece by piece, is folded into the reply, and the usage is the provider's",
    steps: [{ say: TEXT, usage: USAGE }],
    async work({ chat, deltas, shown, streams }) {
      const { model, warnings, ...reply } = await chat();
      expect(reply).toEqual({
        content: TEXT,
        reasoning: "",
        tool_calls: [],
        finish_reason: "stop",
        usage: { ...UNKNOWN_USAGE, input_tokens: 7, output_tokens: 2 },
      });
      expect([model, warnings]).toEqual(["scripted", []]);
      expect(shown("text")).toBe(streams ? TEXT : "");
      expect(deltas.length > 1).toBe(streams);
    },
  },
  {
    title: "L12 fault 106 a provider that reports no usage leaves it unknown, not 0",
    steps: [{ say: "hi", usage: null }],
    async work({ chat }) {
      expect((await chat()).usage).toEqual(UNKNOWN_USAGE);
    },
  },
  {
    title: "L11 reasoning is kept apart from the answer",
    steps: [{ say: "42", reasoning: "six times seven" }],
    async work({ chat, shown, streams }) {
      expect(await chat()).toMatchObject({ content: "42", reasoning: "six times seven" });
      expect([shown("text"), shown("reasoning")]).toEqual(streams ? ["42", "six times seven"] : ["", ""]);
    },
  },
  {
    title: "L10 fault 137 one call comes whole, with its text beside it",
    steps: [{ say: "I look.", call: [READ] }],
    async work({ chat }) {
      expect(await chat()).toMatchObject({
        content: "I look.",
        tool_calls: [{ id: "c1", name: "read", arguments: '{"path":"naïve 音.ts"}' }],
        finish_reason: "tool_calls",
      });
    },
  },
  {
    title: "L10 calls whose pieces are interleaved come apart again, in order",
    steps: [{ call: CALLS }],
    async work({ chat, deltas }) {
      const { content, tool_calls } = await chat();
      const whole = CALLS.map(({ id, name, args }) => ({ id, name, arguments: JSON.stringify(args) }));
      expect([content, tool_calls]).toEqual(["", whole]);
      expect(deltas).toEqual([]);
    },
  },
  {
    title: "L29 calls win over a finish reason that says stop",
    steps: [{ call: [READ], finish: "stop" }],
    async work({ chat }) {
      expect(await chat()).toMatchObject({ tool_calls: [{ id: "c1" }], finish_reason: "tool_calls" });
    },
  },
  {
    title: "an answer cut by the token limit says so",
    steps: [{ say: "and then", finish: "length" }],
    async work({ chat }) {
      expect(await chat()).toMatchObject({ content: "and then", finish_reason: "length" });
    },
  },
  {
    title: "B31 a finish reason without the end mark is a whole answer",
    steps: [{ say: "done", done: false }],
    only_streaming: true,
    async work({ chat }) {
      expect(await chat()).toMatchObject({ content: "done", finish_reason: "stop" });
    },
  },
  {
    title: "the end mark without a finish reason is a whole answer",
    steps: [{ say: "done", finish: null }],
    only_streaming: true,
    async work({ chat }) {
      expect(await chat()).toMatchObject({ content: "done", finish_reason: "stop" });
    },
  },
  {
    title: "an empty answer is an answer: the model itself does not ask again",
    steps: [{ empty: true }],
    async work({ chat, llm }) {
      expect(await chat()).toMatchObject({ content: "", tool_calls: [], finish_reason: "stop" });
      expect(llm.requests.length).toBe(1);
    },
  },
  {
    title: "L9 B25 characters of several bytes arrive whole wherever they are cut",
    steps: [{ say: WIDE }],
    piece_bytes: 1,
    async work({ chat, shown, streams }) {
      expect((await chat()).content).toBe(WIDE);
      expect(shown("text")).toBe(streams ? WIDE : "");
    },
  },
];
