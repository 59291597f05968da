import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatReply, ChatRequest } from "@smith/contract/model";
import { expect, onTestFinished, test } from "vitest";
import { type AiSdkOptions, createAiSdk } from "../src/index.ts";
import { hello, place } from "./scene.ts";

/** A package whose model streams these parts and tells, in `globalThis`, what it was asked. */
const SOURCE = `
export const createFake = (settings) => Object.assign((id) => ({
  specificationVersion: "v3", provider: "fake", modelId: id,
  async doGenerate(options) { throw Object.assign(new Error("Service Unavailable"), settings.headers ?? {}, { statusCode: 529, responseBody: '{"error":{"message":"busy"}}', responseHeaders: { "retry-after": "7" } }); },
  async doStream(options) {
    globalThis.fakeAsked?.push({ settings, id, prompt: options.prompt, providerOptions: options.providerOptions });
    return { stream: new ReadableStream({ start(controller) {
      for (const part of globalThis.fakeParts) controller.enqueue(part);
      if (globalThis.fakeParts.at(-1)?.type === "finish") controller.close();
      options.abortSignal.addEventListener("abort", () => controller.error(options.abortSignal.reason));
    } }) };
  },
}));
`;

interface Fake {
  fakeParts?: readonly unknown[];
  fakeAsked?: unknown[];
}

/** Options for a package that is installed in a folder of its own. */
function fake(
  source = SOURCE,
  exported: unknown = { ".": { types: "./x.d.ts", import: "./index.mjs" } },
): AiSdkOptions {
  const dir = mkdtempSync(join(tmpdir(), "smith-ai-sdk-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const folder = join(dir, "node_modules", "@ai-sdk", "fake");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "@ai-sdk/fake", version: "1.0.0", exports: exported }),
  );
  writeFileSync(join(folder, "index.mjs"), source);
  return { ...options, package: "@ai-sdk/fake", package_dirs: [dir] };
}

const options: AiSdkOptions = { provider: "far", api_key: " k\n", api_key_env: "K", stream: true, timeouts: {} };

const ask = (made: AiSdkOptions, request: Partial<ChatRequest> = {}): Promise<ChatReply> =>
  createAiSdk(made).chat({ ...hello, ...request }, { signal: new AbortController().signal, onDelta: () => {} });

const FINISH = {
  type: "finish",
  finishReason: { unified: "tool-calls", raw: "x" },
  usage: {
    inputTokens: { total: 100, noCache: 10, cacheRead: 60, cacheWrite: 30 },
    outputTokens: { total: 7, text: 3, reasoning: 4 },
  },
};

test("version 3 of the interface: counts come apart, and what a provider signed goes back where it stood", async () => {
  const signed = (of: string) => ({ google: { thoughtSignature: of } });
  const world = globalThis as Fake;
  onTestFinished(() => void [delete world.fakeParts, delete world.fakeAsked]);
  world.fakeAsked = [];
  world.fakeParts = [
    { type: "stream-start", warnings: [] },
    { type: "response-metadata", modelId: "m-2026" },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "hm" },
    { type: "reasoning-end", id: "r", providerMetadata: signed("a") },
    { type: "text-delta", id: "t", delta: "I look." },
    { type: "tool-call", toolCallId: "c1", toolName: "read", input: '{"path":"a"}', providerMetadata: signed("b") },
    FINISH,
  ];
  const made = fake();
  const reply = await ask(made);
  const { provider_data, ...rest } = reply;
  expect(rest).toEqual({
    ...{ content: "I look.", reasoning: "hm", finish_reason: "tool_calls", model: "m-2026", warnings: [] },
    tool_calls: [{ id: "c1", name: "read", arguments: '{"path":"a"}' }],
    usage: { input_tokens: 100, output_tokens: 7, cached_tokens: 60, reasoning_tokens: 4, cost_usd: null },
    cache_write_tokens: 30,
  });
  const messages: ChatRequest["messages"] = [
    ...hello.messages,
    {
      role: "assistant",
      content: reply.content,
      tool_calls: [...reply.tool_calls],
      ...(provider_data === undefined ? {} : { provider_data }),
      ...place,
    },
    { role: "tool", tool_call_id: "c1", name: "read", content: "x", ok: false, ...place },
  ];
  await ask(made, { messages, effort: "high" });
  const [first, second] = world.fakeAsked as {
    settings: unknown;
    id: unknown;
    prompt: unknown[];
    providerOptions?: Record<string, unknown>;
  }[];
  expect([first?.settings, first?.id, first?.providerOptions]).toEqual([
    { name: "far", apiKey: "k", includeUsage: true },
    "asked-model",
    undefined,
  ]);
  expect(second?.prompt.slice(2)).toEqual([
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: signed("a") },
        { type: "text", text: "I look." },
        { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a" }, providerOptions: signed("b") },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "error-text", value: "x" } },
      ],
    },
  ]);
  expect([second?.providerOptions?.["far"], second?.providerOptions?.["google"]]).toEqual([
    { reasoningEffort: "high" },
    { thinkingConfig: { thinkingBudget: 24_576, includeThoughts: true } },
  ]);
});

