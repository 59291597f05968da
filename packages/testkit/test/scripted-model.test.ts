import { connect } from "node:net";
import { expect, test } from "vitest";
import { startScriptedLlm } from "../src/index.ts";
import { goodRequest, post, told } from "./speak.ts";

const say = (text: string) => ({ say: text });

test("an answer streams text, reasoning and calls, and says how it ended", async () => {
  await using llm = await startScriptedLlm([
    {
      say: "Grüße 🌍",
      reasoning: "hm",
      call: [
        { id: "c1", name: "read", args: { path: "a.ts" } },
        { id: "c2", name: "ls", args: "" },
      ],
    },
  ]);
  const response = await post(llm.url, goodRequest());
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(told(await response.text())).toEqual({
    text: "Grüße 🌍",
    reasoning: "hm",
    calls: [
      { id: "c1", name: "read", arguments: '{"path":"a.ts"}' },
      { id: "c2", name: "ls", arguments: "" },
    ],
    finish: "tool_calls",
    usage: null,
    done: true,
  });
});

test("a stream arrives in 7-byte pieces, each by itself, and in bigger ones when it is long", async () => {
  await using llm = await startScriptedLlm([say("short"), say("x".repeat(300_000))]);
  const body = JSON.stringify(goodRequest());
  const head = ["POST /v1/chat/completions HTTP/1.1", "Host: x", "Connection: close", "Content-Type: application/json"];
  const arrivals = async () => {
    const socket = connect(llm.port, "127.0.0.1");
    socket.write([...head, `Content-Length: ${body.length}`, "", body].join("\r\n"));
    const reads: string[] = [];
    for await (const read of socket) reads.push(String(read));
    return reads;
  };
  const short = await arrivals();
  const alone = short.filter((read) => /^7\r\n[\s\S]{7}\r\n$/.test(read));
  expect(alone.length).toBeGreaterThan(short.length - 4); // all but the head, the rest and the end mark
  const long = await arrivals();
  expect(long.length).toBeLessThan(9_003);
  expect(long.join("").length).toBeGreaterThan(300_000);
});

test("usage is counted from the real bytes and sent only to whom asked for it", async () => {
  await using llm = await startScriptedLlm([say("12345678"), say("x"), { say: "x", usage: null }]);
  const body = goodRequest({ stream_options: { include_usage: true } });
  const bytes = JSON.stringify(body).length;
  const prompt_tokens = Math.ceil(bytes / 4);
  const counted = told(await (await post(llm.url, body)).text()).usage;
  expect(counted).toEqual({ prompt_tokens, completion_tokens: 2, total_tokens: prompt_tokens + 2 });
  expect(told(await (await post(llm.url, goodRequest())).text()).usage).toBeNull();
  expect(told(await (await post(llm.url, body)).text()).usage).toBeNull();
});

test("a request without stream gets one document", async () => {
  await using llm = await startScriptedLlm([{ call: [{ id: "c1", name: "read", args: { a: 1 } }] }, { empty: true }]);
  const ask = async () => (await post(llm.url, goodRequest({ stream: false }))).json();
  expect(await ask()).toMatchObject({
    object: "chat.completion",
    choices: [
      {
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: '{"a":1}' } }],
        },
        finish_reason: "tool_calls",
      },
    ],
  });
  expect(await ask()).toMatchObject({ choices: [{ message: { content: null }, finish_reason: "stop" }] });
});

test("finish null and done false leave out the end marks", async () => {
  await using llm = await startScriptedLlm([
    { say: "a", finish: null },
    { say: "a", done: false },
  ]);
  expect(told(await (await post(llm.url, goodRequest())).text())).toMatchObject({ finish: null, done: true });
  expect(told(await (await post(llm.url, goodRequest())).text())).toMatchObject({ finish: "stop", done: false });
});

test("a status step answers with its body and headers, or with an error of the wire's own shape", async () => {
  await using llm = await startScriptedLlm([
    { status: 429, headers: { "retry-after": "2" }, body: { error: { message: "slow" } } },
    { status: 503, body: "<html>", headers: { "content-type": "text/html" } },
    { status: 401 },
    say("on the same connection"),
  ]);
  const limited = await post(llm.url, goodRequest());
  expect([limited.status, limited.headers.get("retry-after"), await limited.json()]).toEqual([
    429,
    "2",
    { error: { message: "slow" } },
  ]);
  const html = await post(llm.url, goodRequest());
  expect([html.status, html.headers.get("content-type"), await html.text()]).toEqual([503, "text/html", "<html>"]);
  expect(await (await post(llm.url, goodRequest())).json()).toMatchObject({
    error: { message: "scripted status 401", type: "invalid_request_error" },
  });
  expect(told(await (await post(llm.url, goodRequest())).text()).text).toBe("on the same connection");
});

