import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Ended } from "./running.ts";
import { model, type Place, place } from "./scene.ts";
import { hasTmux, openPane } from "./tmux.ts";

/** One key for each place in which a user may keep one. */
const KEYS = {
  env: "CANARY-env-01234567",
  file: "CANARY-file-01234567",
  header: "CANARY-header-01234567",
  authorization: "CANARY-authorization-0123",
  address: "CANARY-address-01234567",
  query: "CANARY-query-01234567",
  proxy: "CANARY-proxy-01234567",
  origin: "CANARY-origin-01234567",
} as const;
const basic = (name: string, key: string) => Buffer.from(`${name}:${key}`).toString("base64");
/** The keys as they are, and as they go out. */
const FORMS = ["CANARY", basic("bob", KEYS.address), basic("bob", KEYS.proxy)];
/** What a careless server says: all it was sent. */
const echo = (...keys: readonly string[]) => `no: ${keys.join(" ")}, and ${encodeURIComponent(keys.join(" "))}`;
const OF_ALL = [KEYS.header, KEYS.authorization, KEYS.address, KEYS.query, basic("bob", KEYS.address)];
const refused = (...keys: readonly string[]) => ({
  status: 401,
  body: { error: { message: echo(...keys, ...OF_ALL), code: keys[0] ?? "" } },
});

const ENV = { LLM_API_KEY: KEYS.env, B_KEY: KEYS.env };

const withKeys = (url: string) => `${url.replace("//", `//bob:${KEYS.address}@`)}?key=${KEYS.query}`;

/** A project whose origin holds a token, and a configuration with keys in all places. */
function planted(urls: readonly string[]): Place {
  const providers = urls.map((url, at) => ({
    ...{ name: `p${at}`, kind: "openai_chat", model: "m", api_url: withKeys(url) },
    ...(at === 0 ? { api_key: KEYS.file } : { api_key_env: "B_KEY" }),
    headers: { "x-auth": KEYS.header, "x-other": `Token ${KEYS.authorization}` },
  }));
  const here = place({ config: { providers, llm_config: { retry_backoff_ms: [1] } }, git: true });
  const origin = `https://bob:${KEYS.origin}@example.org/o/r.git`;
  execFileSync("git", ["remote", "add", "origin", origin], { cwd: here.cwd });
  return here;
}

/** What a run shows, and every file it left but those in which the user wrote a key. */
function leaks(here: Place, ends: Readonly<Record<string, Ended>>): readonly string[] {
  const shown = Object.entries(ends).flatMap(([name, { stdout, stderr }]) => [
    [`${name} stdout`, stdout] as const,
    [`${name} stderr`, stderr] as const,
  ]);
  const files = [here.home, here.cwd]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name !== "config.json" && !entry.parentPath.endsWith("/.git"))
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), "latin1")] as const);
  return [...shown, ...files].flatMap(([name, text]) =>
    FORMS.flatMap((form) => {
      const at = text.indexOf(form);
      return at === -1 ? [] : [`${name}: ${text.slice(Math.max(0, at - 60), at + 40)}`];
    }),
  );
}

