import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMessages, startScriptedLlm } from "@smith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createAnthropic } from "../src/index.ts";
import { redacted } from "../src/wire-log.ts";
import { ask, askRaw, place, rawServer, stop } from "./scene.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "smith-wire-"));
});
afterEach(() => rm(folder, { recursive: true }));

const linesOf = async (path: string): Promise<Record<string, unknown>[]> =>
  (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("L18 request and answer stand in the log, one line each, in a file of mode 600", async () => {
  const wire_log = join(folder, "wire.jsonl");
  await writeFile(wire_log, "", { mode: 0o644 });
  await using llm = await startScriptedLlm([{ say: "Hello." }]);
  await ask(llm.url, { options: { wire_log } });
  const [sent, got, ...more] = await linesOf(wire_log);
  expect([more, (await stat(wire_log)).mode & 0o777]).toEqual([[], 0o600]);
  expect(sent).toMatchObject({
    provider: "default",
    method: "POST",
    url: `${llm.url}/chat/completions`,
    headers: { authorization: "Bearer sk-t…6789" },
    body: llm.requests[0]?.raw,
  });
  expect(got).toMatchObject({ request: sent?.["request"], status: 200, ended: "done" });
  expect(String(got?.["body"])).toMatch(/^data: .*\n\ndata: \[DONE\]\n\n$/s);
});

test("L18 fault 213 the key is in the log nowhere, whoever repeats it and however it is cut or escaped", async () => {
  const wire_log = join(folder, "wire.jsonl");
  const key = 'sk-CANARY"0123\\456789';
  const content = `you said ${key}`;
  const messages = [{ role: "user" as const, content, ...place }];
  const options = { wire_log, api_key: key, headers: { cookie: "session=abcdefgh", "x-refresh-token": "rrrrssss" } };
  const echo = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n${stop()}`;
  await askRaw([echo.slice(0, 60), echo.slice(60)], { options, request: { messages } });
  await askRaw(echo, { options, request: { messages }, make: createAnthropic, wire: anthropicMessages });
  await using refusing = await startScriptedLlm([{ status: 401, body: { error: { message: `bad key ${key}` } } }]);
  await ask(refusing.url, { options, request: { messages } });
  const log = await readFile(wire_log, "utf8");
  expect(log.match(/CANARY|0123|abcdefgh|rrrrssss/g)).toBe(null);
  expect(log.split("\n").length).toBe(7);
});

test("L18 L32 fault 213 what headers and the logins of addresses hold is masked, too; what only says what is wanted stays readable", async () => {
  const wire_log = join(folder, "wire.jsonl");
  const carried = ["CANARY-header-1", "CANARY-auth-2", "CANARY-url-3", "CANARY-query-4", "CANARY-proxy-5"] as const;
  const [header, auth, login, query, proxy] = carried;
  const basic = Buffer.from(`bob:${login}`).toString("base64");
  const message = `you sent ${carried.join(" ")} ${basic} and beta-2026-01-01`;
  const body = JSON.stringify({ error: { message, code: header } });
  const answer = `HTTP/1.1 400 Bad\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  await using server = await rawServer((socket) => socket.once("data", () => socket.end(answer)));
  const { port } = new URL(server.url);
  const options = {
    ...{ wire_log, api_key: null, env: { HTTP_PROXY: `http://bob:${proxy}@127.0.0.1:${port}` } },
    headers: { "x-auth": header, "x-other": `Token ${auth}`, "anthropic-beta": "beta-2026-01-01" },
  };
  const { error } = await ask(`${server.url.replace("//", `//bob:${login}@`)}?api-key=${query}`, { options });
  expect(error?.message).toContain("you sent *** *** *** *** *** *** and beta-2026-01-01.");
  expect(JSON.stringify(error)).not.toContain("CANARY");
  expect((await readFile(wire_log, "utf8")).match(/CANARY|Q0FOQVJZ/g)).toBe(null);
});

test("a request that failed or was cancelled says how it ended", async () => {
  const wire_log = join(folder, "wire.jsonl");
  await ask("http://127.0.0.1:9/v1", { options: { wire_log } });
  const controller = new AbortController();
  await using server = await rawServer((socket) => socket.once("data", () => controller.abort("ctrl-c")));
  await ask(server.url, { options: { wire_log }, signal: controller.signal });
  const ends = (await linesOf(wire_log)).flatMap(({ ended }) => (ended === undefined ? [] : [String(ended)]));
  expect(ends).toEqual([expect.stringContaining("ECONNREFUSED"), "ctrl-c"]);
});

test("a log that can't be written harms nobody", async () => {
  await using llm = await startScriptedLlm([{ say: "x" }]);
  const { reply, error } = await ask(llm.url, { options: { wire_log: join(folder, "no", "such", "folder") } });
  expect([reply?.content, error]).toEqual(["x", null]);
});

test.each([
  ["sk-12345", "sk-1…2345"],
  ["sk-1234", "***"],
  ["", "***"],
])("L18 %j is shown as %j", (secret, shown) => {
  expect(redacted(secret)).toBe(shown);
});
