import type { AgentEvent } from "@smith/contract/event";
import { goldenLines } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { storedMessages } from "./database.ts";
import type { Ended } from "./running.ts";
import { model, type Place, place } from "./scene.ts";

const READ = { id: "call_1", name: "read", args: { path: "a.ts" } };
const SLEEP = { id: "call_2", name: "bash", args: { command: "echo begun; touch begun; sleep 30" } };
const FILES = { "a.ts": "export const one = 1;\n" };
const ASK = ["-p", "what is in a.ts?", "--output", "jsonl"];

/** The account of a run: its events as printed, its messages as stored. */
const account = (end: Ended, here: Place, names: Record<string, string> = {}): string =>
  goldenLines(end.events(), storedMessages(here.database), { [here.cwd]: "<dir>", ...names });

/** Neighbouring deltas are one: where a piece ends is chance. */
const order = (events: readonly AgentEvent[]): string[] =>
  events.map(({ type }) => type).filter((type, index, all) => type !== "llm_text_delta" || all[index - 1] !== type);

describe("jsonl", () => {
  test("K1 E12 E13 E16 E17 events come in the order of the contract, the result last, and nothing else is printed", async () => {
    const llm = await model([{ say: "I look.", call: [READ] }, { say: "It exports one." }]);
    const here = place({ config: llm.config, files: FILES });
    const end = await here.run(ASK);
    expect(end.code).toBe(0);
    expect(order(end.events())).toEqual([
      "turn_started",
      "prompt_built",
      ...["llm_request_started", "llm_text_delta", "llm_tool_call_detected", "llm_request_completed"],
      ...["tool_execution_started", "tool_execution_finished"],
      ...["llm_request_started", "llm_text_delta", "llm_request_completed"],
      "turn_completed",
      "turn_persisted",
    ]);
    expect(end.json()).toMatchObject({ stop_reason: "completed", text: "It exports one.", rounds: 2, tool_calls: 1 });
    const stamps = end.events().map(({ ts, turn_id }) => [turn_id, Number.isInteger(ts)]);
    expect(stamps).toEqual(stamps.map(() => ["t1", true]));
    expect(end.stdout.endsWith("}\n")).toBe(true);
  });

  test("E13 golden: read, then answer", async () => {
    const llm = await model([{ say: "I look.", call: [READ] }, { say: "It exports one." }]);
    const here = place({ config: llm.config, files: FILES });
    await expect(account(await here.run(ASK), here)).toMatchFileSnapshot("golden/read-then-answer.txt");
  });

  test("T5 T6 golden: the tool budget is spent in the middle of a batch", async () => {
    const again = { ...READ, id: "call_3" };
    const llm = await model([{ call: [READ, again, SLEEP] }]);
    const here = place({ config: llm.config, files: FILES });
    const end = await here.run([...ASK, "--set", "tool_step_budget=2"]);
    await expect(account(end, here)).toMatchFileSnapshot("golden/budget.txt");
  });

  test("T6 T7 E15 golden: cancelled in a tool, with another call waiting", async () => {
    const llm = await model([{ say: "I wait.", call: [SLEEP, READ] }]);
    const here = place({ config: llm.config, files: FILES });
    const run = here.smith(ASK);
    await run.made("begun");
    run.kill("SIGINT");
    await expect(account(await run.ended, here)).toMatchFileSnapshot("golden/cancel-in-a-tool.txt");
  });

  test("T20 golden: cancelled in the stream", async () => {
    const llm = await model([{ stall: true, say: "It expor" }]);
    const here = place({ config: llm.config, files: FILES });
    const run = here.smith(ASK);
    await run.said("It expor");
    run.kill("SIGINT");
    await expect(account(await run.ended, here)).toMatchFileSnapshot("golden/cancel-in-the-stream.txt");
  });

  test("T2 golden: an error after a tool result", async () => {
    const llm = await model([{ call: [READ] }, { status: 500, body: { error: { message: "out of memory" } } }]);
    const here = place({ config: llm.config, files: FILES });
    const end = await here.run([...ASK, "--set", "llm_config.retry_max_retries=0"]);
    const text = account(end, here, { [llm.url]: "<url>" });
    await expect(text).toMatchFileSnapshot("golden/error-after-a-tool-result.txt");
  });
});
