import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ask, askRaw, chunk, DONE, rawServer, seen, stop } from "./scene.ts";

const text = chunk({ content: "那🌍é" }) + stop();

test.each([
  ["gzip", gzipSync(text)],
  ["br", brotliCompressSync(text)],
  ["deflate", deflateSync(text)],
  ["identity", Buffer.from(text)],
])("fault 76 an answer in %s is read, one byte per write", async (encoding, bytes) => {
  const { reply } = await askRaw(
    Array.from(bytes, (byte) => Uint8Array.of(byte)),
    {
      headers: { "content-encoding": encoding },
    },
  );
  expect(reply?.content).toBe("那🌍é");
});

test("fault 76 a compressed stream is shown as it comes, not at its end", async () => {
  const gzip = createGzip();
  await using server = await rawServer((socket) =>
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\n\r\n");
      gzip.on("data", (bytes) => socket.write(bytes));
      gzip.write(chunk({ content: "early" }));
      gzip.flush();
    }),
  );
  const { error, shown } = await ask(server.url, { options: { timeouts: { stream_stall_timeout_s: 0.2 } } });
  expect([error?.code, shown]).toEqual(["stream_stalled", "early"]);
});

test("fault 77 damaged compression is a cut answer; an unknown one is named", async () => {
  const broken = Buffer.concat([gzipSync(text).subarray(0, 20), Buffer.from("garbage garbage garbage")]);
  const damaged = await askRaw(broken, { headers: { "content-encoding": "gzip" } });
  expect(damaged.error?.code).toBe("stream_cut");
  expect(damaged.error?.message).toContain("its compressed text is damaged");
  const unknown = await askRaw("x", { headers: { "content-encoding": "zstd" } });
  expect(unknown.error?.message).toContain("answered in the unknown encoding zstd.");
});

test("fault 78 a compressed bomb is stopped at 64 MB", async () => {
  const bomb = gzipSync(Buffer.alloc(80 * 2 ** 20, `: ${"x".repeat(1021)}\n`));
  const { error } = await askRaw(bomb, { headers: { "content-encoding": "gzip" } });
  expect(seen(error)).toEqual({ kind: "protocol", code: "too_large", retryable: false });
  expect(error?.message).toContain("sent an answer of more than 64 MB, the limit.");
});

test("fault 97 a line without an end is stopped at 16 MB, and the server is hung up on", async () => {
  const piece = Buffer.alloc(2 ** 20, "x");
  function* endless() {
    yield "data: ";
    for (let n = 0; n < 40; n++) yield piece;
  }
  const { error } = await askRaw([...endless()]);
  expect(seen(error)).toEqual({ kind: "protocol", code: "too_large", retryable: false });
  expect(error?.data).toEqual({ limit_bytes: 16 * 2 ** 20 });
  expect(error?.message).toContain("sent an event of more than 16 MB, the limit.");
});

test("fault 96 an event of 5 MB passes whole", async () => {
  const content = "x".repeat(5 * 2 ** 20);
  const { reply } = await askRaw(chunk({ content }) + stop());
  expect(reply?.content.length).toBe(content.length);
});

test("65,536 small events cost little more than to parse them", async () => {
  const one = 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n';
  const whole = one.repeat(65_536) + DONE;
  const parse = cpuMs(() => {
    for (const line of whole.split("\n")) if (line.startsWith("data: {")) JSON.parse(line.slice(6));
  });
  const before = process.cpuUsage();
  const { reply } = await askRaw(Buffer.from(whole));
  const spent = process.cpuUsage(before);
  expect(reply?.content).toBe("x".repeat(65_536));
  expect((spent.user + spent.system) / 1000).toBeLessThan(20 * parse + 500);
});

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test("65,536 pieces of arguments, each with a new id, are put together in linear time", async () => {
  const piece = (n: number) => ({ tool_calls: [{ index: 0, id: `k${n}`, function: { arguments: "xxxxxxxx" } }] });
  const head = chunk({ tool_calls: [{ index: 0, id: "k", function: { name: "read", arguments: '{"a":"' } }] });
  const body = Array.from({ length: 65_536 }, (_, n) => chunk(piece(n))).join("");
  const before = process.cpuUsage();
  const { reply } = await askRaw(Buffer.from(head + body + stop()));
  const { user, system } = process.cpuUsage(before);
  expect(reply?.tool_calls.map((call) => call.arguments.length)).toEqual([6 + 8 * 65_536]);
  expect((user + system) / 1e6).toBeLessThan(5);
});
