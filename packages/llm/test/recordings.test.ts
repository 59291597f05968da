import { expect, test } from "vitest";
import { cutAnywhere, linesOf, recordings, textOfFile } from "./recorded.ts";
import { askRaw } from "./scene.ts";

const names = recordings(/^(deepseek|mistral|alibaba|openai|openai-compatible)--.*\.chunks\.txt$/);

if (names.length === 0) test.skip("L9 recordings are absent: set SMITH_VECTORS to replay them", () => {});

/** How a recording ended, by its name. */
function finishOf(name: string): string {
  if (name.includes("tool-call")) return "tool_calls";
  return name.startsWith("deepseek--deepseek-text") ? "length" : "stop";
}

test.each(names)("L9 L10 L11 L12 the recording %s folds alike, whole or cut anywhere", async (name) => {
  const lines = linesOf(name);
  const bytes = Buffer.from(`${lines.map((line) => `data: ${line}\n\n`).join("")}data: [DONE]\n\n`);
  const whole = await askRaw(bytes);
  expect(whole.error).toBe(null);
  expect([whole.reply?.warnings, whole.reply?.usage.input_tokens]).toEqual([[], expect.any(Number)]);
  expect(whole.reply?.reasoning).toBe(whole.thought);
  const isCall = name.includes("tool-call");
  expect(whole.reply?.finish_reason).toBe(finishOf(name));
  const calls = whole.reply?.tool_calls.map((call) => [call.name, JSON.parse(call.arguments)]);
  expect(calls).toEqual(isCall ? [["weather", { location: "San Francisco" }]] : []);
  for (let seed = 1; seed <= 3; seed++) expect(await askRaw(cutAnywhere(bytes, seed))).toEqual(whole);
});

test.each(names.map((name) => name.replace(".chunks.txt", ".json")))(
  "L1 L21 the recorded document %s is read",
  async (name) => {
    const { reply, error } = await askRaw(textOfFile(name), { options: { stream: false } });
    expect([error, reply?.warnings]).toEqual([null, []]);
    expect(reply?.finish_reason).toBe(finishOf(name));
  },
);
