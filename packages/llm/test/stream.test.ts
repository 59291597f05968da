import { UNKNOWN_USAGE } from "@smith/contract/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ask, askRaw, chunk, DONE, event, rawServer, seen, stop } from "./scene.ts";

const said = async (raw: string | Uint8Array | readonly (string | Uint8Array)[]) => (await askRaw(raw)).reply?.content;

test.each([
  ["without the blank after data:", 'data:{"choices":[{"delta":{"content":"ok"}}]}\n\ndata:[DONE]\n\n'],
  ["with two blanks", `data:  {"choices":[{"delta":{"content":"ok"}}]}\n\ndata:  [DONE]\n\n`],
  ["with a BOM", `\ufeff${chunk({ content: "ok" })}${DONE}`],
  ["with id, retry and event fields", `id: 7\nretry: 5\nevent: message\n${chunk({ content: "ok" })}${DONE}`],
  ["with CRLF", (chunk({ content: "ok" }) + DONE).replaceAll("\n", "\r\n")],
  ["with CR", (chunk({ content: "ok" }) + DONE).replaceAll("\n", "\r")],
  ["with data on two lines", 'data: {"choices":\ndata: [{"delta":{"content":"ok"}}]}\n\ndata: [DONE]\n\n'],
  [
    "with comments and empty data between",
    `: hi\n\n${chunk({ content: "o" })}: hi\n\ndata:\n\n${chunk({ content: "k" })}${DONE}`,
  ],
  ["with an error field that is null", event({ error: null, choices: [{ delta: { content: "ok" } }] }) + DONE],
  ["with data after [DONE]", chunk({ content: "ok" }) + DONE + chunk({ content: " more" })],
])("L9 B27 faults 85 91 92 93 94 95 an event stream %s is read", async (_, raw) => {
  expect(await said(raw)).toBe("ok");
});

