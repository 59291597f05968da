import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { askRaw } from "./scene.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const STREAMS = join(resolve(ROOT, process.env["SMITH_VECTORS"] ?? "../shared/vectors"), "streams");
const KINDS = /^(deepseek|mistral|alibaba|openai-compatible)--.*\.chunks\.txt$/;
const names = existsSync(STREAMS) ? readdirSync(STREAMS).filter((name) => KINDS.test(name)) : [];

if (names.length === 0) test.skip("L9 recordings are absent: set SMITH_VECTORS to replay them", () => {});

/** How a recording ended, by its name. */
function finishOf(name: string): string {
  if (name.includes("tool-call")) return "tool_calls";
  return name.startsWith("deepseek--deepseek-text") ? "length" : "stop";
}

/** Chance that repeats itself (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test.each(names)("L9 L10 L11 L12 the recording %s folds alike, whole or cut anywhere", async (name) => {
  const lines = readFileSync(join(STREAMS, name), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const bytes = Buffer.from(`${lines.map((line) => `data: ${line}\n\n`).join("")}data: [DONE]\n\n`);
  const whole = await askRaw(bytes);
  expect(whole.error).toBe(null);
  expect([whole.reply?.warnings, whole.reply?.usage.input_tokens]).toEqual([[], expect.any(Number)]);
  expect(whole.reply?.reasoning).toBe(whole.thought);
  const isCall = name.includes("tool-call");
  expect(whole.reply?.finish_reason).toBe(finishOf(name));
  const calls = whole.reply?.tool_calls.map((call) => [call.name, JSON.parse(call.arguments)]);
  expect(calls).toEqual(isCall ? [["weather", { location: "San Francisco" }]] : []);
  for (let seed = 1; seed <= 3; seed++) {
    const chance = seeded(seed);
    const marks = Array.from({ length: 200 }, () => Math.floor(chance() * bytes.length)).sort((a, b) => a - b);
    const pieces = [...marks, bytes.length].map((mark, at) => bytes.subarray(marks[at - 1] ?? 0, mark));
    expect(await askRaw(pieces)).toEqual(whole);
  }
});

test.each(names.map((name) => name.replace(".chunks.txt", ".json")))(
  "L1 L21 the recorded document %s is read",
  async (name) => {
    const { reply, error } = await askRaw(readFileSync(join(STREAMS, name)), { options: { stream: false } });
    expect([error, reply?.warnings]).toEqual([null, []]);
    expect(reply?.finish_reason).toBe(finishOf(name));
  },
);
