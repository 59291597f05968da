import type { Message, ToolCall } from "@smith/contract/message";
import { type ChatDelta, type ChatReply, UNKNOWN_USAGE } from "@smith/contract/model";
import { expect, test } from "vitest";
import { createDemo, DEMO_NAME } from "../src/index.ts";

const place = { turn_id: "t1", round: 1, ts: 1 };
const spec = (name: string) => ({ name, description: "", parameters: { type: "object" } });
const ALL = ["bash", "edit", "code_map", "code_grep", "read", "report"].map(spec);

const user = (content: string): Message => ({ role: "user", content, ...place });
const asked = (tool_calls: readonly ToolCall[]): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [...tool_calls],
  ...place,
});
const result = ({ id, name }: ToolCall, content: string, ok = true): Message => ({
  role: "tool",
  tool_call_id: id,
  name,
  content,
  ok,
  ...place,
});

async function chat(messages: readonly Message[], tools = ALL): Promise<ChatReply & { shown: readonly string[] }> {
  const deltas: ChatDelta[] = [];
  const options = { signal: new AbortController().signal, onDelta: (delta: ChatDelta) => void deltas.push(delta) };
  const reply = await createDemo().chat({ model: "demo", messages, tools }, options);
  return { ...reply, shown: deltas.map(({ text }) => text) };
}

const wishes = ({ tool_calls }: ChatReply) => tool_calls.map((call) => [call.name, JSON.parse(call.arguments)]);

/** Plays the tools until the demo has nothing left to call. */
async function play(question: string, answer: (call: ToolCall) => string) {
  const messages: Message[] = [{ role: "system", content: "s" }, user(question)];
  const rounds: unknown[] = [];
  for (;;) {
    const reply = await chat(messages);
    if (reply.tool_calls.length === 0) return { rounds, reply };
    rounds.push(wishes(reply));
    messages.push(asked(reply.tool_calls), ...reply.tool_calls.map((call) => result(call, answer(call))));
  }
}

const grep = (pattern: string) => ["code_grep", { pattern, ignore_case: true }];

const HOW =
  "For real answers give Smith a model: put a key into the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY), or start a local server (Ollama, LM Studio, llama.cpp),\n" +
  "or name an endpoint: smith config set llm_config.api_url http://127.0.0.1:8080/v1, then smith config set default_model NAME.";

test("the demo searches for the words, reads around the two best hits, and answers with places under its own name", async () => {
  const found: Record<string, string> = {
    "turn.{0,24}loop|loop.{0,24}turn":
      "packages/engine/package.json:7: the turn loop\nsrc/x.ts:3: const returnLoop = 1;",
    turn: "src/x.ts:9:   return 1;\npackages/engine/src/turn/turn.ts:42: export async function runTurn() {",
    loop: "packages/engine/src/turn/turn.ts:41: /** The loop: ask, append. */\nsrc/x.ts:3: const returnLoop = 1;",
  };
  const { rounds, reply } = await play("where is the turn loop?", (call) => {
    const { pattern, path, offset } = JSON.parse(call.arguments);
    if (call.name === "read") return `${path} · 90 lines · hash 0011\n  ${offset}│of ${path}`;
    return call.name === "code_map" ? "src/" : (found[pattern] ?? "no matches");
  });
  expect(rounds).toEqual([
    [["code_map", {}], grep("turn.{0,24}loop|loop.{0,24}turn"), grep("turn"), grep("loop")],
    [
      ["read", { path: "packages/engine/src/turn/turn.ts", offset: 39, limit: 8 }],
      ["read", { path: "packages/engine/src/turn/turn.ts", offset: 40, limit: 8 }],
    ],
  ]);
  const { shown, ...rest } = reply;
  expect(rest).toEqual({
    content: `This is a search by the demo (no language model): search results for "turn", "loop".

packages/engine/src/turn/turn.ts:41  /** The loop: ask, append. */
      39│of packages/engine/src/turn/turn.ts
packages/engine/src/turn/turn.ts:42  export async function runTurn() {
      40│of packages/engine/src/turn/turn.ts
packages/engine/package.json:7  the turn loop
src/x.ts:3  const returnLoop = 1;
src/x.ts:9  return 1;

${HOW}`,
    reasoning: "",
    tool_calls: [],
    finish_reason: "stop",
    usage: UNKNOWN_USAGE,
    model: DEMO_NAME,
    warnings: [],
  });
  expect(shown.join("")).toBe(rest.content);
  expect(shown.length).toBe(12);
});

