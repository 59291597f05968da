import type { AgentEvent, EventBody } from "@smith/contract/event";
import type { TranscriptMessage } from "@smith/contract/message";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import { expect, test } from "vitest";
import { goldenLines } from "../src/index.ts";

/** One run; what chance would make different is in the arguments. */
function run({ call, conversation, ms, cuts }: { call: string; conversation: string; ms: number; cuts: string[] }) {
  const end = { model: "m", provider: "default", round: 1 };
  const bodies: EventBody[] = [
    { type: "turn_started", role: "direct", conversation_id: conversation },
    { type: "prompt_built", system_bytes: ms, tool_specs_bytes: ms },
    { type: "llm_request_started", ...end },
    ...cuts.map((text): EventBody => ({ type: "llm_text_delta", text })),
    { type: "llm_tool_call_detected", call_id: call, tool: "read" },
    {
      type: "llm_request_completed",
      ...end,
      usage: { ...UNKNOWN_USAGE, input_tokens: ms },
      finish_reason: "tool_calls",
      duration_ms: ms,
    },
    { type: "tool_execution_started", call_id: call, tool: "read", args: { path: "a.ts" } },
    {
      type: "tool_execution_finished",
      call_id: call,
      tool: "read",
      ok: true,
      duration_ms: ms,
      mutation_state: "none",
      summary: "1 line",
      error: null,
    },
    { type: "turn_completed", stop_reason: "completed" },
  ];
  const place = { turn_id: "t1", round: 1, ts: ms };
  const messages: TranscriptMessage[] = [
    { role: "user", content: "what is in a.ts?", turn_id: "t1", round: 0, ts: ms },
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [{ id: call, name: "read", arguments: '{"path":"a.ts"}' }],
      ...place,
    },
    {
      role: "tool",
      tool_call_id: call,
      name: "read",
      ok: true,
      content: `/tmp/x1/a.ts · 1 lines · hash ${"0f".repeat(8)}\n1│one`,
      ...place,
    },
    { role: "assistant", content: "It has one li", is_error: true, ...place },
  ];
  const events: AgentEvent[] = bodies.map((body) => ({ ...body, ts: ms, turn_id: "t1" }));
  return goldenLines(events, messages, { "/tmp/x1": "<dir>" });
}

test("a golden run is one line per event and message, without what chance decides", async () => {
  const one = run({ call: "a", conversation: "conv-9x", ms: 12, cuts: ["I ", "look."] });
  const two = run({ call: "call_77", conversation: "k3", ms: 4096, cuts: ["I look", "."] });
  expect(one).toBe(two);
  await expect(one).toMatchFileSnapshot("golden/run.txt");
});
