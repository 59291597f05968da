import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { CAPS } from "../src/index.ts";
import { echoModel, latch } from "./echo-model.ts";
import { model, raw, scene } from "./scene.ts";

describe("the webhook", () => {
  test("G8 G9 G10 G15 fault 230: each request has its status and its body", async () => {
    const { config } = await echoModel();
    const { post, url } = await scene({ config });
    const bad = { error: 'expected a JSON object in UTF-8, as {"text": "hello"}' };
    const required = { error: "text is required" };
    const deep = `{"text": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const bodies: readonly (readonly [unknown, number, object])[] = [
      ["", 400, bad],
      ["no json", 400, bad],
      ["[]", 400, bad],
      ["null", 400, bad],
      ["{}", 400, required],
      [{ text: " \n" }, 400, required],
      [{ text: 5 }, 400, required],
      [deep, 400, required],
      [{ text: "hi", chat_id: "" }, 400, { error: "chat_id is expected to be a text of 1 to 256 characters" }],
      [
        { text: "hi", user_id: "u".repeat(257) },
        400,
        { error: "user_id is expected to be a text of 1 to 256 characters" },
      ],
      [{ text: "hi", message_id: {} }, 400, { error: "message_id is expected to be a text of 1 to 256 characters" }],
    ];
    for (const [body, status, expected] of bodies) {
      const answer = await post(body);
      expect([body, answer.status, answer.body]).toEqual([body, status, expected]);
    }
    const latin1 = await fetch(`${url}/message`, { method: "POST", body: new Uint8Array([0x7b, 0xff, 0x7d]) });
    expect([latin1.status, await latin1.json()]).toEqual([400, bad]);

    const answer = await post('{"text": "hi", "platform": "telegram", "__proto__": {"text": "x"}, "more": 1}');
    expect(answer).toMatchObject({ status: 200, body: { reply: "echo: hi", usage: { children: {} } } });
    expect(Object.keys(answer.body)).toEqual(["reply", "usage"]);

    const asked = async (method: string, path: string) => {
      const response = await fetch(url + path, { method });
      return [response.status, await response.json(), response.headers.get("allow")];
    };
    expect(await asked("GET", "/health")).toEqual([200, { status: "ok" }, null]);
    expect(await asked("POST", "/health")).toEqual([405, { error: "method not allowed" }, "GET, HEAD"]);
    expect(await asked("GET", "/message")).toEqual([405, { error: "method not allowed" }, "POST"]);
    expect(await asked("GET", "/")).toEqual([404, { error: "not found" }, null]);
    expect(await asked("POST", "/message/x")).toEqual([404, { error: "not found" }, null]);
  });

  test("G11 fault 225: with a token a message without the very same one is 401; health needs none", async () => {
    const { config } = await echoModel();
    const { post, url } = await scene({ config, env: { SMITH_GATEWAY_TOKEN: "a-secret-token" } });
    for (const token of ["", "a-secret-toke", "a-secret-tokenn", "b-secret-token", "ä".repeat(500)]) {
      const headers = token === "" ? {} : { "x-smith-token": Buffer.from(token).toString("latin1") };
      expect(await post({ text: "hi" }, headers)).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    }
    expect(await post({ text: "hi" }, { "x-smith-token": "a-secret-token" })).toMatchObject({ status: 200 });
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test("G13 fault 233: a foreign Host or Origin is refused, on every path", async () => {
    const { config } = await echoModel();
    const { url } = await scene({ config });
    const status = async (headers: object) => (await raw(`${url}/health`, { headers })).status;
    for (const host of ["evil.example", "evil.example:8089", "127.0.0.1.evil.example", "10.0.0.1", "[::2]"]) {
      expect([host, await status({ host })]).toEqual([host, 403]);
    }
    for (const host of ["a b", "@"]) expect([host, await status({ host })]).toEqual([host, 400]);
    for (const host of ["localhost", "localhost:1", "127.0.0.1", "127.9.9.9", "[::1]:99", "LOCALHOST"]) {
      expect([host, await status({ host })]).toEqual([host, 200]);
    }
    expect(await status({ origin: "https://evil.example" })).toBe(403);
    expect(await status({ origin: "null" })).toBe(403);
    expect(await status({ origin: "http://localhost:3000" })).toBe(200);
  });

  test("G14 fault 228: a body over 1 MB is 413, whether its length is told or not, and is not read to its end", async () => {
    const { config } = await echoModel();
    const { url, post } = await scene({ config });
    const told = await raw(`${url}/message`, { method: "POST", headers: { "content-length": 2_000_000 } });
    expect(told).toEqual({ status: 413, text: '{"error":"body too large: at most 1 MB"}' });
    const pieces = Array.from({ length: 40 }, () => "x".repeat(50_000));
    const untold = await raw(`${url}/message`, { method: "POST", headers: { "transfer-encoding": "chunked" }, pieces });
    expect(untold.status).toBe(413);
    const text = "y".repeat(1_000_000);
    expect(await post({ text })).toMatchObject({ status: 200, body: { reply: `echo: ${text}` } });
  });

  test("fault 234: a request with two lengths, or a bare line feed in its head, is refused", async () => {
    const { config } = await echoModel();
    const { url } = await scene({ config });
    const head = "POST /message HTTP/1.1\r\nHost: localhost\r\n";
    for (const lines of [
      "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
      "X: a\nContent-Length: 4\r\n\r\nabcd",
    ]) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1").end(head + lines);
      let answer = "";
      socket.on("data", (bytes: Buffer) => {
        answer += bytes.toString();
      });
      await once(socket, "close");
      expect([lines, answer.split("\r\n")[0]]).toEqual([lines, "HTTP/1.1 400 Bad Request"]);
    }
  });

  test("G2 G3 fault 231: messages of a chat are answered one after the other, in order; chats side by side", async () => {
    const held = latch();
    const echo = await echoModel((line) => (line.startsWith("slow") ? held.opened : undefined));
    const { post } = await scene({ config: echo.config });
    const order: string[] = [];
    const ask = async (chat_id: string, text: string) => {
      const { body } = await post({ chat_id, text });
      order.push(String(body["reply"]));
    };
    const all = [ask("a", "slow 1"), ask("a", "2"), ask("a", "3")];
    await ask("b", "4");
    held.open();
    await Promise.all(all);
    expect(order).toEqual(["echo: 4", "echo: slow 1", "echo: 2", "echo: 3"]);
    expect(echo.sizes).toEqual([1, 1, 3, 5]);
    expect(echo.violations).toEqual([]);
  });

  test("fault 226: a message that comes twice is answered once, at the same time, later, and after a restart", async () => {
    const held = latch();
    const echo = await echoModel(() => held.opened);
    const first = await scene({ config: echo.config });
    const message = { text: "pay", message_id: "m-1" };
    const both = [first.post(message), first.post(message)];
    held.open();
    const answers = await Promise.all(both);
    answers.push(await first.post(message));
    await first.gateway.close();

    const { post } = await scene({ config: echo.config, place: first });
    answers.push(await post(message));
    expect(answers.map(({ body }) => body["reply"])).toEqual(Array(4).fill("echo: pay"));
    expect((await post({ ...message, chat_id: "other" })).body["reply"]).toBe("echo: pay");
    expect((await post({ text: "next" })).body["reply"]).toBe("echo: next");
    expect(echo.lines).toEqual(["pay", "pay", "next"]);
    expect(echo.sizes).toEqual([1, 1, 3]); // the conversation went on after the restart
  });

  test("fault 227: what is more than may wait is 429 with a time to come again, and nothing taken in is lost", async () => {
    const held = latch();
    const echo = await echoModel(() => held.opened);
    const { post, gateway } = await scene({ config: echo.config, caps: { ...CAPS, chat_waiting: 5, waiting: 8 } });
    const asked = Array.from({ length: 20 }, (_, n) => post({ text: `${n}`, chat_id: n < 10 ? "a" : "b" }));
    let refused = 0;
    for (const each of asked) each.then(({ status }) => (refused += status === 429 ? 1 : 0));
    await expect.poll(() => refused).toBe(12);
    expect(gateway.bus.size()).toEqual({ conversations: 2, waiting: 8 });
    held.open();
    const answers = await Promise.all(asked);
    const ok = answers.filter(({ status }) => status === 200);
    const busy = answers.filter(({ status }) => status === 429);
    expect([ok.length, busy.length]).toEqual([8, 12]);
    expect(busy[0]?.headers.get("retry-after")).toBe("5");
    expect(echo.lines.length).toBe(8);
  });

  test("G8 server-sent events: progress and text while it is made, then the reply", async () => {
    const llm = await model([
      { say: "Let me see.", call: [{ id: "1", name: "code_map", args: {} }] },
      { say: "It is a\nproject." },
    ]);
    const { url } = await scene({ config: llm.config });
    const headers = { accept: "text/event-stream" };
    const response = await fetch(`${url}/message`, { method: "POST", body: '{"text": "what?"}', headers });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = (await response.text()).trim().split("\n\n");
    const told = events.map((event) => /^event: (\w+)\ndata: (.*)$/.exec(event)?.slice(1) ?? event);
    expect(told.slice(0, -1).map(([name, data]) => [name, JSON.parse(data ?? "")])).toEqual([
      ["progress", { progress: "thinking" }],
      ["text", { text: "Let me see." }],
      ["progress", { progress: "looking at the code" }],
      ["progress", { progress: "thinking" }],
      ["text", { text: "It is a\n" }],
      ["text", { text: "project." }],
    ]);
    expect(told.at(-1)?.[0]).toBe("reply");
    expect(JSON.parse(told.at(-1)?.[1] ?? "")).toMatchObject({ reply: "It is a\nproject.", usage: {} });
  });

  test("G21 fault 235: at its end it finishes what it has taken in, and takes nothing more", async () => {
    const held = latch();
    const echo = await echoModel(() => held.opened);
    const { post, gateway, url } = await scene({ config: echo.config });
    const running = post({ text: "one" });
    const waiting = post({ text: "two" });
    await expect.poll(() => gateway.bus.size().waiting).toBe(2);
    const closed = gateway.close();
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    held.open();
    expect([(await running).body["reply"], (await waiting).body["reply"]]).toEqual(["echo: one", "echo: two"]);
    await closed;
  });

  test("G21 fault 235: what does not end in time is cancelled and told so", async () => {
    const echo = await echoModel(() => new Promise(() => {}));
    const { post, gateway } = await scene({ config: echo.config });
    const [running, waiting] = [post({ text: "one" }), post({ text: "two" })];
    await expect.poll(() => gateway.bus.size().waiting).toBe(2);
    await gateway.close(50);
    const error = "The gateway is closing. Send it again in a moment.";
    expect(await running).toMatchObject({ status: 503, body: { error } });
    expect(await waiting).toMatchObject({ status: 503, body: { error } });
  });
});
