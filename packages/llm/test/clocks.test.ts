import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createCancel } from "@smith/contract/cancel";
import { startScriptedLlm } from "@smith/testkit";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createClocks, limitMs } from "../src/clocks.ts";
import { createOpenAiChat } from "../src/index.ts";
import { ask, chunk, DONE, hello, optionsFor, rawServer, seen, stop } from "./scene.ts";

const timeouts = (more: Record<string, number>) => ({ options: { timeouts: more } });
const quick = { timeout_s: 60, connect_timeout_s: 60, send_timeout_s: 60, stream_stall_timeout_s: 60 };

test("L5 a server that takes the connection and says nothing runs into connect_timeout", async () => {
  await using llm = await startScriptedLlm([{ stall: true, headers: false }]);
  const { error } = await ask(llm.url, timeouts({ connect_timeout_s: 0.05 }));
  expect(seen(error)).toEqual({ kind: "transport", code: "network", retryable: true });
  expect(error?.message).toBe(
    `default at ${llm.url} did not answer within 0.05 s. llm_config.connect_timeout sets the limit.`,
  );
  expect(error?.data).toEqual({ reason: "connect_timeout", timeout_s: 0.05 });
  await llm.requests[0]?.closed;
});

test.skipIf(process.platform !== "linux")(
  "L5 fault 48 a connection that is never made runs into connect_timeout",
  async () => {
    // Who listens and never takes a connection: once those that may wait are there, the next gets no answer at all.
    const listen =
      'const s = require("net").createServer(); s.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {';
    const deaf = spawn(process.execPath, [
      "-e",
      `${listen} require("fs").writeSync(1, String(s.address().port)); process.kill(process.pid, "SIGSTOP"); })`,
    ]);
    onTestFinished(() => void deaf.kill("SIGKILL"));
    const [port] = (await once(deaf.stdout, "data")) as [Buffer];
    const waiting = Array.from({ length: 8 }, () => connect(Number(port), "127.0.0.1").on("error", () => {}));
    onTestFinished(() => waiting.forEach((socket) => void socket.destroy()));
    await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, "connect")));
    const { error } = await ask(`http://127.0.0.1:${port}/v1`, timeouts({ connect_timeout_s: 0.1 }));
    expect(waiting.some((socket) => socket.connecting)).toBe(true);
    expect(seen(error)).toEqual({ kind: "transport", code: "network", retryable: true });
    expect(error?.data).toEqual({ reason: "connect_timeout", timeout_s: 0.1 });
  },
);

test("L5 fault 49 headers that come byte by byte run into connect_timeout too", async () => {
  await using server = await rawServer((socket) => {
    const drip = setInterval(() => socket.write("X"), 10);
    socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
    socket.on("close", () => clearInterval(drip));
  });
  const { error } = await ask(server.url, timeouts({ connect_timeout_s: 0.1 }));
  expect(error?.data["reason"]).toBe("connect_timeout");
});

test("L5 L8 a stream has no limit in all: it may last longer than each of the clocks", async () => {
  async function* slow() {
    for (const word of ["a", "b", "c", "d", "e", "f"]) {
      yield chunk({ content: word });
      await new Promise((resolve) => setTimeout(resolve, 60)); // the server's pace is what is tried
    }
    yield stop();
  }
  await using llm = await startScriptedLlm([{ raw: slow() }]);
  const short = { timeout_s: 0.2, connect_timeout_s: 0.2, send_timeout_s: 0.2, stream_stall_timeout_s: 0.2 };
  expect((await ask(llm.url, timeouts(short))).reply?.content).toBe("abcdef");
});

test("L6 a server that does not take the request runs into send_timeout", async () => {
  await using server = await rawServer((socket) => socket.pause());
  const content = "x".repeat(32 * 2 ** 20);
  const messages = [{ role: "user" as const, content, turn_id: "t1", round: 0, ts: 1 }];
  const { error } = await ask(server.url, { request: { messages }, ...timeouts({ ...quick, send_timeout_s: 0.2 }) });
  expect(error?.data).toEqual({ reason: "send_timeout", timeout_s: 0.2 });
});

test("L4 a whole answer that takes too long runs into timeout, wherever it hangs", async () => {
  await using llm = await startScriptedLlm([{ stall: true, headers: false }, { stall: true }]);
  const options = { stream: false, timeouts: { ...quick, timeout_s: 0.05 } };
  for (const _ of [1, 2]) {
    const { error } = await ask(llm.url, { options });
    expect(seen(error)).toEqual({ kind: "transport", code: "timeout", retryable: true });
  }
});

test("L8 B33 fault 87 a stream that falls silent has stalled, and its connection is closed", async () => {
  await using llm = await startScriptedLlm([{ stall: true, say: "Hel" }]);
  const { error, shown } = await ask(llm.url, timeouts({ stream_stall_timeout_s: 0.2 }));
  expect(seen(error)).toEqual({ kind: "transport", code: "stream_stalled", retryable: true });
  expect(error?.message).toBe(
    `default at ${llm.url} sent nothing for 0.2 s. llm_config.stream_stall_timeout sets the limit.`,
  );
  expect(shown).toBe("Hel");
  await llm.requests[0]?.closed;
});

