import type { AssistantMessage, ToolCall, ToolMessage, TranscriptMessage } from "@smith/contract/message";
import { decode, decodeMessage, encode, type OpenRow, type TurnRow } from "./codec.ts";
import { messageKey, numberAfter, partialKey, scopeOf, turnKey } from "./keys.ts";
import type { Kv } from "./kv.ts";

export const INTERRUPTED = "interrupted: the process ended before this call finished";

/** The last turn of a conversation. `row` is null when its record is damaged. */
export interface LastTurn {
  readonly n: number;
  readonly row: TurnRow | null;
}

export function lastTurn(kv: Kv, conversationId: string): LastTurn | null {
  const scope = scopeOf(conversationId);
  // Intents and the partial text sort right behind their own turn.
  const n = numberAfter(scope, kv.lastKey("turn", scope) ?? "");
  if (n === null) return null;
  const text = kv.get("turn", turnKey(conversationId, n));
  return { n, row: text === null ? null : decode("turn", text) };
}

/** The sequence number for the next message. */
export function nextSeq(kv: Kv, conversationId: string): number {
  const scope = scopeOf(conversationId);
  return (numberAfter(scope, kv.lastKey("message", scope) ?? "") ?? 0) + 1;
}

export type OpenedTurn = LastTurn & { readonly row: OpenRow };

export const isOpen = (turn: LastTurn | null): turn is OpenedTurn => turn?.row?.state === "open";

export interface Remains {
  /**
   * What the transcript lacks: a result for each unanswered call (a request with an open call is refused by every
   * provider), and the text that had streamed.
   */
  readonly missing: readonly TranscriptMessage[];
  /** When the last message came: the last sign of life. */
  readonly ts: number;
}

/** What is left of a turn whose process ended before it did. Reads only. */
export function remainsOf(kv: Kv, conversationId: string, turn: OpenedTurn): Remains {
  const from = messageKey(conversationId, turn.row.first_seq);
  const written = kv
    .scan("message", scopeOf(conversationId), from)
    .map((entry) => decodeMessage(entry.value))
    .filter((message) => message !== null);
  const last = written.at(-1);
  const place = { turn_id: turn.row.turn_id, round: last?.round ?? 0, ts: last?.ts ?? turn.row.opened_at };
  const partial = decode("partial", kv.get("turn", partialKey(conversationId, turn.n)) ?? "")?.text ?? "";
  return {
    ts: place.ts,
    missing: [...openCalls(written).map((call) => answer(call, place)), ...cutOff(partial, place)],
  };
}

type Place = Pick<AssistantMessage, "turn_id" | "round" | "ts">;

/** The calls that are unanswered at the end. Some models use an id again in a later round, so ids are matched in order. */
function openCalls(messages: readonly TranscriptMessage[]): readonly ToolCall[] {
  let open: readonly ToolCall[] = [];
  for (const message of messages) {
    if (message.role === "assistant") open = message.tool_calls ?? [];
    if (message.role === "tool") open = without(open, message.tool_call_id);
  }
  return open;
}

function without(calls: readonly ToolCall[], id: string): readonly ToolCall[] {
  const index = calls.findIndex((call) => call.id === id);
  return index === -1 ? calls : calls.toSpliced(index, 1);
}

const answer = (call: ToolCall, place: Place): ToolMessage => ({
  role: "tool",
  content: INTERRUPTED,
  tool_call_id: call.id,
  name: call.name,
  ok: false,
  ...place,
});

const cutOff = (text: string, place: Place): readonly AssistantMessage[] =>
  text === "" ? [] : [{ role: "assistant", content: text, is_error: true, ...place, round: place.round + 1 }];

/** Closes a turn that its process can't close any more; its intents stay. Inside a transaction. Returns how many messages were added. */
export function interrupt(kv: Kv, conversationId: string, turn: OpenedTurn): number {
  const { missing, ts } = remainsOf(kv, conversationId, turn);
  for (const message of missing) {
    kv.add("message", messageKey(conversationId, nextSeq(kv, conversationId)), encode("message", message));
  }
  const { lease: _, ...head } = turn.row;
  const row = { ...head, state: "closed", stop_reason: "interrupted", closed_at: ts } as const;
  kv.put("turn", turnKey(conversationId, turn.n), encode("turn", row));
  kv.remove("turn", partialKey(conversationId, turn.n));
  return missing.length;
}