test("L8 L30 a package's errors, its silence and its broken ends are told as our own adapters' are", async () => {
  const world = globalThis as Fake;
  onTestFinished(() => void delete world.fakeParts);
  const made = fake();
  const code = (asking: Promise<unknown>) =>
    asking.then(
      () => null,
      ({ code, retryable, data }) => [code, retryable, data.retry_after_ms ?? null],
    );
  world.fakeParts = [{ type: "text-delta", id: "t", delta: "Hel" }];
  const stalled = await code(ask({ ...made, timeouts: { stream_stall_timeout_s: 0.05 } }));
  const late = await code(ask({ ...made, timeouts: { total_s: 0.05 } }));
  world.fakeParts = [{ type: "error", error: { message: "overloaded", type: "overloaded_error" } }];
  const complained = await code(ask(made));
  world.fakeParts = [{ ...FINISH, finishReason: "unknown" }];
  const cut = await code(ask(made));
  const refused = await code(ask({ ...made, stream: false }));
  expect([stalled, late, complained, cut, refused]).toEqual([
    ["stream_stalled", true, null],
    ["timeout", true, null],
    ["rate_limit", true, null],
    ["stream_cut", true, null],
    ["rate_limit", true, 7000],
  ]);
});

test.each([
  [{ package: null }, "is of the kind ai_sdk and names no package. Set its package, as @ai-sdk/google."],
  [{ package: "../../evil" }, 'names the package "../../evil", which is no npm name.'],
  [
    { package: "@ai-sdk/nowhere", package_dirs: ["/somewhere"] },
    "needs the package @ai-sdk/nowhere, which is not installed. Run: npm install --prefix /somewhere @ai-sdk/nowhere",
  ],
])("a provider with %o is refused before any request, with the mend", (entry, words) => {
  expect(() => createAiSdk({ ...options, ...entry })).toThrow(words);
});

test.each([
  ["export const nothing = 1;", "exports nothing that makes a provider (create…)."],
  ["throw new Error('needs node 22')", "can't be loaded: needs node 22. Install it again, in a version for this Node."],
  [
    "export const createFake = () => () => ({});",
    "has no language model asked-model of a version that Smith can speak (2 or 3).",
  ],
])("a package that is %j says so when it is first asked", async (source, words) => {
  await expect(ask(fake(source))).rejects.toThrow(words);
});

test("L32 fault 213 what a package throws is told without the keys it repeats, whatever it is", async () => {
  const keys = ["CANARY-key-01", "CANARY-header-02", "CANARY-address-03"] as const;
  const [api_key, header, login] = keys;
  const thrown = [
    `Object.assign(new Error("x"), { statusCode: 401, responseBody: JSON.stringify({ error: { message: words } }) })`,
    `Object.assign(new Error(words), { statusCode: 200, responseBody: words })`,
    `new Error("API key is missing: " + words)`,
    `new TypeError("fetch failed", { cause: Object.assign(new Error(words), { code: "ECONNREFUSED" }) })`,
  ];
  const told = thrown.map(async (error) => {
    const source = `const words = ${JSON.stringify(keys.join(" "))};
      export const createFake = () => (id) => ({ specificationVersion: "v3", doStream() {}, async doGenerate() { throw ${error}; } });`;
    const made = { api_key, api_url: `https://bob:${login}@e.org/v1`, headers: { "x-auth": header }, stream: false };
    return await ask({ ...fake(source), ...made }).catch((failed: unknown) => JSON.stringify(failed));
  });
  const all = await Promise.all(told);
  expect(
    all.map((each) => /answered 401|no answer of a model|is missing|ECONNREFUSED/.exec(String(each))?.[0]),
  ).toEqual([...["answered 401", "no answer of a model", "is missing", "ECONNREFUSED"]]);
  expect(all.filter((each) => /CANARY/.test(String(each)))).toEqual([]);
});
