import type { AssistantMessage, Message } from "@smith/contract/message";
import type { ChatRequest } from "@smith/contract/model";
import { openAiResponses, type Script, startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { createOpenAiResponses, type HttpModelOptions } from "../src/index.ts";
import { cutAnywhere } from "./recorded.ts";
import { ask, askRaw, hello, KEY, place, seen } from "./scene.ts";

const WIRE = { wire: openAiResponses };
const RESPONSES = { make: createOpenAiResponses, ...WIRE };

const start = (script: Script) => startScriptedLlm(script, WIRE);

/** The body that one request goes out with. */
async function bodyOf(request: Partial<ChatRequest>, options: Partial<HttpModelOptions> = {}): Promise<unknown> {
  await using llm = await start([{ say: "x" }]);
  const { error } = await ask(llm.url, { make: createOpenAiResponses, options, request });
  expect(error).toBe(null);
  return llm.requests[0]?.body;
}

const user = (content: string): Message => ({ role: "user", content, ...place });
const call = (id: string, args = "{}", name = "read") => ({ id, name, arguments: args });
const says = (content: string, ...calls: ReturnType<typeof call>[]): AssistantMessage => ({
  role: "assistant",
  content,
  ...(calls.length > 0 ? { tool_calls: calls } : {}),
  ...place,
});
const result = (tool_call_id: string, content: string): Message => ({
  role: "tool",
  tool_call_id,
  name: "read",
  content,
  ok: true,
  ...place,
});

const INCLUDE = { include: ["reasoning.encrypted_content"] };
const tool = { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } };

test("the body holds the whole conversation as items, and nothing is stored", async () => {
  await using llm = await start([{ say: "x" }]);
  const request = { tools: [tool], temperature: 0, max_tokens: 100 };
  await ask(llm.url, { make: createOpenAiResponses, request });
  const [sent] = llm.requests;
  expect([sent?.path, sent?.headers.authorization]).toEqual(["/v1/responses", `Bearer ${KEY}`]);
  expect(sent?.body).toEqual({
    model: "asked-model",
    store: false,
    stream: true,
    instructions: "You are Smith.",
    max_output_tokens: 100,
    temperature: 0,
    ...INCLUDE,
    tools: [{ type: "function", ...tool, strict: false }],
    input: [{ type: "message", role: "user", content: "hello" }],
  });
  expect(await bodyOf({ max_tokens: 1 }, { stream: false })).toEqual({
    model: "asked-model",
    store: false,
    instructions: "You are Smith.",
    max_output_tokens: 16,
    ...INCLUDE,
    input: [{ type: "message", role: "user", content: "hello" }],
  });
});

test.each(["low", "medium", "high"] as const)(
  "effort %s goes out as reasoning.effort, without a temperature",
  async (effort) => {
    const body = await bodyOf({ effort, temperature: 1 });
    expect(body).toMatchObject({ reasoning: { effort } });
    expect(body).not.toHaveProperty("temperature");
  },
);

test.each([
  ["gpt-5", false, true],
  ["o3-mini", false, true],
  ["openai/gpt-5.1-codex", false, true],
  ["gpt-4.1-nano", true, false],
  ["openai/chatgpt-4o-latest", true, false],
  ["gpt-oss-20b", true, true],
])("L45 %s gets a temperature: %s, and is asked for its thoughts: %s", async (model, temperature, thoughts) => {
  const body = (await bodyOf({ model, temperature: 0 })) as object;
  expect([Object.hasOwn(body, "temperature"), Object.hasOwn(body, "include")]).toEqual([temperature, thoughts]);
});

test("L13 calls and results are items of their own, and what is blank, broken or foreign is mended", async () => {
  const long = `call_${"x".repeat(80)}`;
  const messages = [
    user(" "),
    says("I look.", call("a", ' {"path": "x"} '), call(long, '{"cut', "no such/tool")),
    result("a", " "),
    result(long, "x\udc00"),
    says(" "),
    user("next"),
  ];
  const { input } = (await bodyOf({ messages })) as { input: Record<string, unknown>[] };
  const fitted = input[3]?.["call_id"];
  expect(fitted).toMatch(/^call_x{42}_[0-9a-f]{16}$/);
  expect(input).toEqual([
    { type: "message", role: "user", content: "(no text)" },
    { type: "message", role: "assistant", content: "I look." },
    { type: "function_call", call_id: "a", name: "read", arguments: '{"path": "x"}' },
    { type: "function_call", call_id: fitted, name: "no_such_tool", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "(no output)" },
    { type: "function_call_output", call_id: fitted, output: "x\ufffd" },
    { type: "message", role: "user", content: "next" },
  ]);
});

