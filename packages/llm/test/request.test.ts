import { createCancel } from "@smith/contract/cancel";
import { deepFreeze } from "@smith/contract/freeze";
import type { Message } from "@smith/contract/message";
import { startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { createOpenAiChat } from "../src/index.ts";
import { ask, hello, KEY, optionsFor, place, seen } from "./scene.ts";

test.each(["", "/", "//"])("L2 B60 an address that ends with %j makes the same path", async (tail) => {
  await using llm = await startScriptedLlm([{ say: "x" }]);
  await ask(llm.url + tail);
  expect(llm.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /v1/chat/completions"]);
});

test("L2 a query in the address stays behind the path", async () => {
  await using llm = await startScriptedLlm([{ say: "x" }]);
  await ask(`${llm.url}/?api-version=1`);
  expect(llm.requests[0]?.path).toBe("/v1/chat/completions?api-version=1");
});

test.each([
  [`${KEY}\n`, `Bearer ${KEY}`],
  [`  ${KEY} `, `Bearer ${KEY}`],
  [null, undefined],
  [" \n", undefined],
])("L3 L21 B60 fault 212 the key %j goes out as %j", async (api_key, expected) => {
  await using llm = await startScriptedLlm([{ say: "x" }]);
  await ask(llm.url, { options: { api_key } });
  expect(llm.requests[0]?.headers.authorization).toBe(expected);
});

test("L3 L40 B60 fault 212 a key that no header can carry is an error that names its variable and never the key; nothing is sent", async () => {
  await using llm = await startScriptedLlm([]);
  const { error } = await ask(llm.url, { options: { api_key: "sk-secret\nx", api_key_env: "MY_KEY" } });
  expect(seen(error)).toEqual({ kind: "transport", code: "auth", retryable: false });
  expect(error?.message).toBe(
    "The key in MY_KEY for default holds characters that no HTTP header can carry. Set MY_KEY to the bare key.",
  );
});

test("configured headers go out and win; one that can't be sent is named", async () => {
  await using llm = await startScriptedLlm([{ say: "x" }]);
  await ask(llm.url, { options: { headers: { "X-Title": "smith", Authorization: "Basic abc" } } });
  const sent = llm.requests[0]?.headers;
  expect([sent?.["x-title"], sent?.authorization]).toEqual(["smith", "Basic abc"]);
  const { error } = await ask(llm.url, { options: { headers: { "X-Bad": "a\r\nb: c" } } });
  expect(error?.message).toBe('The header "X-Bad" of default can\'t be sent. Mend its name or value.');
});

test("an address that is none is an error before any request", async () => {
  const { error } = await ask("user:secret@host");
  expect(seen(error)).toEqual({ kind: "protocol", code: "bad_request", retryable: false });
  expect(error?.message).not.toContain("secret");
});

const tool = { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } };

test("L1 the body holds what was asked for and nothing else", async () => {
  await using llm = await startScriptedLlm([{ say: "x" }, { say: "x" }]);
  await ask(llm.url);
  const messages = [
    { role: "system", content: "You are Smith." },
    { role: "user", content: "hello" },
  ];
  expect(llm.requests[0]?.body).toEqual({
    model: "asked-model",
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  await ask(llm.url, {
    options: { stream: false },
    request: { tools: [tool], temperature: 0, max_tokens: 100, effort: "low" },
  });
  expect(llm.requests[1]?.body).toEqual({
    model: "asked-model",
    messages,
    tools: [{ type: "function", function: tool }],
    temperature: 0,
    max_tokens: 100,
    reasoning_effort: "low",
  });
});

test.each(["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5.1-codex", "openai/gpt-5-nano"])(
  "L45 %s is sent no temperature, and its limit as max_completion_tokens",
  async (model) => {
    await using llm = await startScriptedLlm([{ say: "x" }]);
    await ask(llm.url, { request: { model, temperature: 0, max_tokens: 100 }, options: { stream: false } });
    expect(llm.requests[0]?.body).toEqual({ messages: expect.any(Array), model, max_completion_tokens: 100 });
  },
);

test.each(["gpt-4o", "gpt-oss-120b", "o3ora", "claude-o1", "phi-o1x", "qwen3", "gpt-50s"])(
  "L45 %s is sent its temperature and max_tokens",
  async (model) => {
    await using llm = await startScriptedLlm([{ say: "x" }]);
    await ask(llm.url, { request: { model, temperature: 0, max_tokens: 100 }, options: { stream: false } });
    expect(llm.requests[0]?.body).toEqual({ messages: expect.any(Array), model, temperature: 0, max_tokens: 100 });
  },
);

test("L13 B36 B88 a transcript goes out without anything blank, broken or foreign", async () => {
  await using llm = await startScriptedLlm([{ say: "x" }]);
  const call = (id: string, args: string, name = "read") => ({ id, name, arguments: args });
  const result = (tool_call_id: string, content: string): Message => ({
    role: "tool",
    tool_call_id,
    name: "read",
    content,
    ok: true,
    recall_key: "k",
    ...place,
  });
  await ask(llm.url, {
    request: {
      messages: [
        { role: "system", content: " " },
        { role: "user", content: "half \ud83d", ...place },
        { role: "assistant", content: " \n", is_error: true, ...place },
        {
          role: "assistant",
          content: " ",
          reasoning: "not for you",
          tool_calls: [call("a", ""), call("b", '{"cut'), call("c", "[1]"), call("d", '{"ok": 1}', "no such/tool")],
          ...place,
        },
        result("a", ""),
        result("b", " \n"),
        result("c", "fine"),
        result("d", "x\udc00"),
        { role: "user", content: " ", ...place },
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "image", media_type: "image/png", blob: "00ff" },
          ],
          ...place,
        },
      ],
    },
  });
  const sent = (id: string, args: string, name = "read") => ({
    id,
    type: "function",
    function: { name, arguments: args },
  });
  expect(llm.requests[0]?.body).toMatchObject({
    messages: [
      { role: "user", content: "half \ufffd" },
      {
        role: "assistant",
        content: null,
        tool_calls: [sent("a", "{}"), sent("b", "{}"), sent("c", "{}"), sent("d", '{"ok": 1}', "no_such_tool")],
      },
      { role: "tool", tool_call_id: "a", content: "(no output)" },
      { role: "tool", tool_call_id: "b", content: "(no output)" },
      { role: "tool", tool_call_id: "c", content: "fine" },
      { role: "tool", tool_call_id: "d", content: "x\ufffd" },
      { role: "user", content: "(no text)" },
      { role: "user", content: "a\n[image/png 00ff: images can't be shown to this model]" },
    ],
  });
  expect(llm.requests[0]?.raw).not.toContain("not for you");
});

