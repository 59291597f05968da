import { AgentError, cancelledError } from "@smith/contract/error";
import type { Message } from "@smith/contract/message";
import { expect, test, vi } from "vitest";
import { call, play, told, tool } from "./scene.ts";

const roles = (messages: readonly { role: string }[]) => messages.map((message) => message.role);

test("T1 a round's results are appended in call order and go to the model in the next request", async () => {
  const { added, requests, end } = await play({
    answers: [[call("a", "read"), call("b", "grep")], "Done."],
    tools: [tool("read"), tool("grep")],
  });
  expect(roles(added)).toEqual(["assistant", "tool", "tool", "assistant"]);
  expect(told(added)).toEqual(["a: read done", "b: grep done"]);
  expect(roles(requests[1]?.messages ?? [])).toEqual(["system", "user", "assistant", "tool", "tool"]);
  expect(end).toEqual({ stop_reason: "completed", error: null, which: null, rounds: 2, tool_calls: 2 });
});

test("T3 an answer without calls completes the turn, on round 1 too", async () => {
  const { end, added } = await play({ answers: ["Hello."] });
  expect(end).toEqual({ stop_reason: "completed", error: null, which: null, rounds: 1, tool_calls: 0 });
  expect(added).toEqual([{ role: "assistant", content: "Hello.", turn_id: "t1", round: 1, ts: 0 }]);
});

test("T2 T17 a failed tool is a result, a failed model call ends the turn in an error", async () => {
  const boom = tool("boom", { run: () => Promise.reject(new TypeError("no such thing")) });
  const { end, added } = await play({
    answers: [[call("a", "boom")], new AgentError({ kind: "transport", code: "network", message: "refused" })],
    tools: [boom],
  });
  expect(told(added)).toEqual(["a: no such thing"]);
  expect([end.stop_reason, end.error?.code, end.rounds]).toEqual(["error", "network", 2]);
});

test("T2 T5 T6 N7 Q3 a spent tool budget stops the turn and still answers every call", async () => {
  const three = [call("a", "read"), call("b", "read"), call("c", "read")];
  const { end, added, events } = await play({
    answers: [three, three.map((each) => ({ ...each, id: `${each.id}2` }))],
    tools: [tool("read")],
    limits: { tool_step_budget: 4 },
  });
  expect(told(added)).toEqual([
    "a: read done",
    "b: read done",
    "c: read done",
    "a2: read done",
    "b2: not run: the tool budget of this turn is spent",
    "c2: not run: the tool budget of this turn is spent",
  ]);
  expect(end).toEqual({
    stop_reason: "budget_exhausted",
    error: null,
    which: "tool_step_budget",
    rounds: 2,
    tool_calls: 4,
  });
  expect(events.at(-1)).toEqual({ type: "budget_exhausted", which: "tool_step_budget" });
});

test("T5 a budget of three with a model that always calls runs three calls; report is never counted", async () => {
  const report = tool("report", { is_terminal: true });
  const { end, added } = await play({
    answers: [[call("a", "read")], [call("b", "read")], [call("c", "read")], [call("d", "read"), call("e", "report")]],
    tools: [tool("read"), report],
    limits: { tool_step_budget: 3 },
  });
  expect(told(added)).toEqual([
    "a: read done",
    "b: read done",
    "c: read done",
    "d: not run: the tool budget of this turn is spent",
    "e: report done",
  ]);
  expect(end.stop_reason).toBe("completed");
});

test("T8 Q2 Q3 a cap on model calls ends a turn that only calls, every call answered", async () => {
  const { end, added } = await play({
    answers: [[call("a", "read")], [call("b", "read")]],
    tools: [tool("read")],
    limits: { max_rounds: 2 },
  });
  expect(told(added)).toEqual(["a: read done", "b: read done"]);
  expect(end).toEqual({ stop_reason: "budget_exhausted", error: null, which: "max_rounds", rounds: 2, tool_calls: 2 });
});

test("T4 a terminal tool's success ends the loop, its failure does not; calls after it are not run", async () => {
  let tries = 0;
  const report = tool("report", {
    is_terminal: true,
    run: async () =>
      ++tries === 1
        ? { ok: false, content: "", error: { code: "bad_report", message: "no summary" } }
        : { ok: true, content: "reported" },
  });
  const { end, added } = await play({
    answers: [[call("a", "report")], [call("b", "report"), call("c", "read")]],
    tools: [report, tool("read")],
  });
  expect(told(added)).toEqual(["a: no summary", "b: reported", "c: not run: the report before it ended this turn"]);
  expect([end.stop_reason, end.rounds]).toEqual(["completed", 2]);
});

