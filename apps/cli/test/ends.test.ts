import type { Step } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { messagesPerConversation } from "./database.ts";
import type { Running } from "./running.ts";
import { conversationIn, model, place, type WireMessage } from "./scene.ts";

const WAIT = { id: "call_1", name: "bash", args: { command: "touch begun; sleep 30" } };
const LOOK = { id: "call_2", name: "bash", args: { command: "true" } };
const READ = { id: "call_3", name: "read", args: { path: "empty.txt" } };

interface End {
  readonly title: string;
  readonly script: readonly Step[];
  readonly args?: readonly string[];
  /** What ends the turn from outside. */
  act?(run: Running): Promise<void>;
  readonly code: number;
  readonly stop_reason: string;
  /** Code of the result's error; null: there is none. */
  readonly error: string | null;
  readonly text?: string;
  /** What the model is shown of the turn when the conversation goes on, after the user's line. */
  readonly kept: readonly string[];
}

const cancelInStream = (signal: NodeJS.Signals) => ({
  script: [{ stall: true, say: "The answer is" }] as const,
  act: async (run: Running) => {
    await run.said("The answer is");
    run.kill(signal);
  },
  stop_reason: "cancelled",
  error: "cancelled",
  text: "The answer is",
  kept: ["assistant The answer is"],
});

const NO_RETRY = ["--set", "llm_config.retry_max_retries=0", "--set", "empty_response_retry_max_retries=0"];

const ENDS: readonly End[] = [
  {
    title: "completed",
    script: [{ say: "Four." }],
    code: 0,
    stop_reason: "completed",
    error: null,
    text: "Four.",
    kept: ["assistant Four."],
  },
  {
    title: "completed after tools with nothing to show",
    script: [{ call: [LOOK, READ] }, { say: "Nothing." }],
    code: 0,
    stop_reason: "completed",
    error: null,
    text: "Nothing.",
    kept: ["assistant -> call_2 call_3", "tool call_2", "tool call_3", "assistant Nothing."],
  },
  { title: "Ctrl-C in the stream", ...cancelInStream("SIGINT"), code: 130 },
  { title: "SIGTERM in the stream", ...cancelInStream("SIGTERM"), code: 143 },
  { title: "SIGHUP in the stream", ...cancelInStream("SIGHUP"), code: 129 },
  {
    title: "Ctrl-C before the first word",
    script: [{ stall: true }],
    act: async (run) => {
      await run.printed("llm_request_started");
      run.kill("SIGINT");
    },
    code: 130,
    stop_reason: "cancelled",
    error: "cancelled",
    kept: [],
  },
  {
    title: "Ctrl-C in a tool",
    script: [{ call: [WAIT, READ] }],
    act: async (run) => {
      await run.made("begun");
      run.kill("SIGINT");
    },
    code: 130,
    stop_reason: "cancelled",
    error: "cancelled",
    kept: ["assistant -> call_1 call_3", "tool call_1", "tool call_3"],
  },
  { title: "a status of 500", script: [{ status: 500 }], code: 1, stop_reason: "error", error: "rate_limit", kept: [] },
  {
    title: "a status of 500 after a tool result",
    script: [{ call: [READ] }, { status: 500 }],
    code: 1,
    stop_reason: "error",
    error: "rate_limit",
    kept: ["assistant -> call_3", "tool call_3"],
  },
  {
    title: "a stream that is cut",
    script: [{ cut: "close", say: "The answer is" }],
    code: 1,
    stop_reason: "error",
    error: "stream_cut",
    text: "The answer is",
    kept: ["assistant The answer is"],
  },
  {
    title: "a stream that is cut in the middle of a call",
    script: [{ cut: "close", call: [READ] }],
    code: 1,
    stop_reason: "error",
    error: "stream_cut",
    kept: [],
  },
  {
    title: "a stream that stalls",
    script: [{ stall: true, say: "The answer is" }],
    args: ["--set", "llm_config.stream_stall_timeout=0.3"],
    code: 1,
    stop_reason: "error",
    error: "stream_stalled",
    text: "The answer is",
    kept: ["assistant The answer is"],
  },
  {
    title: "an empty answer",
    script: [{ empty: true }],
    code: 1,
    stop_reason: "error",
    error: "empty_response",
    kept: [],
  },
  {
    title: "a blank answer",
    script: [{ say: " \n\t" }],
    code: 1,
    stop_reason: "error",
    error: "empty_response",
    kept: [],
  },
  {
    title: "the tool budget",
    script: [{ call: [READ, LOOK] }],
    args: ["--set", "tool_step_budget=1"],
    code: 3,
    stop_reason: "budget_exhausted",
    error: null,
    kept: ["assistant -> call_3 call_2", "tool call_3", "tool call_2"],
  },
  {
    title: "the cap on rounds",
    script: [{ call: [READ] }],
    args: ["--max-rounds", "1"],
    code: 3,
    stop_reason: "budget_exhausted",
    error: null,
    kept: ["assistant -> call_3", "tool call_3"],
  },
];

/** A message as one line: its words, or the ids of its calls or of the call it answers. */
function line({ role, content, tool_calls, tool_call_id }: WireMessage): string {
  if (role === "tool") return `tool ${tool_call_id}`;
  return tool_calls === undefined ? `${role} ${content}` : `${role} -> ${tool_calls.map(({ id }) => id).join(" ")}`;
}

describe("each end of a turn has its code, and the conversation goes on at a strict endpoint", () => {
  for (const end of ENDS) test(`K2 T2 T6 B54 B88 ${end.title}: exit ${end.code}`, () => endAndGoOn(end));
});

async function endAndGoOn(end: End): Promise<void> {
  const llm = await model([...end.script, { say: "Welcome back." }]);
  const here = place({ config: llm.config, files: { "empty.txt": "" } });
  const run = here.smith(["-p", "how much?", "--output", "jsonl", ...NO_RETRY, ...(end.args ?? [])]);
  await end.act?.(run);
  const first = await run.ended;
  const { stop_reason, text, error, persisted } = first.json();
  expect({ code: first.code, stop_reason, text, error: error?.code ?? null, persisted }).toEqual({
    code: end.code,
    stop_reason: end.stop_reason,
    text: end.text ?? "",
    error: end.error,
    persisted: true,
  });
  expect(await here.leftBehind()).toEqual([]);

  const second = await here.run(["-p", "go on", "-c", "--output", "json"]);
  expect([second.code, second.json().text, second.json().turn_id]).toEqual([0, "Welcome back.", "t2"]);
  const shown = conversationIn(llm.requests.at(-1)).map(line);
  expect(shown).toEqual(["user how much?", ...end.kept, "user go on"]);
  expect(messagesPerConversation(here.database)).toEqual([shown.length + 1]);
}