test("a cut ends cleanly without a reason, destroys the socket, or stops inside a JSON text", async () => {
  const call = [{ id: "c1", name: "write", args: { path: "o.txt" } }];
  await using llm = await startScriptedLlm([
    { cut: "close", say: "half" },
    { cut: "close", call },
    { cut: "mid_event", say: "half" },
    { cut: "reset", say: "half" },
  ]);
  const closed = told(await (await post(llm.url, goodRequest())).text());
  expect(closed).toMatchObject({ text: "half", finish: null, done: false });
  const unfinished = told(await (await post(llm.url, goodRequest())).text()).calls[0];
  expect(unfinished?.arguments).toMatch(/^\{"path":"?\w*$/);
  const inside = await (await post(llm.url, goodRequest())).text();
  const lastBlock = inside.split("\n\n").at(-1);
  expect(lastBlock).toMatch(/^data: \{/);
  expect(() => JSON.parse(lastBlock?.slice(6) ?? "")).toThrow(SyntaxError);
  const reset = await post(llm.url, goodRequest());
  await expect(reset.text()).rejects.toThrow("terminated");
});

test("a stall is silent until the client leaves, and `closed` tells when it did", async () => {
  await using llm = await startScriptedLlm([
    { stall: true, say: "Hel" },
    { stall: true, headers: false },
  ]);
  const first = new AbortController();
  const response = await post(llm.url, goodRequest(), first.signal);
  const reader = response.body?.getReader();
  let seen = "";
  while (!seen.includes("Hel")) seen += new TextDecoder().decode((await reader?.read())?.value);
  first.abort();
  await (await llm.received(1)).closed;
  const second = new AbortController();
  const asked = post(llm.url, goodRequest(), second.signal);
  const request = await llm.received(2);
  second.abort();
  await expect(asked).rejects.toThrow("abort");
  await request.closed;
});

test("raw bytes go out as they are, also from a source that keeps its own time", async () => {
  const { promise, resolve } = deferred();
  async function* slowly() {
    yield ": ping\n\n";
    await promise;
    yield new Uint8Array([0xff]);
  }
  await using llm = await startScriptedLlm([
    { raw: ["a", "b"], headers: { "content-type": "text/html" } },
    { raw: slowly() },
  ]);
  const first = await post(llm.url, goodRequest());
  expect([first.headers.get("content-type"), await first.text()]).toEqual(["text/html", "ab"]);
  const second = await post(llm.url, goodRequest());
  resolve();
  expect([...new Uint8Array(await second.arrayBuffer())]).toEqual([...Buffer.from(": ping\n\n"), 0xff]);
});

test("each role has its own steps; the system prompt says who asks", async () => {
  await using llm = await startScriptedLlm({ worker: [say("w")], "*": [say("other")] });
  const from = (role: string) =>
    goodRequest({
      messages: [
        { role: "system", content: `You are Smith.\nrole: ${role}` },
        { role: "user", content: "go" },
      ],
    });
  expect(told(await (await post(llm.url, from("explorer"))).text()).text).toBe("other");
  expect(told(await (await post(llm.url, from("worker"))).text()).text).toBe("w");
  expect(llm.requests.map((request) => request.role)).toEqual(["explorer", "worker"]);
});

test("the answer waits for `after`; the request is on record before", async () => {
  const { promise, resolve } = deferred();
  await using llm = await startScriptedLlm([{ say: "late", after: promise }]);
  const asked = post(llm.url, goodRequest());
  const request = await llm.received(1);
  expect([request.method, request.path, request.body]).toEqual(["POST", "/v1/chat/completions", goodRequest()]);
  resolve();
  expect(told(await (await asked).text()).text).toBe("late");
});

test("the model list is served beside the script", async () => {
  await using llm = await startScriptedLlm([], { models: ["m1", { id: "m2", context_length: 5 }] });
  const list: unknown = await (await fetch(`${llm.url}/models`)).json();
  expect(list).toEqual({
    object: "list",
    data: [
      { id: "m1", object: "model", owned_by: "testkit" },
      { id: "m2", context_length: 5 },
    ],
  });
  expect([llm.requests.length, llm.catalog_requests.length]).toEqual([0, 1]);
});

test("disposing tells of a step left over, a request too many, an unmet expectation and an unknown path", async () => {
  const llm = await startScriptedLlm({
    worker: [say("never")],
    "*": [
      {
        say: "x",
        expect: () => {
          throw new Error("wanted two messages");
        },
      },
    ],
  });
  await (await post(llm.url, goodRequest())).text();
  const extra = await post(llm.url, goodRequest());
  expect([extra.status, await extra.text()]).toEqual([500, expect.stringContaining("script exhausted")]);
  expect((await post(`${llm.url}/`, goodRequest())).status).toBe(404);
  await expect(llm[Symbol.asyncDispose]()).rejects.toThrow(
    [
      "The scripted model was not used as scripted:",
      "- request 1 (*): wanted two messages",
      "- request 2 (*): script exhausted: there is no step left for this request",
      "- request 3 (*): nothing is served at POST /v1//chat/completions",
      "- 1 scripted step(s) left over",
    ].join("\n"),
  );
});

test("close checks nothing, ends open sockets, and tells who still waits", async () => {
  const llm = await startScriptedLlm([{ stall: true }, say("unused")]);
  const response = await post(llm.url, goodRequest());
  const never = llm.received(2);
  await llm.close();
  await llm.close();
  await expect(never).rejects.toThrow("Request 2 never came: 1 did.");
  await expect(response.text()).rejects.toThrow("terminated");
});

test("a client that leaves in the middle of its request leaves no trace", async () => {
  await using llm = await startScriptedLlm([say("for the next")]);
  const socket = connect(llm.port, "127.0.0.1");
  await new Promise<void>((resolve) => {
    socket.write("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{", () => resolve());
  });
  socket.destroy();
  expect(told(await (await post(llm.url, goodRequest())).text()).text).toBe("for the next");
  expect(llm.requests.length).toBe(1);
});

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}