test("L9 B25 faults 89 98 one byte per write keeps every character", async () => {
  const bytes = Buffer.from(chunk({ content: "那🌍é" }) + stop());
  expect(await said(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe("那🌍é");
});

test("fault 99 bytes that are no UTF-8 become U+FFFD", async () => {
  const bytes = Buffer.concat([
    Buffer.from('data: {"choices":[{"delta":{"content":"a'),
    Buffer.of(0xff),
    Buffer.from(`b"}}]}\n\n${DONE}`),
  ]);
  expect(await said(bytes)).toBe("a\ufffdb");
});

test("L9 faults 90 91 any cutting of a stream folds alike", async () => {
  const whole = Buffer.from(
    `: hi\r\n\r\n${chunk({ reasoning_content: "hm 🤔" })}${chunk({ content: "\n\nnaïve " })}${chunk({ content: "音🌍" })}${chunk(
      {
        tool_calls: [{ index: 0, id: "c1", function: { name: "read", arguments: '{"path":"é' } }],
      },
    )}${chunk({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] })}${stop("tool_calls")}`,
  );
  const expected = await askRaw(whole);
  expect(expected.reply?.tool_calls).toEqual([{ id: "c1", name: "read", arguments: '{"path":"é"}' }]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 12 }), async (cuts) => {
      const marks = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      expect(await askRaw(marks.map((mark, at) => whole.subarray(marks[at - 1] ?? 0, mark)))).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test("B31 faults 83 84 a finish reason without [DONE] is a whole answer, and so is [DONE] without a finish reason", async () => {
  expect(await said(chunk({ content: "a" }) + chunk({}, "stop"))).toBe("a");
  expect(await said(chunk({ content: "a" }) + DONE)).toBe("a");
});

test("fault 86 a last event without its blank line is taken when it is whole", async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 2 };
  const { reply } = await askRaw(chunk({ content: "a" }, "stop") + event({ choices: [], usage }).trimEnd());
  expect(reply?.usage).toEqual({ ...UNKNOWN_USAGE, input_tokens: 7, output_tokens: 2 });
});

test.each([
  ["after a whole event", chunk({ content: "The answer is 4" })],
  ["inside a JSON text", `${chunk({ content: "The answer is 4" })}data: {"choices":[{"del`],
  [
    "inside the arguments of a call",
    chunk({
      content: "The answer is 4",
      tool_calls: [{ index: 0, id: "c", function: { name: "write", arguments: '{"a' } }],
    }),
  ],
])("B31 faults 81 82 a connection that ends %s is a cut answer, and what was shown stays shown", async (_, raw) => {
  const { error, shown } = await askRaw(raw);
  expect(seen(error)).toEqual({ kind: "transport", code: "stream_cut", retryable: true });
  expect(error?.message).toBe(
    "The answer of default was cut off before it ended (the connection ended without a finish reason). Ask again.",
  );
  expect(shown).toBe("The answer is 4");
});

test("a provider that gives up in the middle has not answered", async () => {
  const { error } = await askRaw(chunk({ content: "a" }) + stop("error"));
  expect([error?.code, error?.message]).toEqual([
    "stream_cut",
    "The answer of default was cut off before it ended (the provider gave up: error). Ask again.",
  ]);
});

test("fault 104 malformed JSON in an event is an error and never skipped", async () => {
  const { error } = await askRaw(`${chunk({ content: "a" })}data: {"choices":[}\n\n${stop()}`);
  expect(seen(error)).toEqual({ kind: "protocol", code: "bad_request", retryable: false });
  expect(error?.message).toContain('sent an event that is malformed JSON: {"choices":[}.');
});

test.each([
  [
    "a web page",
    "text/html",
    "<html>\u001b[31m<b>Log in</b></html>",
    "html",
    "a web page instead of JSON: <html> [31m<b>Log in</b></html>.",
  ],
  [
    "a web page that is called a stream",
    "text/event-stream",
    "<html>x</html>",
    "html",
    "a web page instead of JSON: <html>x</html>.",
  ],
  ["plain words", "text/event-stream", "Unauthorized", "no_event", "something that is no event stream: Unauthorized."],
  ["nothing", "text/event-stream", "", "empty", "an empty body."],
  [
    "other JSON",
    "application/json",
    '{"ok":true}',
    "not_a_completion",
    'JSON that is no answer of a model: {"ok":true}.',
  ],
  [
    "no choices",
    "application/json",
    '{"choices":[]}',
    "not_a_completion",
    'JSON that is no answer of a model: {"choices":[]}.',
  ],
  ["broken JSON", "application/json", '{"choices":oops}', "malformed", 'malformed JSON: {"choices":oops}.'],
])(
  "L30 faults 73 74 75 a 200 that holds %s is a protocol error that quotes it",
  async (_, type, body, reason, words) => {
    const { error } = await askRaw(body, { headers: { "content-type": type } });
    expect(seen(error)).toEqual({ kind: "protocol", code: "bad_request", retryable: false });
    expect(error?.data).toEqual({ status: 200, reason });
    expect(error?.message).toContain(words);
  },
);

test("fault 73 a quoted page is cut at 200 characters", async () => {
  const { error } = await askRaw(`<html>${"x".repeat(1000)}`, { headers: { "content-type": "text/html" } });
  expect(error?.message).toContain(`: <html>${"x".repeat(194)}… Check`);
});

test("L1 fault 71 a document is accepted though a stream was asked for, and an event stream though it was not", async () => {
  const document = { model: "m", choices: [{ message: { content: "whole" }, finish_reason: "stop" }] };
  const asDocument = await askRaw(JSON.stringify(document), { headers: { "content-type": "application/json" } });
  expect([asDocument.reply?.content, asDocument.shown]).toEqual(["whole", "whole"]);
  const asStream = await askRaw(chunk({ content: "piece" }) + stop(), { options: { stream: false } });
  expect([asStream.reply?.content, asStream.shown]).toEqual(["piece", ""]);
});

test("L28 faults 72 103 a 200 with an error in its body, or in the middle of its stream, is the provider's error", async () => {
  const error = { message: "Upstream is overloaded", code: 502 };
  const inBody = await askRaw(JSON.stringify({ error }), { headers: { "content-type": "application/json" } });
  const inStream = await askRaw(chunk({ content: "a" }) + event({ error }));
  for (const each of [inBody, inStream]) {
    expect(seen(each.error)).toEqual({ kind: "transport", code: "rate_limit", retryable: true });
    expect(each.error?.message).toContain("answered with an error: Upstream is overloaded.");
  }
  expect(inStream.shown).toBe("a");
  const named = await askRaw(`event: error\ndata: {"type":"error","message":"bad thing"}\n\n`);
  expect(seen(named.error)).toEqual({ kind: "protocol", code: "bad_request", retryable: false });
});

test("L11 fault 109 reasoning is kept apart under either name, and once when it comes under both", async () => {
  const { reply, thought } = await askRaw(
    chunk({ reasoning_content: "a" }) +
      chunk({ reasoning: "b" }) +
      chunk({ reasoning: "c", reasoning_content: "c" }) +
      chunk({ content: "x" }) +
      stop(),
  );
  expect([reply?.content, reply?.reasoning, thought]).toEqual(["x", "abc", "abc"]);
});

test("fault 108 content comes as text, null or parts", async () => {
  const thinking = { type: "thinking", thinking: [{ type: "text", text: "hm" }] };
  const { reply } = await askRaw(
    chunk({ content: null }) +
      chunk({ content: [thinking, { type: "text", text: "a" }] }) +
      chunk({ content: "b" }) +
      stop(),
  );
  expect([reply?.content, reply?.reasoning]).toEqual(["ab", "hm"]);
});

test.each([
  ["refusal", chunk({ refusal: "I won't." }) + stop(), "I won't."],
  ["content_filter", chunk({ content: "a" }) + stop("content_filter"), "a"],
  ["length", chunk({ content: "a" }) + stop("length"), "a"],
  ["stop", chunk({ content: "a" }) + stop("tool_calls"), "a"],
])("L29 faults 110 111 112 115 the finish reason is %s", async (finish, raw, content) => {
  const { reply } = await askRaw(raw);
  expect([reply?.finish_reason, reply?.content]).toEqual([finish, content]);
});

test("L14 newlines before and end marks behind are stripped; the newlines are never shown", async () => {
  const { reply, shown } = await askRaw(
    chunk({ content: "\n" }) +
      chunk({ content: "\r\n\n a" }) +
      chunk({ content: "b \n<|im_end|>" }) +
      chunk({ content: "</s><|eot_id|>\n" }) +
      stop(),
  );
  expect(reply?.content).toBe(" ab");
  expect(shown).toBe(" ab \n<|im_end|></s><|eot_id|>\n");
});

test("B29 faults 105 106 a usage chunk without choices is read", async () => {
  const usage = {
    prompt_tokens: 7,
    completion_tokens: 2,
    total_tokens: 9,
    prompt_tokens_details: { cached_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 1 },
  };
  const { reply } = await askRaw(chunk({ content: "hi" }) + chunk({}, "stop") + event({ choices: [], usage }) + DONE);
  expect(reply?.usage).toEqual({
    input_tokens: 7,
    output_tokens: 2,
    cached_tokens: 5,
    reasoning_tokens: 1,
    cost_usd: null,
  });
});

test("L12 B86 fault 106 of several usages the last that tells something counts; nothing is summed", async () => {
  const usage = (prompt_tokens: unknown, completion_tokens: unknown) =>
    event({ choices: [], usage: { prompt_tokens, completion_tokens } });
  const { reply } = await askRaw(
    usage(5, 1) +
      usage(5, 2) +
      usage(5, 3) +
      event({ choices: [], usage: null }) +
      event({ choices: [], usage: {} }) +
      stop(),
  );
  expect(reply?.usage).toEqual({ ...UNKNOWN_USAGE, input_tokens: 5, output_tokens: 3 });
  const odd = await askRaw(usage(-4, "NaN") + stop());
  expect(odd.reply?.usage).toEqual(UNKNOWN_USAGE);
});

test("fault 142 the model is named as the endpoint names it, else as it was asked for", async () => {
  expect((await askRaw(event({ model: "real", choices: [] }) + stop())).reply?.model).toBe("real");
  expect((await askRaw(stop())).reply?.model).toBe("asked-model");
});

test("fault 107 of several choices only the first is followed", async () => {
  const two = event({
    choices: [
      { index: 0, delta: { content: "a" } },
      { index: 1, delta: { content: "b" } },
    ],
  });
  expect(await said(two + event({ choices: [{ index: 1, delta: { content: "c" } }] }) + stop())).toBe("a");
});

test("fault 74 a 204 is an empty answer, not a wait for one", async () => {
  await using server = await rawServer((socket) =>
    socket.once("data", () => socket.write("HTTP/1.1 204 No Content\r\n\r\n")),
  );
  const { error } = await ask(server.url);
  expect(seen(error)).toEqual({ kind: "protocol", code: "bad_request", retryable: false });
  expect(error?.data).toEqual({ status: 204, reason: "empty" });
});

test("fault 79 a header that names another charset changes nothing: a stream and JSON are UTF-8", async () => {
  const document = JSON.stringify({ choices: [{ message: { content: "é音" }, finish_reason: "stop" }] });
  const as = (type: string) => ({ headers: { "content-type": `${type}; charset=iso-8859-1` } });
  const stream = await askRaw(chunk({ content: "é音" }) + stop(), as("text/event-stream"));
  const whole = await askRaw(document, as("application/json"));
  expect([stream.reply?.content, whole.reply?.content]).toEqual(["é音", "é音"]);
});

test.each([
  ["NUL and other controls", "a\u0000b\u0007c"],
  ["half a surrogate pair", "a\ud83db"],
  ["line separators of JavaScript", "a\u2028b\u2029c\u0085d"],
])("faults 100 101 102 text with %s comes through as it was sent", async (_what, content) => {
  expect(await said(chunk({ content }) + stop())).toBe(content);
});

test("fault 107 a first chunk without anything, and a role on each, are no part of the answer", async () => {
  const role = "assistant";
  const first = event({
    id: "",
    model: "",
    choices: [{ index: 0, delta: { role, content: "" }, finish_reason: null }],
  });
  const bare = event({ id: "x", choices: [{ index: 0 }] });
  expect(await said(first + bare + chunk({ role, content: "a" }) + chunk({ role, content: "b" }) + stop())).toBe("ab");
});
