import { createHash } from "node:crypto";
import type { AssistantMessage, Message } from "@smith/contract/message";
import type { ChatRequest } from "@smith/contract/model";
import { anthropicMessages, type Script, startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { type AnthropicOptions, createAnthropic } from "../src/index.ts";
import { ask, askRaw, hello, KEY, optionsFor, place, seen } from "./scene.ts";

const WIRE = { wire: anthropicMessages };
const ANTHROPIC = { make: createAnthropic, ...WIRE };
const MARK = { cache_control: { type: "ephemeral" } };

const start = (script: Script) => startScriptedLlm(script, WIRE);

/** The body that one request goes out with. */
async function bodyOf(request: Partial<ChatRequest>, options: Partial<AnthropicOptions> = {}): Promise<unknown> {
  await using llm = await start([{ say: "x" }]);
  const { error } = await ask(llm.url, { make: (all) => createAnthropic({ ...all, ...options }), request });
  expect(error).toBe(null);
  return llm.requests[0]?.body;
}

const user = (content: string): Message => ({ role: "user", content, ...place });
const text = (content: string, marked = false) => ({ type: "text", text: content, ...(marked ? MARK : {}) });
const call = (id: string, args = "{}", name = "read") => ({ id, name, arguments: args });
const says = (content: string, ...calls: ReturnType<typeof call>[]): AssistantMessage => ({
  role: "assistant",
  content,
  ...(calls.length > 0 ? { tool_calls: calls } : {}),
  ...place,
});
const result = (tool_call_id: string, content: string, ok = true): Message => ({
  role: "tool",
  tool_call_id,
  name: "read",
  content,
  ok,
  ...place,
});

test.each(["", "/", "/v1", "/v1/"])(
  "L22 an address that ends with %j is asked at /v1/messages with the key in x-api-key",
  async (end) => {
    await using llm = await start([{ say: "x" }]);
    await ask(llm.url.replace("/v1", end), { make: createAnthropic });
    const [request] = llm.requests;
    const headers = request?.headers ?? {};
    expect([request?.method, request?.path]).toEqual(["POST", "/v1/messages"]);
    expect([headers["x-api-key"], headers["anthropic-version"], headers.authorization]).toEqual([
      KEY,
      "2023-06-01",
      undefined,
    ]);
  },
);

test("L40 without a key Anthropic itself is not asked", async () => {
  const { error } = await ask("x", {
    make: ({ api_url, ...rest }) => createAnthropic({ ...rest, api_key: null, api_key_env: "MY_KEY" }),
  });
  expect(seen(error)).toEqual({ kind: "transport", code: "auth", retryable: false });
  expect(error?.message).toBe("default at https://api.anthropic.com needs a key: set MY_KEY.");
});

const tool = { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } };

test("L22 L23 L24 the body holds what was asked for: system and tools apart, 16384 tokens at most", async () => {
  expect(await bodyOf({ tools: [tool], temperature: 0 })).toEqual({
    model: "asked-model",
    max_tokens: 16_384,
    temperature: 0,
    stream: true,
    system: [text("You are Smith.", true)],
    tools: [{ name: "read", description: "Reads.", input_schema: tool.parameters }],
    messages: [{ role: "user", content: [text("hello", true)] }],
  });
  expect(await bodyOf({ max_tokens: 100 }, { stream: false })).toEqual({
    model: "asked-model",
    max_tokens: 100,
    system: [text("You are Smith.", true)],
    messages: [{ role: "user", content: [text("hello", true)] }],
  });
});

test("L23 all system messages come first, one block each, and without any the tools carry the mark", async () => {
  const messages: Message[] = [{ role: "system", content: "a" }, user("u"), { role: "system", content: "b" }];
  expect(await bodyOf({ messages })).toMatchObject({ system: [text("a", true), text("b")] });
  const bare = await bodyOf({ messages: [user("u")], tools: [tool, { ...tool, name: "edit" }] });
  expect(bare).toMatchObject({ tools: [{ name: "read" }, { name: "edit", ...MARK }] });
  expect(bare).not.toHaveProperty("system");
});

