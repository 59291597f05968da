import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chain, far, outcome } from "./providers-scene.ts";
import { type Place, place } from "./scene.ts";

const IN_FILE = "sk-CANARY-in-the-file-0123";
const IN_ENV = "sk-CANARY-in-the-env-4567";
const IN_URL = "CANARY-password";
const BASH = { id: "c1", name: "bash", args: { command: "env" } };

/** Two providers with keys of both sorts; the first one's refusal repeats its key. */
async function twoKeys() {
  const echo = { error: { message: `Incorrect API key provided: ${IN_FILE}.` } };
  const a = await far(
    "a",
    [
      { status: 401, body: echo },
      { status: 401, body: echo },
    ],
    { entry: { api_key: IN_FILE } },
  );
  const b = await far("b", [{ call: [BASH] }, { say: "done" }], { entry: { api_key_env: "B_KEY" } });
  const withPassword = ({ entry }: typeof a) => ({
    entry: { ...entry, api_url: entry.api_url.replace("//", `//bob:${IN_URL}@`) },
  });
  const here = place({ config: chain([a, b].map(withPassword)) });
  return { a, b, here };
}

test("L18 L30 fault 213 a key is sent to its own provider and stands nowhere else: output, database, wire log", async () => {
  const { a, b, here } = await twoKeys();
  const log = join(here.cwd, "wire.log");
  const run = (args: string[]) => here.run(args, { env: { B_KEY: IN_ENV, SMITH_WIRE_LOG: log } });
  const end = await run(["-p", "hi", "--output", "jsonl", "--log-level", "debug"]);
  expect(outcome(end)).toMatchObject({ code: 0, text: "done", provider: "b" });
  expect(a.llm.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${IN_FILE}`));
  expect(b.llm.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${IN_ENV}`));
  expect(statSync(log).mode & 0o777).toBe(0o600);
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  const logged = lines.map((line) => JSON.parse(line) as { provider: string; method?: string; status?: number });
  expect(logged.map(({ provider, method, status }) => [provider, method ?? status])).toEqual([
    ...[
      ["a", "POST"],
      ["a", 401],
      ["b", "POST"],
      ["b", 200],
    ],
    ...[
      ["a", "POST"],
      ["a", 401],
      ["b", "POST"],
      ["b", 200],
    ],
  ]);
  const shown = [
    end,
    await run(["config", "get", "providers"]),
    await run(["config", "explain", "providers", "--json"]),
    await run(["sessions", "list", "--json"]),
    await run(["search", "CANARY", "--all"]),
  ].map(({ stdout, stderr }) => stdout + stderr);
  expect(shown[1]).toContain('"***"');
  expect([...shown, ...filesOf(here)].filter((text) => text.includes("CANARY"))).toEqual([]);
});

test("fault 52 a 401 says where the refused key is kept, and shows it not", async () => {
  const { here } = await twoKeys();
  const alone = await far("c", [{ status: 401, body: { error: { message: `no: ${IN_FILE}` } } }], {
    entry: { api_key: IN_FILE },
  });
  const end = await place({ config: chain([alone]) }).run(["-p", "hi"]);
  expect([end.code, end.stderr.trimEnd().split("\n").at(-1)]).toEqual([
    1,
    `smith: c at ${alone.llm.url}/chat/completions answered 401: no: ***. Check the key in the configuration (providers, c) and what it may use.`,
  ]);
  await here.run(["-p", "hi"], { env: { B_KEY: IN_ENV } }); // plays what the two servers have
});

test("faults 50 51 a proxy of the environment is used, and NO_PROXY exempts from it", async () => {
  const a = await far("a", [{ say: "1" }, { say: "2" }]);
  const proxy = await startProxy();
  const here = place({ config: chain([a]) });
  const env = { HTTP_PROXY: proxy.url };
  const through = await here.run(["-p", "hi"], { env });
  const direct = await here.run(["-p", "hi"], { env: { ...env, NO_PROXY: "127.0.0.1" } });
  expect([through.stdout, direct.stdout]).toEqual(["1\n", "2\n"]);
  expect(proxy.asked).toEqual([`${a.llm.url}/chat/completions`]);
});

test("fault 50 a proxy that is dead is an error that names it and its variable", async () => {
  const a = await far("a", []);
  const proxy = await startProxy();
  await proxy.close();
  const end = await place({ config: chain([a]) }).run(["-p", "hi"], { env: { HTTP_PROXY: proxy.url } });
  expect(end.code).toBe(1);
  expect(end.stderr).toContain(`could not be reached through the proxy ${proxy.url} (HTTP_PROXY) (ECONNREFUSED)`);
});

/** Every file below a place but the configuration, in which the user wrote the key. */
const filesOf = ({ home, cwd }: Place): string[] =>
  [home, cwd]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name !== "config.json")
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));

/** A plain HTTP proxy that keeps what it was asked for. */
async function startProxy() {
  const asked: string[] = [];
  const server = createServer((incoming, answer) => {
    asked.push(incoming.url ?? "");
    const { method, headers } = incoming;
    const onward = send(incoming.url ?? "", { method: method ?? "GET", headers }, (far) => {
      answer.writeHead(far.statusCode ?? 502, far.headers);
      far.pipe(answer);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  onTestFinished(async () => void (await close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}