test("B79 L18 fault 213 a key is nowhere, wherever it was kept: refusals that repeat it, answers, lists, database, wire log, children", async () => {
  const env = { ...ENV, SMITH_WIRE_LOG: "" };
  const call = { id: "c1", name: "bash", args: { command: "env; git log -1; cat < /dev/null" } };
  const [ofFile, ofEnv] = [refused(KEYS.file), refused(KEYS.env)];
  const answers = [ofFile, ofFile, { ...ofFile, status: 400 }, { ...ofFile, status: 200 }, { ...ofFile, status: 500 }];
  const a = await model([...answers, { ...ofFile, status: 500 }, { ...ofFile, status: 500 }], { models: ["m"] });
  const b = await model([{ call: [call] }, { say: "done" }, ofEnv, ofEnv, ofEnv], { models: ["m"] });
  const here = planted([a.url, b.url]);
  const run = (...args: string[]) => here.run(args, { env: { ...env, SMITH_WIRE_LOG: join(here.cwd, "wire.log") } });
  const ends: Record<string, Ended> = {};
  for (const [name, args] of Object.entries({
    turn: ["-p", "hi", "--output", "jsonl", "--log-level", "debug"],
    refused: ["-p", "hi", "--output", "json"],
    stream: ["-p", "hi"],
    text: ["-p", "hi"],
    doctor: ["doctor"],
    "doctor json": ["doctor", "--json"],
    models: ["models", "--refresh"],
    "models json": ["models", "--json", "--refresh"],
    "sessions list": ["sessions", "list", "--json", "--all"],
    "sessions show": ["sessions", "show", "latest"],
    context: ["sessions", "show", "latest", "--context"],
    export: ["sessions", "export", "latest", "--format", "jsonl"],
    "export json": ["sessions", "export", "latest", "--format", "json"],
    search: ["search", "CANARY", "--all"],
    config: ["config", "get"],
    explain: ["config", "explain", "providers", "--json"],
    policy: ["policy", "show"],
    tools: ["tools", "--json"],
  })) {
    ends[name] = await run(...args);
  }
  expect(ends["turn"]?.json()).toMatchObject({ text: "done", provider: "p1" });
  expect(a.requests[0]?.headers).toMatchObject({ "x-auth": KEYS.header, authorization: `Bearer ${KEYS.file}` });
  expect(leaks(here, ends)).toEqual([]);
});

test("fault 213 50 a proxy's credentials are nowhere, also when the proxy repeats them", async () => {
  const a = await model([]);
  const proxy = createServer((request, response) =>
    response.writeHead(407).end(`you sent ${request.headers["proxy-authorization"]}: ${echo(KEYS.proxy, KEYS.file)}`),
  );
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const env = { ...ENV, HTTP_PROXY: `http://bob:${KEYS.proxy}@127.0.0.1:${port}` };
  const here = planted([a.url]);
  const run = (args: string[], more = {}) =>
    here.run(args, { env: { ...env, SMITH_WIRE_LOG: join(here.cwd, "wire.log"), ...more } });
  const ends = {
    turn: await run(["-p", "hi", "--output", "jsonl"]),
    doctor: await run(["doctor"]),
    models: await run(["models", "--refresh"]),
    odd: await run(["-p", "hi"], { HTTP_PROXY: `ftp://bob:${KEYS.proxy}@127.0.0.1:${port}` }),
    dead: await run(["-p", "hi"], { HTTP_PROXY: `http://bob:${KEYS.proxy}@127.0.0.1:9` }),
  };
  expect(ends.turn.stdout).toContain("answered 407");
  expect(leaks(here, ends)).toEqual([]);
});

test("C20 faults 213 202 a wrong configuration, a wrong flag and a wrong address are told without the key in them", async () => {
  const here = place();
  const write = (text: string) => writeFileSync(join(here.home, "config.json"), text);
  const whole = { name: "a", kind: "openai_chat", api_key: KEYS.file, headers: { "x-auth": KEYS.header } };
  const files = {
    "no json": `{"providers": [{"api_key": "${KEYS.file}" "name": 1}]}`,
    "wrong kind": JSON.stringify({ providers: [{ ...whole, kind: "x" }] }),
    "unknown key": JSON.stringify({ providers: [{ ...whole, key: KEYS.file }] }),
    "no address": JSON.stringify({ providers: [{ ...whole, api_url: `ftp://bob:${KEYS.address}@h` }] }),
    "a list as key": JSON.stringify({ providers: [{ ...whole, api_key: [KEYS.file] }] }),
    "header of a wrong type": JSON.stringify({ providers: [{ ...whole, headers: { a: [KEYS.header] } }] }),
    "header that can't be sent": JSON.stringify({ providers: [{ ...whole, headers: { a: `${KEYS.header}\n` } }] }),
  };
  const ends: Record<string, Ended> = {};
  for (const [name, text] of Object.entries(files)) {
    write(text);
    ends[name] = await here.run(["-p", "hi"]);
    ends[`${name} doctor`] = await here.run(["doctor"]);
  }
  write("{}");
  for (const set of [
    `providers=[{"name":"a","kind":"x","api_key":"${KEYS.file}"}]`,
    `llm_config.api_url=ftp://bob:${KEYS.address}@h`,
    `llm_config.api_key=${KEYS.file}`,
  ]) {
    ends[set.slice(0, 22)] = await here.run(["-p", "hi", "--set", set]);
    ends[`set ${set.slice(0, 22)}`] = await here.run(["config", "set", ...set.split(/=(.*)/, 2)]);
  }
  ends["a password"] = await here.run(["config", "set", "llm_config.api_url", `https://bob:${KEYS.address}@h/v1`]);
  expect(Object.entries(ends).filter(([, { code }]) => code === 0)).toEqual([]);
  expect(leaks(here, ends)).toEqual([]);
});

