import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { AgentError, runAgent } from "../src/index.ts";
import { conversationIn, model, place } from "./place.ts";

const Verdict = z.strictObject({ ok: z.boolean(), why: z.string().min(1), score: z.number().default(0) });

const ask = async (answers: readonly string[], run: Parameters<typeof runAgent>[2] = {}, config: object = {}) => {
  const llm = await model(answers.map((say) => ({ say })));
  const options = { cwd: place().cwd, env: { SMITH_NO_PROBE: "1" }, config: { ...llm.config, ...config } };
  return { result: await runAgent(options, "Is it good?", run), llm };
};

test("API: an answer that fits output_schema is the result's output, typed by the schema", async () => {
  const llm = await model([{ say: '{"ok": true, "why": "it builds"}' }]);
  const options = { cwd: place().cwd, env: { SMITH_NO_PROBE: "1" }, config: llm.config };
  const result = await runAgent(options, "Is it good?", { output_schema: Verdict });
  expectTypeOf(result.output).toEqualTypeOf<z.infer<typeof Verdict> | null>();
  expect([result.stop_reason, result.output, result.rounds]).toEqual([
    ...["completed", { ok: true, why: "it builds", score: 0 }, 1],
  ]);
  const [line = ""] = conversationIn(llm.requests[0]);
  expect(line).toMatch(
    /^Is it good\?\n\nAnswer with one JSON value that fits this JSON Schema, and with nothing else:\n\{/,
  );
  expect(JSON.parse(line.split("\n").at(-1) ?? "")).toMatchObject({ required: ["ok", "why"], type: "object" });
});

test("API: a value in a fence or between sentences is read; what is no such value is asked for again, and only that", async () => {
  const wrapped = [
    '```json\n{"ok": false, "why": "no"}\n```',
    'Here you are: {"ok": false, "why": "no"} - anything else?',
    'First `{"a": 1}`, but:\n```\n{"ok": false, "why": "no"}\n```\nDone.',
  ];
  for (const say of wrapped) {
    const { result } = await ask([say], { output_schema: Verdict });
    expect([say, result.output]).toEqual([say, { ok: false, why: "no", score: 0 }]);
  }
  const { result, llm } = await ask(["It is good.", '{"ok": "yes"}', '{"ok": true, "why": "it is"}'], {
    output_schema: Verdict,
  });
  expect([result.output, result.rounds, result.messages.length]).toEqual([
    ...[{ ok: true, why: "it is", score: 0 }, 3, 6],
  ]);
  const complaints = conversationIn(llm.requests[2]).filter((line) => line.startsWith("That is not"));
  expect(complaints.map((line) => line.split("\nAnswer with")[0])).toEqual([
    "That is not what was asked for: it is not JSON.",
    "That is not what was asked for: ✖ Invalid input: expected boolean, received string\n  → at ok\n✖ Invalid input: expected string, received undefined\n  → at why",
  ]);
});

test("API: three answers that don't fit end the run in the error schema/output_schema, stored as failed", async () => {
  const { result } = await ask(["no", "{}", "[1]"], { output_schema: Verdict });
  expect([result.stop_reason, result.output, result.rounds, result.text]).toEqual(["error", null, 3, "[1]"]);
  expect(result.error).toMatchObject({
    ...{ kind: "schema", code: "output_schema", retryable: false, data: { text: "[1]" } },
    message:
      "The answer does not fit output_schema, also after the model was told so 2 times: ✖ Invalid input: expected object, received array",
  });
});

test("API: a plain JSON Schema does the same; one that is none is refused before anything is asked", async () => {
  const schema = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };
  const { result } = await ask(['{"n": 0}', '{"n": 3}'], { output_schema: schema });
  expect([result.output, result.rounds]).toEqual([{ n: 3 }, 2]);
  const refused = await ask([], { output_schema: z.strictObject({ at: z.date() }) }).catch((thrown: unknown) => thrown);
  if (!(refused instanceof AgentError)) throw new Error(String(refused));
  expect([refused.kind, refused.code]).toEqual(["schema", "bad_output_schema"]);
});

test("API: a spent budget ends a run that asks for a value as it ends any other", async () => {
  const { result } = await ask(["no", "no"], { output_schema: Verdict }, { max_rounds: 2 });
  expect([result.stop_reason, result.output, result.error]).toEqual(["budget_exhausted", null, null]);
  expect(result.notices.map(({ text }) => text)).toEqual([
    `Stopped after 2 model calls (max_rounds). Say "go on", or raise it.`,
  ]);
});
