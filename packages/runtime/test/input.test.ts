import { expect, test } from "vitest";
import { bodyOf, model, place } from "./place.ts";

const TEXTS = [
  "/usr/lib/libfoo.so is missing, why?",
  "/home/u/a b.txt",
  "//comment?",
  "hello /help",
  "/ help",
  "/1st",
  "/help: what is it",
  "  indented text",
  "/",
];

test("R15 B64 a line is a command only when its whole first word looks like one; all else is a turn, verbatim", async () => {
  const llm = await model(TEXTS.map(() => ({ say: "ok" })));
  const runtime = place().runtime({ config: llm.config });
  for (const line of TEXTS) expect((await runtime.processInput(line)).kind).toBe("turn");
  expect(llm.requests.map((request) => bodyOf(request).messages.at(-1)?.content)).toEqual(TEXTS);
});

test("R15 B64 commands never reach the model, unknown ones are told so", async () => {
  const llm = await model([]);
  const runtime = place().runtime({ config: llm.config });
  const said = async (line: string) => {
    const processed = await runtime.processInput(line);
    return processed.kind === "command" ? [processed.answer.ok ?? true, processed.answer.say] : processed.kind;
  };
  expect([
    await said("/hlep"),
    await said("  /MODE"),
    await said("/mode plan"),
    await said("/mode"),
    await said("/foo-bar_1 with words"),
  ]).toEqual([
    [false, "unknown command /hlep. Did you mean /help? /help lists them."],
    [false, "unknown command /MODE. Did you mean /mode? /help lists them."],
    [true, "mode plan, from the next turn on."],
    [true, "mode plan (full, ask, plan)"],
    [false, "unknown command /foo-bar_1. /help lists them."],
  ]);
  const help = await runtime.processInput("\t/help");
  expect(help.kind).toBe("command");
});

test("R15 P12 /role and /model change the next request; /new forgets what was said", async () => {
  const llm = await model([{ say: "1" }, { say: "2" }, { say: "3" }]);
  const runtime = place().runtime({ config: llm.config });
  await runtime.processInput("first");
  await runtime.processInput("/role orchestrator");
  await runtime.processInput("/model other");
  await runtime.processInput("second");
  await runtime.processInput("/new");
  await runtime.processInput("third");
  const told = llm.requests.map((request) => [bodyOf(request).model, request.role, bodyOf(request).messages.length]);
  expect(told).toEqual([
    ["scripted", "direct", 2],
    ["other", "orchestrator", 4],
    ["other", "orchestrator", 2],
  ]);
});
