import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Message } from "@smith/contract/message";
import { anthropicMessages, chatCompletions, openAiResponses, startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { createProvider } from "../src/index.ts";
import { isTooDeep, objectText } from "../src/json.ts";
import { ask, hello, place } from "./scene.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const SUITE = join(resolve(ROOT, process.env["SMITH_VECTORS"] ?? "../shared/vectors"), "json/test_parsing");
const files = existsSync(SUITE) ? readdirSync(SUITE).filter((name) => name.endsWith(".json")) : [];

if (files.length === 0) test.skip("JSONTestSuite is absent: set SMITH_VECTORS to try its texts as arguments", () => {});

const textOf = (name: string): string => readFileSync(join(SUITE, name), "utf8");
const isObjectText = (text: string): boolean => /^\s*\{/.test(text);

test.skipIf(files.length === 0)("of a JSON text only a valid object is left as it is; everything else is {}", () => {
  for (const name of files) {
    const text = textOf(name);
    const kept = objectText(text);
    if (name.startsWith("n_")) expect([name, kept]).toEqual([name, "{}"]);
    if (name.startsWith("y_"))
      expect([name, JSON.parse(kept)]).toEqual([name, isObjectText(text) ? JSON.parse(text) : {}]);
    expect([name, typeof JSON.parse(kept)]).toEqual([name, "object"]);
  }
});

test.skipIf(files.length === 0).each([
  ["openai_chat", chatCompletions],
  ["openai_responses", openAiResponses],
  ["anthropic", anthropicMessages],
] as const)(
  "L13 %s sends a conversation with any text as arguments, and no endpoint refuses it",
  async (kind, wire) => {
    const texts = [...files.map(textOf), "[".repeat(100_000), `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`];
    const calls = texts.map((text, n) => ({ id: `c${n}`, name: "read", arguments: text }));
    const messages: Message[] = [
      ...hello.messages,
      { role: "assistant", content: "", tool_calls: calls, ...place },
      ...calls.map(
        ({ id }): Message => ({ role: "tool", tool_call_id: id, name: "read", content: "x", ok: false, ...place }),
      ),
    ];
    await using llm = await startScriptedLlm([{ say: "yes" }], { wire });
    const { reply, error } = await ask(llm.url, {
      make: (options) => createProvider(kind, options),
      request: { messages },
    });
    expect([reply?.content, error]).toEqual(["yes", null]);
  },
);

test.each([
  ["a hundred levels", `${'{"a":'.repeat(100)}1${"}".repeat(100)}`, false],
  ["one more", `${'{"a":'.repeat(100)}[]${"}".repeat(100)}`, true],
  ["brackets in a string", JSON.stringify({ a: `"\\${"[{".repeat(1000)}` }), false],
  ["many side by side", JSON.stringify({ a: Array(1000).fill([{}]) }), false],
])("whether arguments are too deep to be sent: %s", (_, text, tooDeep) => {
  expect(isTooDeep(text)).toBe(tooDeep);
});