test("L23 consecutive results are one user message with is_error, and what the user says next joins them", async () => {
  const messages = [
    user("u"),
    says("I look.", call("a", '{"path": "x"}'), call("b", '{"cut'), call("c", "[1]", "no such/tool")),
    result("a", "of a"),
    result("b", " ", false),
    result("c", "x\udc00"),
    user("go on"),
  ];
  expect(await bodyOf({ messages })).toMatchObject({
    messages: [
      { role: "user", content: [text("u", true)] },
      {
        role: "assistant",
        content: [
          text("I look."),
          { type: "tool_use", id: "a", name: "read", input: { path: "x" } },
          { type: "tool_use", id: "b", name: "read", input: {} },
          { type: "tool_use", id: "c", name: "no_such_tool", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "of a" },
          { type: "tool_result", tool_use_id: "b", content: "(no output)", is_error: true },
          { type: "tool_result", tool_use_id: "c", content: "x\ufffd" },
          text("go on", true),
        ],
      },
    ],
  });
});

test("L23 user messages in a row are one, what is blank is left out, and the first is always a user's", async () => {
  const messages = [says("left over"), user("a"), says(" \n"), user("b\ud800")];
  expect(await bodyOf({ messages })).toMatchObject({
    messages: [
      { role: "user", content: [text("(the conversation goes on)")] },
      { role: "assistant", content: [text("left over")] },
      { role: "user", content: [text("a", true), text("b\ufffd", true)] },
    ],
  });
});

test("arguments keep their own spelling, half a surrogate pair in them does not", async () => {
  await using llm = await start([{ say: "x" }]);
  const args = ['{"n": 1.0, "big": 12345678901234567890}', '{"\\ud83d": "\\\\ud83d \\ud83d\\ude00"}'];
  const messages = [user("u"), says("", call("a", args[0]), call("b", args[1])), result("a", "x"), result("b", "x")];
  await ask(llm.url, { make: createAnthropic, request: { messages } });
  expect(llm.requests[0]?.raw).toContain('"input":{"n": 1.0, "big": 12345678901234567890}}');
  expect(llm.requests[0]?.raw).toContain('"input":{"\\ufffd":"\\\\ud83d 😀"}}');
});

