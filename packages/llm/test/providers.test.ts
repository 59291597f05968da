import type { ChatModel } from "@smith/contract/model";
import { anthropicMessages, chatCompletions, ollamaChat, openAiResponses, startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { createProvider, type HttpModelOptions, listModels } from "../src/index.ts";
import { ask, KEY, optionsFor, seen } from "./scene.ts";

test.each([
  ["openai_chat", chatCompletions],
  ["openai_responses", openAiResponses],
  ["anthropic", anthropicMessages],
  ["ollama", ollamaChat],
] as const)("a provider of the kind %s speaks its format", async (kind, wire) => {
  await using llm = await startScriptedLlm([{ say: "yes" }], { wire });
  const { reply } = await ask(llm.url, { make: (options) => createProvider(kind, options) });
  const base = kind === "ollama" ? "" : "/v1";
  expect([reply?.content, llm.requests[0]?.path]).toEqual(["yes", base + wire.path.replace("/v1", "")]);
});

test.each([
  ["openai_chat", "https://api.openai.com/v1"],
  ["openai_responses", "https://api.openai.com/v1"],
  ["anthropic", "https://api.anthropic.com"],
] as const)("L40 %s without an address is at home at %s, where nobody is asked without a key", async (kind, home) => {
  const make = () =>
    createProvider(kind, { ...optionsFor(""), api_url: undefined, api_key: " ", api_key_env: "MY_KEY" });
  const { error } = await ask("x", { make });
  expect(seen(error)).toEqual({ kind: "transport", code: "auth", retryable: false });
  expect(error?.message).toBe(`default at ${home} needs a key: set MY_KEY.`);
});

test("a key in a header of one's own will do", async () => {
  const controller = new AbortController();
  const env = { HTTPS_PROXY: "http://127.0.0.1:9" };
  const options = { headers: { Authorization: "Bearer x" }, api_key: null, env };
  const { error } = await ask("https://api.openai.com/v1", { options, signal: controller.signal });
  expect(error?.data["errno"]).toBe("ECONNREFUSED");
});

test("L15 L41 the models of an Anthropic endpoint are listed with its own headers", async () => {
  await using llm = await startScriptedLlm([], { models: ["b", "a"], wire: anthropicMessages });
  const options = { ...optionsFor(llm.url), kind: "anthropic" } as const;
  expect(await listModels(options, { signal: new AbortController().signal, timeout_s: 5 })).toEqual(["a", "b"]);
  const { path, headers } = llm.catalog_requests[0] ?? { path: "", headers: {} as Record<string, string> };
  expect([path, headers["x-api-key"], headers["anthropic-version"]]).toEqual(["/v1/models", KEY, "2023-06-01"]);
});

test.each([true, false])("L41 total_s limits an answer however steadily it comes (streamed: %s)", async (stream) => {
  const pieces = (async function* () {
    for (;;) {
      yield `data: {"choices":[{"delta":{"content":"x"}}]}\n\n`;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  await using llm = await startScriptedLlm([{ raw: pieces }]);
  const { error } = await ask(llm.url, { options: { stream, timeouts: { total_s: 0.1 } } });
  expect(seen(error)).toEqual({ kind: "transport", code: "timeout", retryable: true });
});

test.each([
  ["openai_chat", chatCompletions],
  ["openai_responses", openAiResponses],
  ["anthropic", anthropicMessages],
  ["ollama", ollamaChat],
  ["ai_sdk", chatCompletions],
] as const)(
  "L20 a provider of the kind %s is its name and chat; whatever goes wrong is thrown as the one class of errors",
  async (kind, wire) => {
    const more = kind === "ai_sdk" ? { package: "@ai-sdk/openai-compatible", package_dirs: [import.meta.dirname] } : {};
    const make = (options: HttpModelOptions): ChatModel => createProvider(kind, { ...options, ...more });
    const model = make(optionsFor("http://127.0.0.1:9/v1"));
    expect([model.provider, typeof model.chat]).toEqual(["default", "function"]);
    await using llm = await startScriptedLlm(
      [{ status: 500, body: "<html>" }, { raw: "garbage\n\n" }, { status: 401, body: "{" }],
      { wire },
    );
    const codes: (string | undefined)[] = [];
    // `ask` lets nothing pass that is no AgentError
    for (const url of [llm.url, llm.url, llm.url, "http://127.0.0.1:9/v1"])
      codes.push((await ask(url, { make })).error?.kind);
    codes.push((await ask(llm.url, { make, signal: AbortSignal.abort(new Error("x")) })).error?.kind);
    expect(codes).toEqual([
      "transport",
      expect.stringMatching(/^(transport|protocol)$/),
      "transport",
      "transport",
      "cancelled",
    ]);
  },
);
