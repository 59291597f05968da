import type { AgentEvent, EventBody, EventSource } from "@smith/contract/event";
import type { Usage } from "@smith/contract/model";
import type { TargetRole } from "@smith/contract/target-role";
import { expect, test } from "vitest";
import { createTheme, IDLE_STATUS, reduceStatus, type StatusView, statusLines, statusWord } from "../src/index.ts";

const theme = createTheme({ colour: false, kind: "none" });
const usage = (input: number, output: number, cost: number | null = null): Usage => ({
  input_tokens: input,
  output_tokens: output,
  cached_tokens: null,
  reasoning_tokens: null,
  cost_usd: cost,
});
const at = (ts: number, body: EventBody, more: { turn_id?: string } & Partial<EventSource> = {}): AgentEvent => ({
  ...body,
  ts,
  turn_id: "t",
  ...more,
});
const play = (events: readonly AgentEvent[], from: StatusView = IDLE_STATUS): StatusView =>
  events.reduce(reduceStatus, from);
const lines = (view: StatusView, now: number, columns = 80) => statusLines(view, { columns, now, theme, frame: "*" });

const started = at(1000, { type: "turn_started", role: "direct", conversation_id: "c" });
const asked = at(1000, { type: "llm_request_started", round: 1, model: "m", provider: "p" });
const answered = (told: Usage) =>
  at(4000, {
    type: "llm_request_completed",
    round: 1,
    model: "m",
    provider: "p",
    usage: told,
    finish_reason: "tool_calls",
    duration_ms: 1,
  });
const runs = (call_id: string, tool: string, args: unknown) =>
  at(4000, { type: "tool_execution_started", call_id, tool, args });
const ran = (call_id: string, tool: string) =>
  at(5000, {
    type: "tool_execution_finished",
    call_id,
    tool,
    ok: true,
    duration_ms: 1,
    mutation_state: "none",
    summary: "",
    error: null,
  });
const error = {
  kind: "transport",
  code: "network",
  message: "no\u001b[2J route",
  retryable: false,
  origin: "x",
  data: {},
  cause: null,
} as const;

test("U5 U37 the word for what goes on follows the events", () => {
  const steps: readonly (readonly [AgentEvent, string])[] = [
    [started, "thinking"],
    [asked, "thinking"],
    [at(2000, { type: "llm_reasoning_delta", text: "hm" }), "thinking"],
    [at(2000, { type: "llm_text_delta", text: "It" }), "streaming"],
    [answered(usage(10, 5)), "streaming"],
    [runs("1", "bash", { command: "npm test" }), "running bash"],
    [runs("2", "read", { path: "a" }), "running 2 calls"],
    [ran("1", "bash"), "running read"],
    [ran("2", "read"), "thinking"],
    [at(5000, { type: "turn_cancel_requested", reason: "ctrl-c" }), "cancelling"],
    [at(6000, { type: "turn_completed", stop_reason: "cancelled" }), "cancelled"],
    [started, "thinking"],
    [at(6000, { type: "turn_failed", error }), "error"],
    [started, "thinking"],
    [at(6000, { type: "turn_completed", stop_reason: "budget_exhausted" }), "idle"],
  ];
  let view = IDLE_STATUS;
  const words = steps.map(([event]) => {
    view = reduceStatus(view, event);
    return statusWord(view);
  });
  expect(words).toEqual(steps.map(([, word]) => word));
  expect(play([started, at(1, { type: "turn_failed", error })]).error).toBe("no route");
});

test("U5 the status row tells what is done, since when and how many tokens it took", () => {
  const first = play([started, asked]);
  expect(lines(first, 5200)).toEqual(["* thinking 4s · Esc cancels"]);
  const streams = play([at(2000, { type: "llm_text_delta", text: "x".repeat(400) })], first);
  expect(lines(streams, 5200)).toEqual(["* streaming 4s · 100 tokens · Esc cancels"]);
  const runsBash = play([answered(usage(1200, 40)), runs("1", "bash", { command: "npm\u001b[2J test\nx" })], streams);
  expect(lines(runsBash, 62_000)).toEqual(["* running bash npm test x 1m01s · 1.2k tokens · Esc cancels"]);
  const waits = play([at(1, { type: "llm_retry_scheduled", attempt: 1, delay_ms: 2000, code: "rate_limit" })], first);
  expect(lines(waits, 2000)).toEqual(["* rate_limit; trying again in 2 s 1s · Esc cancels"]);
  expect(lines(play([at(9, { type: "turn_completed", stop_reason: "completed" })], runsBash), 9000)).toEqual([]);
  expect(lines(IDLE_STATUS, 1)).toEqual([]);
});

