import { createServer } from "node:net";
import { resolve } from "node:path";
import { freePort, ollamaChat, type RecordedRequest } from "@smith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { model, place } from "./scene.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const modelOf = (request: RecordedRequest | undefined) => (request?.body as { model?: string } | undefined)?.model;
/** The first line of stderr: which model was taken, and why. */
const notice = ({ stderr }: { stderr: string }) => stderr.split("\n")[0];

test("C26 a key in the environment is a provider; the first suitable model it lists is named and taken", async () => {
  const listed = ["text-embedding-3", "whisper-1", "gpt-b", "gpt-a", "gpt-image-1"];
  const llm = await model([{ say: "hi" }], { models: listed });
  const here = place();
  const end = await here.run(["-p", "hi"], { env: { OPENAI_API_KEY: " sk-test\n", OPENAI_BASE_URL: llm.url } });
  expect([end.code, end.stdout, notice(end)]).toEqual([
    0,
    "hi\n",
    `smith: gpt-a at ${llm.url} (the key of openai is in the environment)`,
  ]);
  expect([modelOf(llm.requests[0]), llm.requests[0]?.headers.authorization]).toEqual(["gpt-a", "Bearer sk-test"]);
  expect(new Set(llm.catalog_requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set(["Bearer sk-test"]),
  );
});

// Known gap: the notice and the turn each choose the model anew, so a found provider is looked for twice.
test("C26 a provider that was found is looked for once a run", async () => {
  const llm = await model([{ say: "hi" }]);
  await place().run(["-p", "hi"], { env: { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: llm.url } });
  expect(llm.catalog_requests.length).toBe(1);
});

test("C26 SMITH_MODEL and --model name the model of such a provider, and its list is not asked for", async () => {
  const llm = await model([{ say: "1" }, { say: "2" }]);
  const here = place();
  const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: llm.url, SMITH_MODEL: "mine" };
  const first = await here.run(["-p", "hi"], { env });
  const second = await here.run(["-p", "hi", "--model", "other"], { env });
  expect([first, second].map((end) => [end.code, notice(end)])).toEqual([
    [0, `smith: mine at ${llm.url} (the key of openai is in the environment)`],
    [0, `smith: other at ${llm.url} (chosen for this run)`],
  ]);
  expect([llm.requests.map(modelOf), llm.catalog_requests.length]).toEqual([["mine", "other"], 0]);
});

test("C26 what is configured wins over a key in the environment", async () => {
  const [configured, other] = [await model([{ say: "1" }]), await model([])];
  const here = place({ config: configured.config });
  const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: other.url };
  expect((await here.run(["-p", "hi"], { env })).code).toBe(0);
  expect([configured.requests[0]?.headers.authorization, other.catalog_requests.length]).toEqual([undefined, 0]);
});

test("C26 a provider that lists no suitable model: exit 2, and the variable to set is named", async () => {
  const llm = await model([], { models: ["text-embedding-3"] });
  const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: llm.url };
  const { code, stdout, stderr } = await place().run(["-p", "hi"], { env });
  expect([code, stdout, stderr]).toEqual([
    2,
    "",
    `smith: OPENAI_API_KEY is set, but ${llm.url} lists no model. Set SMITH_MODEL, or pass --model ID.\n`,
  ]);
});

test("C26 a local server that lists a model is found by itself; the first in the order of the three wins", async () => {
  const servers = [
    await model([{ say: "1" }], { wire: ollamaChat }),
    await model([{ say: "2" }]),
    await model([{ say: "3" }]),
  ] as const;
  const [ollama, lmstudio, llamacpp] = servers;
  const free = await freePort();
  const here = place();
  const tries = [
    [[ollama, lmstudio, llamacpp], "ollama", ollama],
    [[null, lmstudio, llamacpp], "lmstudio", lmstudio],
    [[null, null, llamacpp], "llamacpp", llamacpp],
  ] as const;
  for (const [ports, provider, llm] of tries) {
    const SMITH_PROBE_PORTS = ports.map((each) => each?.port ?? free).join(":");
    const end = await here.run(["-p", "hi"], { env: { SMITH_NO_PROBE: undefined, SMITH_PROBE_PORTS } });
    expect([end.code, notice(end)]).toEqual([
      0,
      `smith: scripted at ${provider === "ollama" ? llm.url.replace("/v1", "") : llm.url} (a local server of ${provider} answered)`,
    ]);
  }
});