test("ids of other providers are made to fit, calls and results alike", async () => {
  const long = "x".repeat(80);
  const messages = [
    user("u"),
    says("", call("functions.read:0"), call(long)),
    result("functions.read:0", "a"),
    result(long, "b"),
  ];
  const body = (await bodyOf({ messages })) as { messages: { content: { id?: string; tool_use_id?: string }[] }[] };
  const used = body.messages[1]?.content.map(({ id }) => id);
  expect(used).toEqual([
    "functions_2eread_3a0",
    `${"x".repeat(47)}_${createHash("sha256").update(long).digest("hex").slice(0, 16)}`,
  ]);
  expect(body.messages[2]?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(used);
});

test("the last message and the last of the request before end in a cache mark, also after a round of many calls", async () => {
  const calls = Array.from({ length: 12 }, (_, n) => call(`c${n}`));
  const messages = [
    ...hello.messages,
    says("first", call("a")),
    result("a", "of a"),
    says("", ...calls),
    ...calls.map(({ id }) => result(id, id)),
  ];
  const body = (await bodyOf({ messages })) as { messages: { content: Record<string, unknown>[] }[] };
  const marked = body.messages.map(({ content }) =>
    content.flatMap((block, at) => ("cache_control" in block ? [at] : [])),
  );
  expect(marked).toEqual([[], [], [0], [], [11]]);
});

test("L14 behind the edge of what is elided stands a cache mark, too; with the prompt's they are four", async () => {
  const messages = [
    ...hello.messages,
    says("first", call("a")),
    result("a", "[elided]"),
    says("second", call("b")),
    result("b", "of b"),
    says("third", call("c")),
    result("c", "of c"),
    says("fourth", call("d")),
    result("d", "of d"),
  ];
  const cache_edge = messages.findIndex((message) => message.role === "tool") + 1;
  const body = (await bodyOf({ messages, cache_edge })) as { messages: { content: Record<string, unknown>[] }[] };
  const marked = body.messages.map(({ content }) => content.filter((block) => "cache_control" in block).length);
  expect(marked).toEqual([0, 0, 1, 0, 0, 0, 1, 0, 1]);
  expect(JSON.stringify(body).split('"cache_control"').length - 1).toBe(4);
});

test.each([
  ["low", undefined, 2048, 16_384],
  ["medium", undefined, 8192, 16_384],
  ["high", undefined, 24_576, 28_672],
  ["medium", 1000, 8192, 12_288],
] as const)(
  "effort %s with max_tokens %s is a budget of %i in %i, without temperature",
  async (effort, max_tokens, budget, room) => {
    const body = await bodyOf({ effort, temperature: 0.5, ...(max_tokens === undefined ? {} : { max_tokens }) });
    expect(body).toMatchObject({ max_tokens: room, thinking: { type: "enabled", budget_tokens: budget } });
    expect(body).not.toHaveProperty("temperature");
  },
);

test.each([
  ["low", 4096, undefined, 2048, 4096],
  ["medium", 4096, undefined, 2048, 4096],
  ["medium", 8192, undefined, 4096, 8192],
  ["high", 8192, undefined, 4096, 8192],
  ["high", 32_000, undefined, 24_576, 28_672],
  ["high", 20_000, undefined, 15_904, 20_000],
  ["high", 1500, undefined, 1024, 1500],
  ["high", 4096, 1000, 2048, 4096],
  ["high", 1024, undefined, null, 1024],
] as const)(
  "L45 effort %s of a model that answers %s tokens, with max_tokens %s, is a budget of %s in %s: never below 1,024 nor all of it",
  async (effort, most, max_tokens, budget, room) => {
    const maxOutputOf = () => most;
    const request = { model: "small", effort, temperature: 0.5, ...(max_tokens === undefined ? {} : { max_tokens }) };
    const body = await bodyOf(request, { maxOutputOf });
    const thinking = budget === null ? undefined : { type: "enabled", budget_tokens: budget };
    const { max_tokens: asked, thinking: got, temperature } = body as Record<string, unknown>;
    expect([asked, got, temperature]).toEqual([room, thinking, budget === null ? 0.5 : undefined]);
  },
);

test.each([
  ["claude-opus-4-20250514", false],
  ["claude-3-7-sonnet-20250219", false],
  ["claude-sonnet-4-5-20250929", false],
  ["claude-opus-4-6", false],
  ["claude-opus-4-7", true],
  ["anthropic/claude-opus-4.8", true],
  ["claude-sonnet-5", true],
  ["claude-mythos-preview", true],
  ["kimi-k5", false],
])("L45 %s takes the effort itself, and no temperature: %s", async (model, adaptive) => {
  const body = await bodyOf({ model, effort: "high", temperature: 0 });
  const budget = { thinking: { type: "enabled", budget_tokens: 24_576 }, max_tokens: 28_672 };
  const own = {
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "high" },
    max_tokens: 16_384,
  };
  expect(body).toMatchObject(adaptive ? own : budget);
  expect(Object.hasOwn((await bodyOf({ model, temperature: 0 })) as object, "temperature")).toBe(!adaptive);
});

const event = (data: { type: string; [key: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const opened = (index: number, content_block: unknown) => event({ type: "content_block_start", index, content_block });
const grown = (index: number, delta: unknown) => event({ type: "content_block_delta", index, delta });
const closed = (index: number) => event({ type: "content_block_stop", index });
const begun = (usage: unknown = { input_tokens: 10, output_tokens: 1 }) =>
  event({ type: "message_start", message: { model: "claude", content: [], usage } });
const ended = (stop_reason: string, more: object = {}) =>
  event({ type: "message_delta", delta: { stop_reason, ...more }, usage: { output_tokens: 5 } }) +
  event({ type: "message_stop" });
const thought = (index: number, thinking: string, signature: string) =>
  opened(index, { type: "thinking", thinking: "", signature: "" }) +
  grown(index, { type: "thinking_delta", thinking }) +
  grown(index, { type: "signature_delta", signature }) +
  closed(index);
const spoken = (index: number, words: string) =>
  opened(index, { type: "text", text: "" }) + grown(index, { type: "text_delta", text: words }) + closed(index);
const called = (index: number, id: string) =>
  opened(index, { type: "tool_use", id, name: "read", input: {} }) + closed(index);

const THINKING =
  begun() +
  thought(0, "first", "s1") +
  opened(1, { type: "redacted_thinking", data: "d" }) +
  closed(1) +
  spoken(2, "I look. ") +
  thought(3, "then", "s2") +
  called(4, "a") +
  thought(5, "at last", "s3") +
  called(6, "b") +
  ended("tool_use");

/** The message that an engine makes of a reply, stored and read again. */
function messageOf({ reply }: Awaited<ReturnType<typeof ask>>): AssistantMessage {
  if (reply?.provider_data === undefined) throw new Error("no provider_data");
  const provider_data = JSON.parse(JSON.stringify(reply.provider_data)) as Record<string, unknown>;
  return { role: "assistant", content: reply.content, tool_calls: [...reply.tool_calls], provider_data, ...place };
}

test("fault 109 thoughts go back with their signatures, where they stood", async () => {
  const first = await askRaw(THINKING, ANTHROPIC);
  expect(first.reply).toMatchObject({ content: "I look.", reasoning: "firstthenat last", finish_reason: "tool_calls" });
  const messages = [...hello.messages, messageOf(first), result("a", "of a"), result("b", "of b")];
  const body = await bodyOf({ messages, effort: "low" });
  expect(body).toMatchObject({
    thinking: { type: "enabled" },
    messages: [
      {},
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "first", signature: "s1" },
          { type: "redacted_thinking", data: "d" },
          text("I look."),
          { type: "thinking", thinking: "then", signature: "s2" },
          { type: "tool_use", id: "a" },
          { type: "thinking", thinking: "at last", signature: "s3" },
          { type: "tool_use", id: "b" },
        ],
      },
      {},
    ],
  });
});