test("L8 B33 a server that takes a request for a stream and never answers has stalled", async () => {
  await using llm = await startScriptedLlm([{ stall: true, headers: false }]);
  const { error } = await ask(llm.url, timeouts({ stream_stall_timeout_s: 0.05 }));
  expect(error?.code).toBe("stream_stalled");
});

test("fault 84 after a finish reason the socket may stay open: the answer is whole", async () => {
  await using server = await rawServer((socket) =>
    socket.once("data", () =>
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${chunk({ content: "a" })}${chunk({}, "stop")}`,
      ),
    ),
  );
  const { reply } = await ask(server.url, timeouts({ stream_stall_timeout_s: 0.05 }));
  expect(reply?.content).toBe("a");
});

test("after [DONE] nothing is waited for, and the connection serves the next request", async () => {
  let connections = 0;
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
  const text = chunk({ content: "a" }) + DONE;
  await using server = await rawServer((socket) => {
    connections++;
    socket.on("data", (bytes: Buffer) => {
      if (!bytes.toString().endsWith("}")) return; // the request is not whole yet
      socket.write(`${head}${text.length.toString(16)}\r\n${text}\r\n`);
      setImmediate(() => socket.write("0\r\n\r\n"));
    });
  });
  using cancel = createCancel();
  const model = createOpenAiChat(optionsFor(server.url));
  for (const _ of [1, 2, 3]) {
    const reply = await model.chat(hello, { signal: cancel.signal, onDelta: () => {} });
    expect(reply.content).toBe("a");
    await new Promise((resolve) => setTimeout(resolve, 20)); // the goodbye is on its way; the server's clock, not ours
  }
  expect(connections).toBe(1);
});

test("L38 B33 fault 143 a cancel during silence rejects at once with its reason", async () => {
  await using llm = await startScriptedLlm([{ stall: true, say: "Hel" }]);
  using cancel = createCancel();
  const asking = ask(llm.url, { signal: cancel.signal });
  await llm.received(1);
  cancel.request("ctrl-c");
  const { error } = await asking;
  expect([error?.kind, error?.message]).toEqual(["cancelled", "ctrl-c"]);
  await llm.requests[0]?.closed;
});

test("limits are milliseconds that a timer can hold", () => {
  expect([0.05, 1, 1e9, Number.POSITIVE_INFINITY].map(limitMs)).toEqual([50, 1000, 2 ** 31 - 1, 2 ** 31 - 1]);
});

test("no clock is left when an answer is in, or was refused", async () => {
  await using llm = await startScriptedLlm([
    { say: "x" },
    { status: 500 },
    { raw: [chunk({ content: "x" }) + stop()] },
  ]);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    for (const _ of [1, 2, 3]) await ask(llm.url);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

const limits = { connect: 120_000, send: 30_000, stall: 120_000, answer: null };

/** A clock of silence that has just begun, with the moments (s) at which it gave up. */
function silence() {
  const started = performance.now();
  const quiet: number[] = [];
  const clocks = createClocks(limits, {
    expire: () => {},
    quiet: () => quiet.push((performance.now() - started) / 1000),
  });
  clocks.answered(200);
  const after = async (s: number) => {
    await vi.advanceTimersByTimeAsync(s * 1000);
  };
  return { clocks, quiet, after };
}

const fake = () => vi.useFakeTimers();
afterEach(() => {
  vi.useRealTimers();
});

test("L8 fault 87 silence is 120 s after the last data, not a moment before", async () => {
  fake();
  const { clocks, quiet, after } = silence();
  await after(100);
  clocks.pulse("data");
  await after(119.999);
  expect(quiet).toEqual([]);
  await after(0.01);
  expect(quiet.map(Math.round)).toEqual([220]);
});

test("L8 fault 88 comments keep a stream alive for 360 s without data, and no longer", async () => {
  fake();
  const { clocks, quiet, after } = silence();
  for (let s = 0; s < 400; s += 50) {
    await after(50);
    clocks.pulse("comment");
  }
  expect(quiet.map(Math.round)).toEqual([360]);
});

test("what is only a part of an event does not count as data", async () => {
  fake();
  const { clocks, quiet, after } = silence();
  for (let s = 0; s < 150; s += 50) {
    clocks.pulse("part");
    await after(50);
  }
  expect(quiet.map(Math.round)).toEqual([120]);
});

test("after a finish reason the rest is given 5 s, which nothing prolongs", async () => {
  fake();
  const { clocks, quiet, after } = silence();
  clocks.pulse("ending");
  for (let s = 0; s < 8; s++) {
    await after(1);
    clocks.pulse("ending");
    clocks.pulse("comment");
  }
  expect(quiet.map(Math.round)).toEqual([5]);
});

test("data that waited while the process slept is read before silence is declared", async () => {
  fake();
  const { clocks, quiet } = silence();
  vi.advanceTimersByTime(120_000);
  expect(quiet).toEqual([]);
  clocks.pulse("data"); // what the socket held is read before the check
  await vi.advanceTimersByTimeAsync(1);
  expect(quiet).toEqual([]);
  clocks.clear();
});
