import { anthropicMessages, chatCompletions, ollamaChat, openAiResponses, startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { createProvider, listModels } from "../src/index.ts";
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