test("thoughts of another provider or model stay here, and the chain of calls they began goes on without any", async () => {
  const messages = [
    ...hello.messages,
    messageOf(await askRaw(THINKING, ANTHROPIC)),
    result("a", "x"),
    result("b", "x"),
  ];
  for (const [request, options] of [
    [{ model: "another" }, {}],
    [{}, { provider: "other" }],
  ] as const) {
    const body = (await bodyOf({ messages, effort: "low", ...request }, options)) as { messages: unknown[] };
    expect(body).not.toHaveProperty("thinking");
    expect(body.messages[1]).toMatchObject({ content: [text("I look."), { id: "a" }, { id: "b" }] });
  }
  const later = await bodyOf({ messages: [...messages, says("Done."), user("next")], model: "another", effort: "low" });
  expect(later).toHaveProperty("thinking");
});

test("a thought without a signature is shown and not kept", async () => {
  const stream =
    begun() + opened(0, { type: "thinking", thinking: "hm" }) + closed(0) + spoken(1, "42") + ended("end_turn");
  const { reply } = await askRaw(stream, ANTHROPIC);
  expect([reply?.content, reply?.reasoning, reply?.provider_data]).toEqual(["42", "hm", undefined]);
});

test.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["pause_turn", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "refusal"],
])("L25 the stop reason %s is %s", async (said, finish) => {
  const { reply } = await askRaw(begun() + spoken(0, "x") + ended(said), ANTHROPIC);
  expect([reply?.content, reply?.finish_reason]).toEqual(["x", finish]);
});

test("a refusal is said in the provider's words, in place of an answer or behind what there is of one", async () => {
  const refused = ended("refusal", { stop_details: { type: "refusal", explanation: "Not this." } });
  const mute = await askRaw(begun() + refused, ANTHROPIC);
  expect([mute.reply?.content, mute.reply?.warnings]).toEqual(["The model refused to answer: Not this.", []]);
  const begunOne = await askRaw(begun() + spoken(0, "Well") + refused, ANTHROPIC);
  expect([begunOne.reply?.content, begunOne.reply?.warnings]).toEqual([
    "Well",
    ["The model refused to answer: Not this."],
  ]);
});

test("L12 input tokens are all that went in, what came from the cache is told apart", async () => {
  const usage = { input_tokens: 10, cache_read_input_tokens: 200, cache_creation_input_tokens: 30, output_tokens: 1 };
  const { reply } = await askRaw(begun(usage) + spoken(0, "x") + ended("end_turn"), ANTHROPIC);
  expect(reply?.usage).toEqual({
    input_tokens: 240,
    output_tokens: 5,
    cached_tokens: 200,
    reasoning_tokens: null,
    cost_usd: null,
  });
});