test("T7 T6 a cancel during the first of three calls leaves the others unrun and answered", async () => {
  const hold = tool("hold", { side_effects: "some", run: (_args, { signal }) => untilAborted(signal) });
  const { end, added } = await play({
    answers: [[call("a", "hold"), call("b", "hold"), call("c", "hold")]],
    tools: [hold],
    onEvent: (event, cancel) => void (event.type === "tool_execution_started" && setImmediate(cancel, "ctrl-c")),
  });
  expect(told(added)).toEqual([
    "a: ctrl-c",
    "b: not run: the turn was cancelled",
    "c: not run: the turn was cancelled",
  ]);
  expect([end.stop_reason, end.error?.message, end.tool_calls]).toEqual(["cancelled", "ctrl-c", 1]);
});

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
  );

test("T20 the text that had streamed before a cancel stays in the transcript, marked as cut", async () => {
  const half = async (stream: (delta: { type: "text"; text: string }) => void) => {
    stream({ type: "text", text: "Hel" });
    throw cancelledError("ctrl-c");
  };
  const { end, added, events } = await play({ answers: [half] });
  expect(added).toEqual([{ role: "assistant", content: "Hel", is_error: true, turn_id: "t1", round: 1, ts: 0 }]);
  expect(end.stop_reason).toBe("cancelled");
  expect(events.map((event) => event.type)).toEqual([
    "prompt_built",
    "llm_request_started",
    "llm_text_delta",
    "llm_request_cancelled",
  ]);
});

test("B88 a cancel before any text leaves nothing blank behind", async () => {
  const { added } = await play({ answers: [() => Promise.reject(cancelledError("ctrl-c"))] });
  expect(added).toEqual([]);
});

test("T18 T19 the caller's history is never changed and has exactly one system message, first", async () => {
  const line: Message = Object.freeze({ role: "user", content: "hi", turn_id: "t1", round: 0, ts: 0 });
  const histories: readonly (readonly Message[])[] = [
    Object.freeze([line]),
    Object.freeze([{ role: "system", content: "Be brief." } as const, line]),
    Object.freeze([{ role: "system", content: "Be long." } as const, line]),
  ];
  for (const history of histories) {
    const { requests } = await play({ answers: ["ok"], history });
    expect(requests[0]?.messages).toEqual([{ role: "system", content: "Be brief." }, line]);
  }
});

test("B39 fault 113 calls of an answer cut by the output limit are not run, and the third such answer ends the turn", async () => {
  const cut = (id: string) => ({
    tool_calls: [call(id, "write", '{"path":"o.txt","content":"li')],
    finish_reason: "length" as const,
  });
  let ran = 0;
  const write = tool("write", { side_effects: "some", run: async () => ({ ok: true, content: `${++ran}` }) });
  const { end, added } = await play({ answers: [cut("a"), cut("b"), cut("c")], tools: [write] });
  expect(ran).toBe(0);
  const why =
    "not run: your answer was cut off by the output limit in the middle of its calls. Make fewer or smaller calls.";
  expect(told(added)).toEqual([`a: ${why}`, `b: ${why}`, `c: ${why}`]);
  expect([end.stop_reason, end.error?.code, end.rounds]).toEqual(["error", "output_cut", 3]);
});

test("T21 fault 139 an empty answer is an error that names the model, and nothing blank is stored", async () => {
  const { end, added } = await play({ answers: [" \n"] });
  expect([end.stop_reason, end.error?.code, end.error?.message.includes("m answered with neither")]).toEqual([
    "error",
    "empty_response",
    true,
  ]);
  expect(added).toEqual([]);
});

test("T12 T22 faults 138 139 empty answers are asked again after 500 and 1000 ms, then the turn fails; text in time saves it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const empty_retry = { max_retries: 2, backoff_ms: [500, 1000] };
    const waits = (events: readonly { type: string }[]) =>
      events.flatMap((event) => (event.type === "llm_retry_scheduled" ? [event] : []));
    const failing = play({ answers: ["", " ", "\n"], empty_retry });
    await vi.runAllTimersAsync();
    const { end, events, requests } = await failing;
    expect([end.error?.code, requests.length, end.rounds]).toEqual(["empty_response", 3, 1]);
    expect(waits(events)).toEqual([
      { type: "llm_retry_scheduled", attempt: 2, delay_ms: 500, code: "empty_response" },
      { type: "llm_retry_scheduled", attempt: 3, delay_ms: 1000, code: "empty_response" },
    ]);
    const saved = play({ answers: ["", "At last."], empty_retry });
    await vi.advanceTimersByTimeAsync(499);
    await vi.advanceTimersByTimeAsync(1);
    expect((await saved).end.stop_reason).toBe("completed");
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("T10 B52 fault 191 a cancel during the wait for a retry ends the turn at once and leaves no timer", async () => {
  const { end, requests } = await play({
    answers: ["", "never"],
    empty_retry: { max_retries: 2, backoff_ms: [60_000] },
    onEvent: (event, cancel) => void (event.type === "llm_retry_scheduled" && setImmediate(cancel, "ctrl-c")),
  });
  expect([end.stop_reason, end.error?.message, requests.length]).toEqual(["cancelled", "ctrl-c", 1]);
});