test("fault 213 a fault of ours that has keys in its words is told without them: in a turn, before it, and where nobody catches it", async () => {
  const llm = await model([]);
  const words = `${KEYS.env} sk-CANARY0123456789 at https://bob:${KEYS.address}@h/v1`;
  const thrown = `throw new Error(${JSON.stringify(words)})`;
  const [start, end] = [
    'import http from "node:http"; import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";',
    "syncBuiltinESMExports();",
  ];
  const failing = (code: string) => [
    "--import",
    `data:text/javascript,${encodeURIComponent(`${start} const { request } = http; ${code} ${end}`)}`,
  ];
  const faults = {
    turn: `http.request = () => { ${thrown} };`,
    before: `fs.statSync = () => { ${thrown} };`,
    uncaught: `http.request = (...a) => { setImmediate(() => { ${thrown} }); return request(...a); };`,
    rejected: `http.request = (...a) => { (async () => { ${thrown} })(); return request(...a); };`,
  };
  const config = { ...llm.config, llm_config: { api_url: "http://127.0.0.1:9/v1", retry_max_retries: 0 } };
  const here = place({ config });
  const ends: Record<string, Ended> = {};
  for (const [name, code] of Object.entries(faults)) {
    ends[name] = await here.run(["-p", "hi", "--output", "json"], { env: ENV, node: failing(code) });
  }
  const lastLines = Object.values(ends).map(({ code, stderr }) => [code, stderr.trimEnd().split("\n").at(-1)]);
  const fault = "smith: internal error: *** *** at https://***@h/v1. This is a fault of smith; please report it.";
  expect(lastLines).toEqual([
    [1, "smith: *** *** at https://***@h/v1"],
    [1, fault],
    [1, fault],
    [1, fault],
  ]);
  expect(Object.values(ends).filter(({ stderr }) => /^\s+at /m.test(stderr))).toEqual([]);
  expect(leaks(here, ends)).toEqual([]);
});

test("C26 fault 213 an address from the environment is told without its password, also where it lists no model", async () => {
  const llm = await model([], { models: ["text-embedding-3"] });
  const here = place();
  const env = { OPENAI_API_KEY: KEYS.env, OPENAI_BASE_URL: withKeys(llm.url) };
  const ends = {
    none: await here.run(["-p", "hi"], { env }),
    doctor: await here.run(["doctor"], { env }),
    models: await here.run(["models"], { env }),
    named: await here.run(["-p", "hi", "--model", "m", "--set", "llm_config.retry_max_retries=0"], {
      env: { ...env, OPENAI_BASE_URL: withKeys("http://127.0.0.1:9") },
    }),
  };
  expect(ends.none.stderr).toContain("lists no model");
  expect(leaks(here, ends)).toEqual([]);
});

if (!hasTmux) console.log("skipped: what a fault leaves of a terminal (tmux is not installed)");

test.skipIf(!hasTmux)(
  "faults 213 223 a fault that nobody caught leaves the terminal as it was, and one line",
  async () => {
    const here = place({ config: { llm_config: { api_url: "http://127.0.0.1:9/v1" }, default_model: "m" } });
    const hook = join(here.home, "hook.mjs");
    writeFileSync(
      hook,
      `import http from "node:http"; import { syncBuiltinESMExports } from "node:module";
     http.request = () => { setImmediate(() => { throw new Error("boom sk-CANARY0123456789") }); return {}; };
     syncBuiltinESMExports();`,
    );
    const pane = await openPane(here, { env: { NODE_OPTIONS: `--import=${hook}` } });
    pane.type("hi");
    pane.press("Enter");
    await pane.see("internal error: boom ***. This is a fault of smith; please report it.");
    expect(await pane.ended()).toEqual({ code: 1, restored: true });
  },
);