test.each([
  ["Explain `read page` and handleRetry in src/turn.ts, please", ["read page", "handleRetry", "src/turn\\.ts"]],
  [
    "how are the retries counted?",
    ["retr(?:y|ies).{0,24}counted|counted.{0,24}retr(?:y|ies)", "retr(?:y|ies)", "counted"],
  ],
  ["buffers", ["buffer"]],
  ["C++ class", ["class"]],
  ["what is it?", []],
])("the demo searches %j by %j", async (question, patterns) => {
  const calls = wishes(await chat([user(question)]));
  expect(calls).toEqual([["code_map", {}], ...patterns.map(grep)]);
});

test("each call of the demo has an id of its own, in the whole transcript", async () => {
  const first = await chat([user("the turn loop")]);
  const history = [user("the turn loop"), asked(first.tool_calls), ...first.tool_calls.map((call) => result(call, ""))];
  const second = await chat([...history, user("a window")]);
  const ids = [...first.tool_calls, ...second.tool_calls].map((call) => call.id);
  expect(ids).toEqual(["demo_1", "demo_2", "demo_3", "demo_4", "demo_5", "demo_6"]);
});

test("the demo does the same for the same transcript and leaves it as it is", async () => {
  const messages = Object.freeze([user("where is the window?")]);
  expect(await chat(messages)).toEqual(await chat(messages));
});

test("without code_grep the demo says that it can only search, and calls nothing", async () => {
  const { content, tool_calls } = await chat([user("edit a.ts")], ["bash", "edit", "read", "code_map"].map(spec));
  expect([content, tool_calls]).toEqual([
    `This is the demo (no language model): it can only search code, and no search tool (code_grep) is offered here.\n\n${HOW}`,
    [],
  ]);
});

test("with code_grep alone the demo neither maps nor reads", async () => {
  const tools = [spec("code_grep")];
  const first = await chat([user("window")], tools);
  expect(wishes(first)).toEqual([grep("window")]);
  const [call] = first.tool_calls;
  if (call === undefined) throw new Error("no call");
  const { content } = await chat([user("window"), asked([call]), result(call, "a.ts:1: a window")], tools);
  expect(content).toContain("\na.ts:1  a window\n");
});

test("the demo shows twelve places at most, three of one file, and says how many more there are", async () => {
  const lines = Array.from({ length: 40 }, (_, n) => `f${n >> 2}.ts:${n}: window ${"x".repeat(n)}`);
  const { reply } = await play("window", (call) => (call.name === "code_grep" ? lines.join("\n") : ""));
  const places = reply.content.split("\n").filter((line) => /^f\d+\.ts:/.test(line));
  expect(places.map((line) => line.split(":")[0])).toEqual(
    ["f0", "f1", "f2", "f3"].flatMap((f) => Array(3).fill(`${f}.ts`)),
  );
  expect(reply.content).toContain("\n(18 more not shown)\n");
});

test("finding nothing, the demo says so and shows the map", async () => {
  const { reply } = await play("zebra", (call) => (call.name === "code_map" ? "src/ 3 files\n  a.ts" : "no matches"));
  expect(reply.content).toBe(
    `This is a search by the demo (no language model): search results for "zebra".\n\nNothing was found. Try words that stand in the code.\nWhat is here:\nsrc/ 3 files\n  a.ts\n\n${HOW}`,
  );
});

test("a search that failed is told in its own words, and is not tried again", async () => {
  const { tool_calls } = await chat([user("zebra")]);
  const failure = JSON.stringify({
    ok: false,
    output: "",
    error: { kind: "tool", code: "x", message: "rg is missing." },
  });
  const results = tool_calls.map((call) => result(call, failure, false));
  const { content } = await chat([user("zebra"), asked(tool_calls), ...results]);
  expect(content).toContain("\nThe search failed: rg is missing.\n");
});

test("cancelled beforehand, the demo rejects", async () => {
  const asking = createDemo().chat(
    { model: "demo", messages: [user("x")], tools: ALL },
    { signal: AbortSignal.abort("ctrl-c"), onDelta: () => {} },
  );
  await expect(asking).rejects.toMatchObject({ kind: "cancelled", message: "ctrl-c" });
});
