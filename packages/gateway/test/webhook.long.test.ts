import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { CAPS } from "../src/index.ts";
import { echoModel, latch } from "./echo-model.ts";
import { model, raw, scene } from "./scene.ts";

describe("the webhook", () => {
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

  test("G21 fault 235: half a head and half a body, held by whoever sends them, don't keep it from its end", async () => {
    const { config } = await echoModel();
    const { gateway, url } = await scene({ config });
    const head = "POST /message HTTP/1.1\r\nHost: localhost\r\n";
    const halves = [head, `${head}Content-Length: 50\r\n\r\n{"text": `];
    const ends = halves.map((half) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.on("error", () => {}); // it may be cut the hard way
      socket.write(half);
      return new Promise((resolve) => void socket.on("close", resolve));
    });
    await fetch(`${url}/health`); // what was sent before has come
    await gateway.close(0);
    await Promise.all(ends);
  });
});
