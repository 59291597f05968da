import type { ChatRequest } from "@smith/contract/model";
import { ollamaChat, type RecordedRequest, startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { createOllama, type OllamaOptions } from "../src/index.ts";
import { ask, askRaw, hello, place, seen } from "./scene.ts";

const wire = ollamaChat;
const make = createOllama;
const line = (object: unknown): string => `${JSON.stringify(object)}\n`;
const says = (message: object): string =>
  line({ model: "m", message: { role: "assistant", content: "", ...message }, done: false });
const DONE = line({ model: "m", message: { role: "assistant", content: "" }, done: true, done_reason: "stop" });
const READ = { function: { name: "read", arguments: { path: "naïve.ts" } } };

/** What one request held. */
async function sent(
  request: Partial<ChatRequest>,
  settings: Partial<OllamaOptions> = {},
): Promise<{ body: Readonly<Record<string, unknown>>; recorded: RecordedRequest }> {
  await using llm = await startScriptedLlm([{ say: "ok" }], { wire });
  const { error } = await ask(llm.url, { request, make: (options) => createOllama({ ...options, ...settings }) });
  const [recorded] = llm.requests;
  if (error !== null || recorded === undefined) throw error ?? new Error("nothing was sent");
  return { body: recorded.body as Record<string, unknown>, recorded };
}

const CALLS = [
  ["in the same line as its text", [says({ content: "I look.", tool_calls: [READ] }), DONE]],
  ["in a later line", [says({ content: "I look." }), says({ tool_calls: [READ] }), DONE]],
  [
    "in the line that is the last",
    [says({ content: "I look." }), DONE.replace('"content":""', `"content":"","tool_calls":[${JSON.stringify(READ)}]`)],
  ],
  [
    "in a line that is split over two writes",
    [
      says({ content: "I look.", tool_calls: [READ] }).slice(0, 90),
      says({ content: "I look.", tool_calls: [READ] }).slice(90),
      DONE,
    ],
  ],
  ["in two lines of one write", [says({ content: "I look." }) + says({ tool_calls: [READ] }) + DONE]],
  ["before a last line without its end", [says({ content: "I look.", tool_calls: [READ] }), DONE.trimEnd()]],
  [
    "in one whole object over several lines",
    [
      JSON.stringify(
        { ...JSON.parse(DONE), message: { role: "assistant", content: "I look.", tool_calls: [READ] } },
        null,
        2,
      ),
    ],
  ],
] as const;

test.each(CALLS)(
  "B90 L26 L27 a call that comes %s is there once, with an id made up and the text beside it",
  async (_, raw) => {
    const { reply, error } = await askRaw(raw, { wire, make });
    expect([error, reply?.content, reply?.tool_calls, reply?.finish_reason]).toEqual([
      null,
      "I look.",
      [{ id: "ollama_0_1", name: "read", arguments: '{"path":"naïve.ts"}' }],
      "tool_calls",
    ]);
  },
);

test("L27 L28 several calls have ids of their own, against the transcript's too; text for arguments is taken as it is", async () => {
  const text = { function: { name: "read", arguments: '{"path": "b"}' } };
  const raw = [says({ tool_calls: [READ, text] }), says({ tool_calls: [READ] }), DONE];
  const messages: ChatRequest["messages"] = [
    ...hello.messages,
    { role: "assistant", content: "", tool_calls: [{ id: "ollama_1_1", name: "read", arguments: "{}" }], ...place },
    { role: "tool", tool_call_id: "ollama_1_1", name: "read", content: "x", ok: true, ...place },
  ];
  const { reply } = await askRaw(raw, { wire, make, request: { messages } });
  expect(reply?.tool_calls).toEqual([
    { id: "ollama_1_2", name: "read", arguments: '{"path":"naïve.ts"}' },
    { id: "ollama_1_3", name: "read", arguments: '{"path": "b"}' },
    { id: "ollama_1_4", name: "read", arguments: '{"path":"naïve.ts"}' },
  ]);
});

test.each([
  ["as the whole answer", [line({ error: "model runner has unexpectedly stopped" })]],
  ["in mid-stream", [says({ content: "Hel" }), line({ error: "model runner has unexpectedly stopped" })]],
])("L28 an error in a 200 answer, %s, is bad_request in the server's words", async (_, raw) => {
  const { error } = await askRaw(raw, { wire, make });
  expect([seen(error), error?.message.includes("model runner has unexpectedly stopped.")]).toEqual([
    { kind: "protocol", code: "bad_request", retryable: false },
    true,
  ]);
});

test.each([
  ["the input length exceeds the context length", "context_overflow"],
  ["prompt too long; exceeded max context length by 512 tokens", "context_overflow"],
  [`"llama2" does not support tools`, "bad_request"],
])("L30 L31 a 400 that says %s is %s", async (words, code) => {
  await using llm = await startScriptedLlm([{ status: 400, body: { error: words } }], { wire });
  expect((await ask(llm.url, { make })).error?.code).toBe(code);
});

test.each([
  ["{broken}\n", "malformed JSON"],
  ["<html>nope</html>", "a web page"],
  ["[1]\n", "JSON that is no answer of a model"],
  ["", "an empty body"],
])("a body that is %j is told for what it is", async (raw, words) => {
  const { error } = await askRaw(raw, { wire, make });
  expect([error?.code, error?.message.includes(words)]).toEqual(["bad_request", true]);
});

test("B31 a stream that ends without `done` was cut, and what it said before is shown", async () => {
  const { error, shown } = await askRaw([says({ content: "Half" })], { wire, make });
  expect([error?.code, shown]).toEqual(["stream_cut", "Half"]);
});

test("L26 tokens, temperature, context and time in memory go out in Ollama's own names", async () => {
  const settings = { contextOf: (model: string) => (model === "asked-model" ? 40_960 : null), keep_alive: "10m" };
  const { body } = await sent({ max_tokens: 100, temperature: 0 }, settings);
  const { messages, ...rest } = body;
  expect(rest).toEqual({
    ...{ model: "asked-model", stream: true, keep_alive: "10m", truncate: false },
    options: { num_ctx: 40_960, num_predict: 100, temperature: 0 },
  });
  const { messages: _, ...bare } = (await sent({}, { keep_alive: -1 })).body;
  expect(bare).toEqual({ model: "asked-model", stream: true, keep_alive: -1, truncate: false });
});

const yes = (): boolean => true;
const no = (): boolean => false;

test.each([
  ["gpt-oss:20b", { effort: "low" }, {}, "low"],
  ["qwen3:8b", { effort: "high" }, {}, true],
  ["qwen3-coder:30b", { effort: "high" }, {}, undefined],
  ["llama3.1:8b", { effort: "high" }, {}, undefined],
  ["mine", { effort: "high" }, { thinks: yes }, true],
  ["qwen3:8b", { effort: "high" }, { thinks: no }, undefined],
  ["qwen3:8b", { effort: "high" }, { think: false }, false],
  ["llama3.1:8b", {}, { think: true }, true],
  ["gpt-oss:20b", { effort: "medium" }, { think: true }, "medium"],
] as const)("L26 %s with %o and %o is sent think %s", async (model, request, settings, think) => {
  expect((await sent({ model, ...request }, settings)).body["think"]).toBe(think);
});

test("L26 L27 calls go back with their arguments as objects, results under the tool's name, pictures beside the text", async () => {
  const messages: ChatRequest["messages"] = [
    { role: "system", content: "You are Smith." },
    { role: "user", content: "look", turn_id: "t1", round: 0, ts: 1 },
    {
      role: "assistant",
      content: "",
      reasoning: "hm",
      tool_calls: [{ id: "c1", name: "read", arguments: '{"a":1}' }],
      ...place,
    },
    { role: "tool", tool_call_id: "c1", name: "read", content: "", ok: true, ...place },
    {
      role: "user",
      content: [
        { type: "text", text: "and this?" },
        { type: "image", media_type: "image/png", blob: "h" },
      ],
      turn_id: "t2",
      round: 0,
      ts: 1,
    },
  ];
  await using llm = await startScriptedLlm([{ say: "ok" }], { wire });
  const chat = createOllama({
    provider: "p",
    api_url: llm.url,
    api_key: null,
    api_key_env: "K",
    stream: false,
    timeouts: {},
  });
  const loadBlob = async () => new Uint8Array([1, 2, 3]);
  await chat.chat(
    { model: "m", messages, tools: [] },
    { signal: new AbortController().signal, onDelta: () => {}, loadBlob },
  );
  const [first] = llm.requests as unknown as readonly { body: { messages: unknown } }[];
  expect(first?.body.messages).toEqual([
    { role: "system", content: "You are Smith." },
    { role: "user", content: "look" },
    {
      role: "assistant",
      content: "",
      thinking: "hm",
      tool_calls: [{ function: { name: "read", arguments: { a: 1 } } }],
    },
    { role: "tool", tool_name: "read", content: "(no output)" },
    { role: "user", content: "and this?", images: ["AQID"] },
  ]);
});

test.each(["", "/", "/v1", "/api/", "/v1//"])("B60 an address that ends in %j is asked at /api/chat", async (end) => {
  await using llm = await startScriptedLlm([{ say: "ok" }], { wire });
  await ask(llm.url.replace("/v1", end), { make });
  expect(llm.requests[0]?.path).toBe("/api/chat");
});
