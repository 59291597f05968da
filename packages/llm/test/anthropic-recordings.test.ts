import { anthropicMessages } from "@smith/testkit";
import { expect, test } from "vitest";
import { createAnthropic } from "../src/index.ts";
import { cutAnywhere, linesOf, recordings, textOfFile } from "./recorded.ts";
import { askRaw } from "./scene.ts";

const names = recordings(/^anthropic--.*\.chunks\.txt$/);

if (names.length === 0) test.skip("L22 recordings are absent: set SMITH_VECTORS to replay them", () => {});

const ANTHROPIC = { make: createAnthropic, wire: anthropicMessages };

interface Recorded {
  readonly type: string;
  readonly index?: number;
  readonly content_block?: {
    readonly type: string;
    readonly id?: string;
    readonly name?: string;
    readonly input?: unknown;
  };
  readonly delta?: Readonly<Record<string, unknown>>;
  readonly usage?: Readonly<Record<string, number>>;
}

const FINISH: Readonly<Record<string, string>> = { end_turn: "stop", tool_use: "tool_calls", refusal: "refusal" };

/** What the first message of a recording says, read in the plainest way; some hold several answers in a row. */
function told(lines: readonly string[]) {
  const all = lines.map((line) => JSON.parse(line) as Recorded);
  const events = all.slice(
    0,
    all.findIndex(({ type }) => type === "message_stop"),
  );
  const grown = (key: string, index?: number) =>
    events
      .flatMap(({ delta, index: at }) => (index === undefined || at === index ? [delta?.[key] ?? ""] : []))
      .join("");
  const calls = events.flatMap(({ index, content_block: block }) =>
    block?.type === "tool_use"
      ? [[block.id, block.name, JSON.parse(grown("partial_json", index) || JSON.stringify(block.input))]]
      : [],
  );
  const { delta, usage = {} } = events.findLast((each) => each.type === "message_delta") ?? {};
  const details = delta?.["stop_details"] as { explanation: string } | undefined;
  return {
    content: details === undefined ? grown("text").trim() : `The model refused to answer: ${details.explanation}`,
    reasoning: grown("thinking"),
    calls,
    finish: FINISH[String(delta?.["stop_reason"])],
    usage: [usage["input_tokens"], usage["output_tokens"]],
  };
}

test.each(names)("L22 L25 L11 L12 the recording %s folds as it says, whole or cut anywhere", async (name) => {
  const lines = linesOf(name);
  const bytes = Buffer.from(lines.map((line) => `event: ${JSON.parse(line).type}\ndata: ${line}\n\n`).join(""));
  const whole = await askRaw(bytes, ANTHROPIC);
  const { reply } = whole;
  expect([whole.error, reply?.warnings]).toEqual([null, []]);
  expect({
    content: reply?.content,
    reasoning: reply?.reasoning,
    calls: reply?.tool_calls.map((call) => [call.id, call.name, JSON.parse(call.arguments)]),
    finish: reply?.finish_reason,
    usage: [reply?.usage.input_tokens, reply?.usage.output_tokens],
  }).toEqual(told(lines));
  for (let seed = 1; seed <= 3; seed++) expect(await askRaw(cutAnywhere(bytes, seed), ANTHROPIC)).toEqual(whole);
});

test.each(names.map((name) => name.replace(".chunks.txt", ".json")))(
  "L22 the recorded document %s is read",
  async (name) => {
    const document = JSON.parse(textOfFile(name));
    const { reply, error } = await askRaw(textOfFile(name), { ...ANTHROPIC, options: { stream: false } });
    const blocks: { type: string; text?: string; id?: string }[] = document.content;
    const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    expect([error, reply?.warnings, reply?.tool_calls.map((call) => call.id)]).toEqual([null, [], calls]);
    const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
    if (document.stop_reason !== "refusal") expect(reply?.content).toBe(text.trim());
    expect(reply?.finish_reason).toBe(calls.length > 0 ? "tool_calls" : FINISH[document.stop_reason]);
  },
);
