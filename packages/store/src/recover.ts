import type { AssistantMessage, ToolCall, ToolMessage, TranscriptMessage } from "@smith/contract/message";
import type { CallEnd, Completion } from "@smith/contract/store";
import { decode, decodeMessage, encode, type OpenRow, type TurnRow } from "./codec.ts";
import { messageKey, numberAfter, openTurnKey, partialKey, scopeOf, turnKey } from "./keys.ts";
import type { Kv } from "./kv.ts";
import { receiptRows } from "./repos/receipts.ts";

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

/** What is left of a turn whose process ended before it did. */
export interface Remains {
  readonly written: readonly TranscriptMessage[];
  /** The calls that are unanswered at the end; a request with one is refused by every provider. */
  readonly open: readonly ToolCall[];
  /** The text that had streamed. */
  readonly partial: string;
  /** Where the turn stood. `ts`: when the last message came, the last sign of life. */
  readonly place: Place;
}

type Place = Pick<AssistantMessage, "turn_id" | "round" | "ts">;

/** Reads only. */
export function remainsOf(kv: Kv, conversationId: string, turn: OpenedTurn): Remains {
  const from = messageKey(conversationId, turn.row.first_seq);
  const written = kv
    .scan("message", scopeOf(conversationId), from)
    .map((entry) => decodeMessage(entry.value))
    .filter((message) => message !== null);
  const last = written.at(-1);
  const place = { turn_id: turn.row.turn_id, round: last?.round ?? 0, ts: last?.ts ?? turn.row.opened_at };
  const partial = decode("partial", kv.get("turn", partialKey(conversationId, turn.n)) ?? "")?.text ?? "";
  return { written, open: openCalls(written), partial, place };
}

/** What the transcript lacks: a result for each open call (`ends`, by position), and the text that had streamed. */
export function missingOf({ open, partial, place }: Remains, ends: readonly CallEnd[] = []): TranscriptMessage[] {
  return [...open.map((call, at) => answer(call, place, ends[at])), ...cutOff(partial, place)];
}

/** Some models use an id again in a later round, so ids are matched in order. */
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

const answer = (call: ToolCall, place: Place, end: CallEnd = { content: INTERRUPTED, ok: false }): ToolMessage => ({
  role: "tool",
  tool_call_id: call.id,
  name: call.name,
  ...end,
  ...place,
});

const cutOff = (text: string, place: Place): readonly AssistantMessage[] =>
  text === "" ? [] : [{ role: "assistant", content: text, is_error: true, ...place, round: place.round + 1 }];

/** Closes a turn that its process can't close any more; its intents stay. Inside a transaction. Returns how many messages were added. */
export function interrupt(
  kv: Kv,
  conversationId: string,
  { n, row: old, ends, receipts }: OpenedTurn & Partial<Completion>,
): number {
  const remains = remainsOf(kv, conversationId, { n, row: old });
  const missing = missingOf(remains, ends);
  for (const message of missing) {
    kv.add("message", messageKey(conversationId, nextSeq(kv, conversationId)), encode("message", message));
  }
  for (const { key, value } of receiptRows(conversationId, old.turn_id, receipts)) kv.put("receipt", key, value);
  const { lease: _, ...head } = old;
  const row = { ...head, state: "closed", stop_reason: "interrupted", closed_at: remains.place.ts } as const;
  kv.put("turn", turnKey(conversationId, n), encode("turn", row));
  kv.remove("turn", partialKey(conversationId, n));
  kv.remove("meta", openTurnKey(conversationId));
  return missing.length;
}
