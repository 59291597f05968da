import { describe, expect, test } from "vitest";
import { echoModel, latch } from "./echo-model.ts";
import { raw, scene } from "./scene.ts";

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
});