test.each([
  ["overloaded_error", { kind: "transport", code: "rate_limit", retryable: true }],
  ["api_error", { kind: "transport", code: "rate_limit", retryable: true }],
  ["authentication_error", { kind: "transport", code: "auth", retryable: false }],
  ["invalid_request_error", { kind: "protocol", code: "bad_request", retryable: false }],
])("fault 103 an error event in mid-stream (%s) is the error, and what was shown stays", async (type, verdict) => {
  const broken = event({ type: "error", error: { type, message: "not now" } });
  const { error, shown } = await askRaw(
    begun() + opened(0, { type: "text", text: "" }) + grown(0, { type: "text_delta", text: "Hel" }) + broken,
    ANTHROPIC,
  );
  expect([seen(error), shown, error?.origin]).toEqual([verdict, "Hel", "llm/anthropic"]);
  expect(error?.message).toContain("answered with an error: not now.");
});

test.each([
  [
    400,
    { kind: "protocol", code: "context_overflow", retryable: false },
    "prompt is too long: 210000 tokens > 200000 maximum",
  ],
  [400, { kind: "protocol", code: "bad_request", retryable: false }, "max_tokens: must be an integer"],
  [401, { kind: "transport", code: "auth", retryable: false }, "invalid x-api-key"],
  [404, { kind: "transport", code: "bad_request", retryable: false }, "model: none"],
  [529, { kind: "transport", code: "rate_limit", retryable: true }, "Overloaded"],
])("L30 L31 the status %i is %o for %j", async (status, verdict, message) => {
  await using llm = await start([{ status, body: { type: "error", error: { type: "x_error", message } } }]);
  const { error } = await ask(llm.url, { make: createAnthropic });
  expect(seen(error)).toEqual(verdict);
  expect(error?.message).toContain(`answered ${status}: ${message}.`);
});

test("what nobody asked for (tools the provider runs itself, events not known yet) is passed over", async () => {
  const stream =
    begun() +
    opened(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }) +
    grown(0, { type: "input_json_delta", partial_json: '{"query": 1}' }) +
    closed(0) +
    opened(1, { type: "web_search_tool_result", content: [] }) +
    closed(1) +
    event({ type: "brand_new" }) +
    grown(9, { type: "text_delta", text: "lost" }) +
    spoken(2, "x") +
    ended("end_turn");
  const { reply, error } = await askRaw(stream, ANTHROPIC);
  expect([error, reply?.content, reply?.tool_calls, reply?.warnings]).toEqual([null, "x", [], []]);
});

test("fault 88 pings keep a stream alive no longer than comments do: three stall times without data", async () => {
  const pings = (async function* () {
    yield begun();
    for (;;) {
      yield event({ type: "ping" });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  await using llm = await start([{ raw: pings }]);
  const before = performance.now();
  const { error } = await ask(llm.url, {
    make: createAnthropic,
    options: { timeouts: { stream_stall_timeout_s: 0.1 } },
  });
  expect(seen(error)).toEqual({ kind: "transport", code: "stream_stalled", retryable: true });
  expect(performance.now() - before).toBeGreaterThan(290);
});

test("a round encodes only what is new", async () => {
  let reads = 0;
  const watched = Object.freeze({
    role: "user" as const,
    ...place,
    get content() {
      reads++;
      return "one";
    },
  });
  await using llm = await start([{ say: "x" }, { say: "y" }]);
  const model = createAnthropic({
    provider: "d",
    api_url: llm.url,
    api_key: "k",
    api_key_env: "K",
    stream: true,
    timeouts: {},
  });
  const options = { signal: new AbortController().signal, onDelta: () => {} };
  await model.chat({ ...hello, messages: [watched] }, options);
  await model.chat({ ...hello, messages: [watched, says("a"), user("two")] }, options);
  expect(reads).toBe(1);
});

test("L24 a model that can answer with less than 16,384 tokens is asked for no more than it can", async () => {
  const most: Readonly<Record<string, number>> = { small: 8192, large: 64_000 };
  await using llm = await startScriptedLlm([{ say: "1" }, { say: "2" }, { say: "3" }, { say: "4" }], {
    wire: anthropicMessages,
  });
  const chat = createAnthropic({ ...optionsFor(llm.url), maxOutputOf: (model) => most[model] ?? null });
  const options = { signal: new AbortController().signal, onDelta: () => {} };
  for (const model of ["small", "large", "unheard"]) await chat.chat({ ...hello, model }, options);
  await chat.chat({ ...hello, model: "small", max_tokens: 100 }, options);
  expect(llm.requests.map(({ body }) => (body as { max_tokens: number }).max_tokens)).toEqual([
    8192, 16_384, 16_384, 100,
  ]);
});