const user: Message = { role: "user", content: "u", ...place };
const asks = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => ({ id, name: "read", arguments: "{}" })),
  ...place,
});
const answers = (tool_call_id: string): Message => ({
  role: "tool",
  tool_call_id,
  name: "read",
  content: "x",
  ok: true,
  ...place,
});

test.each<[string, Message[], string]>([
  ["a call without an id", [user, asks(""), answers("")], "in message 1, a tool call has no id"],
  [
    "a call id that is pending twice",
    [user, asks("a", "a"), answers("a")],
    "in message 1, the call id a is there twice",
  ],
  [
    "another role before all results",
    [user, asks("a", "b"), answers("a"), user],
    "in message 3, a user message stands before the result of b",
  ],
  ["a result that nobody asked for", [user, answers("z")], "in message 1, it answers the call z, which is not open"],
  ["a call without a result", [user, asks("a")], "in message 1, the call a has no result"],
])("L13 %s is a local error and no request", async (_, messages, words) => {
  await using llm = await startScriptedLlm([]);
  const { error } = await ask(llm.url, { request: { messages } });
  expect(seen(error)).toEqual({ kind: "protocol", code: "bad_transcript", retryable: false });
  expect(error?.message).toContain(words);
  expect(llm.requests.length).toBe(0);
});

test("an id may come again once its call is answered", async () => {
  await using llm = await startScriptedLlm([{ say: "x" }]);
  const { error } = await ask(llm.url, {
    request: { messages: [user, asks("a"), answers("a"), asks("a"), answers("a")] },
  });
  expect(error).toBe(null);
});

test("a round encodes only what is new", async () => {
  let reads = 0;
  const watched = (content: string): Message =>
    Object.freeze({
      role: "user" as const,
      ...place,
      get content() {
        reads++;
        return content;
      },
    });
  await using llm = await startScriptedLlm([{ say: "x" }, { say: "y" }, { say: "z" }]);
  using cancel = createCancel();
  const model = createOpenAiChat(optionsFor(llm.url));
  const options = { signal: cancel.signal, onDelta: () => {} };
  const history = [...deepFreeze(hello.messages), watched("one"), watched("two")];
  await model.chat({ ...hello, messages: history }, options);
  const readsOfFirst = reads;
  await model.chat({ ...hello, messages: [...history, { role: "user", content: "three", ...place }] }, options);
  await model.chat({ ...hello, messages: history }, options);
  expect([readsOfFirst, reads]).toEqual([2, 2]);
  expect(llm.requests[1]?.body).toMatchObject({
    messages: [{}, {}, { content: "one" }, { content: "two" }, { content: "three" }],
  });
  expect(llm.requests[2]?.raw).toBe(llm.requests[0]?.raw);
});

test("what a hook adds to the system text for one request goes to its end, and is gone from the next", async () => {
  await using llm = await startScriptedLlm([{ say: "1" }, { say: "2" }]);
  const [system, ...rest] = hello.messages;
  const note: Message = { role: "system", content: "It is ten." };
  await ask(llm.url, { request: { messages: [system as Message, note, ...rest] } });
  await ask(llm.url);
  const systems = llm.requests.map(({ body }) => (body as { messages: unknown[] }).messages[0]);
  expect(systems).toEqual([
    { role: "system", content: "You are Smith.\n\nIt is ten." },
    { role: "system", content: "You are Smith." },
  ]);
});