let n = 0;
const event = (type: string, data: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: n++, ...data })}\n\n`;
const added = (output_index: number, item: object) => event("response.output_item.added", { output_index, item });
const done = (output_index: number, item: object) => event("response.output_item.done", { output_index, item });
const said = (output_index: number, delta: string) =>
  event("response.output_text.delta", { output_index, content_index: 0, delta });
const thought = (output_index: number, summary_index: number, delta: string) =>
  event("response.reasoning_summary_text.delta", { output_index, summary_index, delta });
const sealed = (id: string, ...texts: string[]) => ({
  type: "reasoning",
  id: `rs_${id}`,
  summary: texts.map((text) => ({ type: "summary_text", text })),
  encrypted_content: `sealed ${id}`,
  status: null,
});
const fnCall = (id: string, args = "{}") => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "read",
  arguments: args,
});
const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 8 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 3 },
};
const ended = (response: object = {}, type = "completed") =>
  event(`response.${type}`, { response: { model: "gpt-5-2025", status: type, output: [], usage: USAGE, ...response } });

const THINKING =
  event("response.created", { response: { model: "gpt-5", status: "in_progress" } }) +
  added(0, { type: "reasoning", id: "rs_1", summary: [] }) +
  thought(0, 0, "one, ") +
  thought(0, 0, "two") +
  thought(0, 1, "three") +
  done(0, sealed("1", "one, two", "three")) +
  added(1, { type: "message", content: [] }) +
  said(1, "I loo") +
  said(1, "k.") +
  done(1, { type: "message", content: [{ type: "output_text", text: "I look." }] }) +
  done(2, sealed("2")) +
  added(3, fnCall("a", "")) +
  event("response.function_call_arguments.delta", { output_index: 3, delta: '{"path":' }) +
  event("response.function_call_arguments.delta", { output_index: 3, delta: '"x"}' }) +
  done(3, fnCall("a", '{"path":"x"}')) +
  done(4, sealed("3")) +
  ended();

test("an answer of thoughts, text and calls folds alike, whole or cut anywhere", async () => {
  const whole = await askRaw(THINKING, RESPONSES);
  const { provider_data, ...reply } = whole.reply ?? {};
  expect(reply).toEqual({
    content: "I look.",
    reasoning: "one, two\n\nthree",
    tool_calls: [call("a", '{"path":"x"}')],
    finish_reason: "tool_calls",
    usage: { input_tokens: 10, output_tokens: 5, cached_tokens: 8, reasoning_tokens: 3, cost_usd: null },
    model: "gpt-5-2025",
    warnings: [],
  });
  expect([whole.shown, whole.thought]).toEqual(["I look.", "one, two\n\nthree"]);
  expect(Object.keys(provider_data ?? {})).toEqual(["openai_responses"]);
  for (let seed = 1; seed <= 3; seed++)
    expect(await askRaw(cutAnywhere(Buffer.from(THINKING), seed), RESPONSES)).toEqual(whole);
});

/** The message that an engine makes of a reply, stored and read again. */
function messageOf({ reply }: Awaited<ReturnType<typeof ask>>): AssistantMessage {
  if (reply?.provider_data === undefined) throw new Error("no provider_data");
  const provider_data = JSON.parse(JSON.stringify(reply.provider_data)) as Record<string, unknown>;
  return { role: "assistant", content: reply.content, tool_calls: [...reply.tool_calls], provider_data, ...place };
}

test("thoughts go back encrypted where they stood, but not behind the last thing said", async () => {
  const messages = [...hello.messages, messageOf(await askRaw(THINKING, RESPONSES)), result("a", "of a")];
  const { status: _, ...first } = sealed("1", "one, two", "three");
  const { status: __, ...second } = sealed("2");
  expect(await bodyOf({ messages })).toMatchObject({
    input: [
      {},
      first,
      { type: "message", role: "assistant", content: "I look." },
      second,
      { type: "function_call", call_id: "a" },
      { type: "function_call_output", call_id: "a" },
    ],
  });
});

test("thoughts of another model or provider stay here", async () => {
  const messages = [...hello.messages, messageOf(await askRaw(THINKING, RESPONSES)), result("a", "of a")];
  const types = ["message", "message", "function_call", "function_call_output"].map((type) => ({ type }));
  expect(await bodyOf({ messages, model: "gpt-4.1" })).toMatchObject({ input: types });
  expect(await bodyOf({ messages }, { provider: "other" })).toMatchObject({ input: types });
});

test("a server that tells only whole items, or only the whole response, is understood", async () => {
  const output = [
    { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "hm" }] },
    { type: "message", content: [{ type: "output_text", text: "I look." }] },
    fnCall("a", '{"path":"x"}'),
  ];
  const items = await askRaw(output.map((item, index) => done(index, item)).join("") + ended(), RESPONSES);
  const whole = await askRaw(ended({ output }), RESPONSES);
  const document = JSON.stringify({
    object: "response",
    model: "gpt-5-2025",
    status: "completed",
    output,
    usage: USAGE,
  });
  const plain = await askRaw(document, { ...RESPONSES, options: { stream: false } });
  for (const { reply } of [items, whole, plain]) {
    expect(reply).toMatchObject({
      content: "I look.",
      reasoning: "hm",
      tool_calls: [call("a", '{"path":"x"}')],
      finish_reason: "tool_calls",
      model: "gpt-5-2025",
    });
    expect(reply?.provider_data).toBe(undefined);
  }
});

test("two messages of one answer are two paragraphs", async () => {
  const { reply, shown } = await askRaw(said(0, "First.") + said(1, "Then") + said(1, " this.") + ended(), RESPONSES);
  expect([reply?.content, shown]).toEqual(["First.\n\nThen this.", "First.\n\nThen this."]);
});

test.each([
  [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
  [{ status: "incomplete", incomplete_details: { reason: "content_filter" } }, "content_filter"],
  [{ status: "completed" }, "stop"],
])("a response that ends with %o is %s", async (response, finish) => {
  const { reply } = await askRaw(said(0, "x") + ended(response, response.status), RESPONSES);
  expect([reply?.content, reply?.finish_reason]).toEqual(["x", finish]);
});

test("a refusal is said and named, in pieces and whole", async () => {
  const pieces = event("response.refusal.delta", { output_index: 0, delta: "I can't." }) + ended();
  const whole = ended({ output: [{ type: "message", content: [{ type: "refusal", refusal: "I can't." }] }] });
  for (const stream of [pieces, whole]) {
    const { reply } = await askRaw(stream, RESPONSES);
    expect([reply?.content, reply?.finish_reason]).toEqual(["I can't.", "refusal"]);
  }
});

const FAILED = { kind: "transport", code: "rate_limit", retryable: true };

test.each([
  ["an error event", event("error", { code: "server_error", message: "not now", param: null }), FAILED],
  ["a failed response", ended({ error: { code: "rate_limit_exceeded", message: "not now" } }, "failed"), FAILED],
  [
    "an overflow",
    ended({ error: { code: "context_length_exceeded", message: "not now" } }, "failed"),
    { kind: "protocol", code: "context_overflow", retryable: false },
  ],
])("%s in mid-stream is the error, and what was shown stays", async (_, broken, verdict) => {
  const { error, shown } = await askRaw(said(0, "Hel") + broken, RESPONSES);
  expect([seen(error), shown, error?.origin]).toEqual([verdict, "Hel", "llm/openai-responses"]);
  expect(error?.message).toContain("answered with an error: not now.");
});

test("a response that failed without a word, or a stream without its end, was cut off", async () => {
  for (const stream of [said(0, "x") + ended({ error: null }, "failed"), said(0, "x")]) {
    const { error } = await askRaw(stream, RESPONSES);
    expect(seen(error)).toEqual({ kind: "transport", code: "stream_cut", retryable: true });
  }
});

test.each([
  [401, { kind: "transport", code: "auth", retryable: false }],
  [429, { kind: "transport", code: "rate_limit", retryable: true }],
  [500, { kind: "transport", code: "rate_limit", retryable: true }],
])("L30 the status %i is %o", async (status, verdict) => {
  await using llm = await start([{ status }]);
  expect(seen((await ask(llm.url, { make: createOpenAiResponses })).error)).toEqual(verdict);
});