test("C26 K9 a server without a model is none, a silent one is not waited for, and SMITH_NO_PROBE asks nobody", async () => {
  const empty = await model([], { models: [] });
  const [silent, free] = [await silentPort(), await freePort()];
  const here = place();
  const run = async (env: Record<string, string | undefined>) => {
    const begin = performance.now();
    const { code, stdout, stderr } = await here.run(["-p", "hi"], { env });
    expect([code, stdout, stderr.split("\n")[0]]).toEqual([2, "", "smith: no model is set. Three ways to set one:"]);
    return performance.now() - begin;
  };
  const probed = await run({ SMITH_NO_PROBE: undefined, SMITH_PROBE_PORTS: `${silent.port}:${empty.port}:${free}` });
  const unprobed = await run({ SMITH_NO_PROBE: "1", SMITH_PROBE_PORTS: `${empty.port}:${empty.port}:${empty.port}` });
  process.stdout.write(`a silent local server costs ${Math.round(probed - unprobed)} ms\n`);
  expect(probed - unprobed).toBeLessThan(1500);
  expect([empty.catalog_requests.length, silent.asked()]).toEqual([1, 1]);
});

test("K9 with no model at all: exit 2, and the three ways to set one", async () => {
  const { code, stdout, stderr } = await place().run(["-p", "hi", "--output", "json"]);
  const [first, ...ways] = stderr.trimEnd().split("\n");
  expect([code, stdout, first]).toEqual([2, "", "smith: no model is set. Three ways to set one:"]);
  expect(ways.map((line) => line.split(":")[0]?.trim())).toEqual(["a key", "a local server", "a configuration"]);
  expect([ways[0], ways[2]]).toEqual([
    expect.stringContaining("OPENAI_API_KEY"),
    expect.stringContaining("smith config set llm_config.api_url"),
  ]);
});

test("K11 L15 models --json is one array of what there is, and names on stderr each provider that has no list", async () => {
  const [good, none] = [await model([], { models: ["a-one", "b-two"] }), await freePort()];
  const dead = { name: "dead", kind: "openai_chat", api_url: `http://127.0.0.1:${none}/v1`, model: "m" };
  const here = place({ config: { ...good.config, providers: [dead] } });
  const rows = ({ stdout }: { stdout: string }) =>
    (JSON.parse(stdout) as { id: string; provider: string }[]).map(({ id }) => id);
  const end = await here.run(["models", "--json", "--refresh"]);
  expect([end.code, rows(end)]).toEqual([0, ["a-one", "b-two"]]);
  expect(end.stderr).toMatch(/^smith: dead at .*: no list; asked now: dead at .* could not be reached .*\n$/);
  const again = await here.run(["models", "TWO", "--json"]);
  expect([again.code, rows(again), again.stderr]).toEqual([
    ...[0, ["b-two"]],
    `smith: dead at ${dead.api_url}: no list; --refresh asks again\n`,
  ]);
});

test("C26 an endpoint without a model: the only one it lists is taken; of several none, exit 2", async () => {
  const [one, several] = [
    await model([{ say: "hi" }], { models: ["lonely"] }),
    await model([], { models: ["b", "a"] }),
  ];
  const at = (url: string) => place({ config: { llm_config: { api_url: url } } });
  const end = await at(one.url).run(["-p", "hi"]);
  expect([end.code, notice(end)]).toEqual([0, `smith: lonely at ${one.url} (the only model it lists)`]);
  const { code, stdout, stderr } = await at(several.url).run(["-p", "hi"]);
  expect([code, stdout, stderr]).toEqual([
    2,
    "",
    `smith: No model is set for ${several.url}. It lists a, b. Set default_model, or pass --model ID.\n`,
  ]);
});

