import { AgentError } from "@smith/contract/error";
import type { AssistantMessage, ToolMessage, TranscriptMessage, UserMessage } from "@smith/contract/message";
import type { Receipt } from "@smith/contract/receipt";
import type { OpenTurn, Store, TurnClosing, TurnOpening } from "@smith/contract/store";

export const NOW = 1_700_000_000_000;

export const opening = (conversation_id: string, more: Partial<TurnOpening> = {}): TurnOpening => ({
  conversation_id,
  project_id: "p1",
  parent: null,
  role: "direct",
  ts: NOW,
  user: { role: "user", content: "fix the parser", round: 0, ts: NOW },
  ...more,
});

export const USAGE = {
  input_tokens: 10,
  output_tokens: 4,
  cached_tokens: null,
  reasoning_tokens: null,
  cost_usd: 0.25,
};

export const closing = (more: Partial<TurnClosing> = {}): TurnClosing => ({
  ts: NOW + 900,
  stop_reason: "completed",
  model: "m1",
  provider: "default",
  rounds: 2,
  tool_calls: 1,
  usage: USAGE,
  children: [],
  ...more,
});

export const user = (turn_id = "t1"): UserMessage => ({
  role: "user",
  content: "fix the parser",
  turn_id,
  round: 0,
  ts: NOW,
});

export const asks = (id: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id, name: "read", arguments: '{"path":"a.ts"}' }],
  turn_id: "t1",
  round: 1,
  ts: NOW + 100,
  ...more,
});

export const answers = (id: string, more: Partial<ToolMessage> = {}): ToolMessage => ({
  role: "tool",
  content: "a.ts · 1 lines",
  tool_call_id: id,
  name: "read",
  ok: true,
  turn_id: "t1",
  round: 1,
  ts: NOW + 200,
  ...more,
});

export const receipt = (n: number): Receipt => ({
  ...{ receipt_id: `r${n}`, job_id: null, call_id: `c${n}`, tool: "read", args_hash: "00" },
  ...{ started_at: NOW, ended_at: NOW + 1, ok: true, cancelled: false, exit_code: null, output_hash: "11" },
  ...{ output_bytes: 3, output_key: null, files: [], changed_during: null, changed_unknown: null },
  mutation_state: "none",
});

export const says = (content: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content,
  turn_id: "t1",
  round: 2,
  ts: NOW + 300,
  ...more,
});

export const stored = async (store: Store, id: string): Promise<readonly TranscriptMessage[]> =>
  (await store.conversation.messages(id)).messages;

/** A whole turn with one answer. */
export async function play(store: Store, turn: TurnOpening, answer = "done"): Promise<OpenTurn> {
  const open = await store.turn.open(turn);
  await open.append(says(answer, { turn_id: open.turn_id, round: 1 }));
  await open.close(closing());
  return open;
}

/** The error that a promise must be rejected with; anything else fails the test. */
export async function refusal(work: Promise<unknown>): Promise<AgentError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}
