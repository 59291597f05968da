import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ScriptedLlm, startScriptedLlm } from "../src/index.ts";
import { goodRequest, post } from "./speak.ts";

let llm: ScriptedLlm;
beforeAll(async () => {
  llm = await startScriptedLlm([]);
});
afterAll(() => llm.close());

const user = { role: "user", content: "hi" };
const system = { role: "system", content: "You are Smith." };
const toolCall = (id: string, args: unknown = "{}", name = "read") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const asks = (...calls: unknown[]) => ({ role: "assistant", tool_calls: calls });
const gives = (id: string, content: unknown = "ok") => ({ role: "tool", tool_call_id: id, content });
const talk = (...messages: unknown[]) => goodRequest({ messages });
const tool = (name: string, parameters: unknown) => ({ type: "function", function: { name, parameters } });

const BAD: [what: string, body: unknown, words: string][] = [
  ["a body that is no object", [], "body: expected a JSON object"],
  ["a body that is no JSON", "{", "body: not JSON"],
  ["no model", goodRequest({ model: "" }), "model: expected a non-empty string"],
  ["no messages", talk(), "messages: expected a non-empty list"],
  ["a message that is no object", talk(user, "hi"), "messages[1]: expected an object"],
  ["an unknown role", talk(user, { role: "bot", content: "x" }), "messages[1].role: unknown role bot"],
  ["a role of Object.prototype", talk(user, { role: "toString", content: "x" }), "unknown role toString"],
  ["an unknown key", talk({ ...user, turn_id: "t1" }), "messages[0].turn_id: unknown key in a user message"],
  ["calls in a user message", talk({ ...user, tool_calls: [] }), "tool_calls: unknown key in a user message"],
  ["a call without id", talk(user, asks(toolCall("")), gives("")), "tool_calls[0].id: expected a non-empty string"],
  ["a call with a bad name", talk(user, asks(toolCall("c", "{}", "a b")), gives("c")), "function.name: must match"],
  ["arguments that are no text", talk(user, asks(toolCall("c", {})), gives("c")), "arguments: expected the text of"],
  ["arguments cut short", talk(user, asks(toolCall("c", '{"a":')), gives("c")), "arguments: expected the text of"],
  ["arguments that are a list", talk(user, asks(toolCall("c", "[]")), gives("c")), "arguments: expected the text of"],
  ["empty arguments", talk(user, asks(toolCall("c", "")), gives("c")), "arguments: expected the text of"],
  ["an unanswered call", talk(user, asks(toolCall("c")), user), "messages[2]: the call c has no tool message yet"],
  ["an unanswered last call", talk(user, asks(toolCall("c"))), "messages (end): the call c has no tool message yet"],
  [
    "an answer too many",
    talk(user, asks(toolCall("c")), gives("c"), gives("c")),
    "messages[3].tool_call_id: no pending call c",
  ],
  ["an answer to nothing", talk(user, gives("c")), "messages[1].tool_call_id: no pending call c"],
  [
    "an id twice",
    talk(user, asks(toolCall("c"), toolCall("c")), gives("c")),
    "messages[1].tool_calls: the id c is there twice",
  ],
  [
    "neither text nor calls",
    talk(user, { role: "assistant", content: null }),
    "messages[1].content: neither text nor tool calls",
  ],
  [
    "an empty list of calls",
    talk(user, { role: "assistant", content: "x", tool_calls: [] }),
    "expected a non-empty list",
  ],
  ["blank user text", talk({ role: "user", content: " \n" }), "messages[0].content: blank text"],
  ["a blank part", talk({ role: "user", content: [{ type: "text", text: "" }] }), "messages[0].content[0]: blank text"],
  ["an unknown part", talk({ role: "user", content: [{ type: "blob" }] }), "expected a text or image_url part"],
  ["no parts", talk({ role: "user", content: [] }), "expected text or a non-empty list of parts"],
  [
    "blank text beside calls",
    talk(user, { ...asks(toolCall("c")), content: "" }, gives("c")),
    "messages[1].content: blank text",
  ],
  ["empty tool output", talk(user, asks(toolCall("c")), gives("c", "")), "messages[2].content: blank text"],
  ["half a surrogate pair", talk({ role: "user", content: "a\ud83d" }), "messages.0.content: lone surrogate in text"],
  [
    "an assistant first",
    talk(system, { role: "assistant", content: "x" }),
    "messages[1]: the first message that is not system",
  ],
  ["only a system message", talk(system), "the first message that is not system must be a user's"],
  ["a late system message", talk(user, system), "messages[1]: a system message may only come first"],
  ["an empty list of tools", goodRequest({ tools: [] }), "tools: expected a non-empty list"],
  ["a bare tool", goodRequest({ tools: [{ name: "a" }] }), 'tools[0]: expected {type: "function"'],
  [
    "a tool twice",
    goodRequest({ tools: [tool("a", { type: "object" }), tool("a", { type: "object" })] }),
    "tools[1].function.name: a is there twice",
  ],
  [
    "a tool without an object schema",
    goodRequest({ tools: [tool("a", { type: "string" })] }),
    "tools[0].function.parameters: expected a schema",
  ],
  ["a tool choice without tools", goodRequest({ tool_choice: "auto" }), "tool_choice: only allowed with tools"],
  [
    "stream options without a stream",
    goodRequest({ stream: false, stream_options: {} }),
    "stream_options: only allowed with stream",
  ],
];

describe("the strict server refuses", () => {
  test.each(BAD)("%s", async (_what, body, words) => {
    const response = await post(llm.url, body);
    const answer: unknown = await response.json();
    expect([response.status, answer]).toEqual([
      400,
      { error: { message: expect.stringContaining(words), type: "invalid_request_error", param: null, code: null } },
    ]);
    expect(llm.violations.splice(0)).toEqual([expect.stringContaining(words)]);
  });

  test("bytes that are no UTF-8, and a body that is not declared as JSON", async () => {
    const send = (body: Uint8Array | string, type: string) =>
      fetch(`${llm.url}/chat/completions`, { method: "POST", headers: { "content-type": type }, body });
    const bad = Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]);
    expect((await send(bad, "application/json")).status).toBe(400);
    expect((await send(JSON.stringify(goodRequest()), "text/plain")).status).toBe(400);
    expect(llm.violations.splice(0).map((each) => each.replace(/^request \d+ /, ""))).toEqual([
      "(*): body: not valid UTF-8",
      "(*): content-type: expected application/json, got text/plain",
    ]);
  });
});

const WHOLE = goodRequest({
  stream_options: { include_usage: true },
  tool_choice: "auto",
  tools: [tool("read", { type: "object", properties: {} }), tool("git", { type: "object" })],
  messages: [
    system,
    {
      role: "user",
      content: [
        { type: "text", text: "see 🌍" },
        { type: "image_url", image_url: { url: "data:," } },
      ],
    },
    { ...asks(toolCall("c1"), toolCall("c2", '{"a":1}')), content: null, reasoning_content: "hm" },
    gives("c2"),
    { ...gives("c1"), name: "read" },
    { ...asks(toolCall("c1")), content: "once more" },
    gives("c1"),
    { role: "assistant", content: "done" },
    user,
  ],
});

test("the strict server accepts a whole conversation with calls out of order and an id used again", async () => {
  await using good = await startScriptedLlm([{ say: "fine" }]);
  expect((await post(good.url, WHOLE)).status).toBe(200);
});

test("with strict off a bad request is answered all the same", async () => {
  await using lax = await startScriptedLlm([{ say: "fine" }], { strict: false });
  expect((await post(lax.url, talk(gives("c")))).status).toBe(200);
});