test("L30 a missing key of an endpoint elsewhere is found before any request, and its variable is named", async () => {
  const config = { llm_config: { api_url: "https://api.example.org/v1", api_key_env: "MY_KEY" }, default_model: "m" };
  const { code, stdout, stderr } = await place({ config }).run(["-p", "hi"], { env: { MY_KEY: "  " } });
  expect([code, stdout, stderr]).toEqual([
    2,
    "",
    "smith: api.example.org needs a key, and MY_KEY is not set. Export it, or name another variable in llm_config.api_key_env.\n",
  ]);
});

test("B60 slashes at the end of the address and blanks around the key do no harm", async () => {
  const llm = await model([{ say: "1" }, { say: "2" }, { say: "3" }]);
  for (const [tail, key] of [
    ["", "sk-test\n"],
    ["/", "  sk-test "],
    ["//", "sk-test"],
  ] as const) {
    const here = place({ config: { llm_config: { api_url: `${llm.url}${tail}` }, default_model: "m" } });
    expect((await here.run(["-p", "hi"], { env: { LLM_API_KEY: key } })).code).toBe(0);
  }
  expect(llm.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual(
    Array(3).fill(["/v1/chat/completions", "Bearer sk-test"]),
  );
});

test("L30 fault 212 a key that no header can hold is refused without being printed", async () => {
  const llm = await model([]);
  const here = place({ config: llm.config });
  const { code, stdout, stderr } = await here.run(["-p", "hi"], { env: { LLM_API_KEY: "sk-CANARY\nx: y" } });
  expect([code === 1 || code === 2, stdout, stderr.includes("CANARY"), stderr.includes("LLM_API_KEY")]).toEqual([
    true,
    "",
    false,
    true,
  ]);
});

for (const [how, args, env, why] of [
  ["SMITH_FALLBACK=demo", [], { SMITH_FALLBACK: "demo" }, "no model is configured: answers are search results"],
  ["--model demo", ["--model", "demo"], {}, "chosen for this run"],
] as const) {
  test(`C26 with ${how} the demo model searches this repository, labelled, and touches nothing`, async () => {
    const end = await place().run(["-p", "where is the turn loop?", "--output", "jsonl", ...args], { cwd: ROOT, env });
    expect([end.code, notice(end)]).toEqual([0, `smith: demo (no language model) (${why})`]);
    const { model: name, provider, text, stop_reason } = end.json();
    expect([name, provider, stop_reason]).toEqual(["demo (no language model)", "demo", "completed"]);
    expect(text).toMatch(/packages\/engine\/src\/turn\/turn\.ts:\d+/);
    expect(text).toContain("demo (no language model)");
    const used = new Set(
      end.events().flatMap((event) => (event.type === "tool_execution_started" ? [event.tool] : [])),
    );
    expect([...used].filter((tool) => !["code_map", "code_grep", "read"].includes(tool))).toEqual([]);
    expect(used.has("code_grep")).toBe(true);
  });
}

test("C26 the demo is never taken where a model is configured or a key is set", async () => {
  const llm = await model([{ say: "1" }, { say: "2" }]);
  const demo = { SMITH_FALLBACK: "demo" };
  await place({ config: llm.config }).run(["-p", "hi"], { env: demo });
  await place().run(["-p", "hi"], { env: { ...demo, OPENAI_API_KEY: "k", OPENAI_BASE_URL: llm.url } });
  expect(llm.requests.map(modelOf)).toEqual(["scripted", "scripted"]);
});

/** A server that takes connections and says nothing. */
async function silentPort(): Promise<{ port: number; asked(): number }> {
  const sockets: { destroy(): void }[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {}); // the client breaks off: that is the test
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server without a port");
  return { port: address.port, asked: () => sockets.length };
}