test("U9 context and cost come from the requests, the cost of children too, over all turns", () => {
  const child = { source_role: "explorer", job_id: "j", parent_turn_id: "t", turn_id: "u" };
  const view = play([
    started,
    answered(usage(1000, 200, 0.25)),
    { ...answered(usage(9000, 1, 0.5)), ...child },
    at(6000, { type: "turn_completed", stop_reason: "completed" }),
    started,
  ]);
  expect([view.context_tokens, view.cost_usd, view.input_tokens]).toEqual([1200, 0.75, 0]);
});

const sent = (
  job_id: string,
  target_role: TargetRole,
  task: string,
  more: { turn_id?: string } & Partial<EventSource> = {},
) => at(4000, { type: "dispatch_started", job_id, target_role, task }, more);

test("U5 D1 four children side by side are a tree of role, task, tool, time and tokens, gone when they end", () => {
  const of = (job: string) => ({ source_role: "explorer", job_id: job, parent_turn_id: "t", turn_id: `u${job}` });
  const begins = (job: string) => ({ ...started, ts: 5000, ...of(job) });
  const four = ["a", "b", "c", "d"];
  const view = play([
    started,
    ...four.map((job) => runs(`c${job}`, "dispatch", { task: job })),
    ...four.map((job) => sent(job, "explorer", `look at ${job}`)),
    ...["a", "b", "c"].map(begins),
    { ...runs("1", "code_grep", { pattern: "x" }), ...of("a") },
    { ...answered(usage(2000, 50)), ...of("b") },
    at(6000, { type: "dispatch_cancel_requested", job_id: "c", target_role: "explorer", task: "" }),
  ]);
  expect(lines(view, 9000)).toEqual([
    "* running 4 × dispatch 8s · Esc cancels",
    "├─ Link look at a · running code_grep · 4s",
    "├─ Link look at b · thinking · 4s · 2.0k tokens",
    "├─ Link look at c · cancelling · 4s",
    "└─ Link look at d · waiting · 5s",
  ]);
  expect(lines(view, 9000, 24)).toEqual([
    "* running 4 × dispatch 8",
    "├─ Link · running code_g",
    "├─ Link · thinking · 4s ",
    "├─ Link · cancelling · 4",
    "└─ Link · waiting · 5s",
  ]);
  const ended = play(
    [
      { ...at(7000, { type: "turn_completed", stop_reason: "completed" }), ...of("a") },
      at(7000, {
        type: "dispatch_finished",
        job_id: "d",
        target_role: "explorer",
        task: "",
        ...{ status: "ok", cancelled: false, summary: "" },
        evidence_counts: { verified: 0, stale: 0, unsupported: 0 },
      }),
    ],
    view,
  );
  expect(ended.children.map((child) => child.job_id)).toEqual(["b", "c"]);
  expect(play([at(8000, { type: "turn_completed", stop_reason: "completed" })], ended).children).toEqual([]);
});

test("U5 D1 a child of a child hangs below it, though its dispatch is stamped with its sender's job", () => {
  const worker = { source_role: "worker", job_id: "w", parent_turn_id: "t", turn_id: "uw" };
  const explorer = { source_role: "explorer", job_id: "e", parent_turn_id: "uw", turn_id: "ue" };
  const view = play([
    started,
    sent("w", "worker", "mend it"),
    sent("x", "explorer", "beside"),
    { ...started, ts: 4000, ...worker },
    sent("w", "explorer", "find it", worker),
    { ...started, ts: 4000, ...explorer },
  ]);
  expect(lines(view, 5000)).toEqual([
    "* thinking 4s · Esc cancels",
    "├─ Niobe mend it · thinking · 1s",
    "│  └─ Link find it · thinking · 1s",
    "└─ Link beside · waiting · 1s",
  ]);
  const plain = statusLines(view, { columns: 80, now: 5000, theme, frame: "*", unicode: false });
  expect(plain.slice(1, 3)).toEqual(["|- Niobe mend it · thinking · 1s", "|  `- Link find it · thinking · 1s"]);
  const done = play([{ ...at(6000, { type: "turn_completed", stop_reason: "completed" }), ...worker }], view);
  expect(done.children.map((child) => child.job_id)).toEqual(["x"]);
});
