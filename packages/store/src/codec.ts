import { CatalogPage } from "@smith/contract/catalog";
import { AgentError } from "@smith/contract/error";
import { TranscriptMessage } from "@smith/contract/message";
import { Receipt } from "@smith/contract/receipt";
import { z } from "zod";
import { isSurelyMessage } from "./message-check.ts";

const count = z.int().gte(0);
const ms = z.int();
const tokens = z.number().gte(0).nullable();

/** Not strict, as all that callers build out of larger objects: what is more is left out. */
const UsageNumbers = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  cached_tokens: tokens,
  reasoning_tokens: tokens,
  cost_usd: tokens,
});

const Conversation = z.strictObject({
  id: z.string().min(1),
  project_id: z.string().min(1),
  name: z.string(),
  parent: z.string().min(1).nullable(),
  turns: count,
  messages: count,
  created_at: ms,
  updated_at: ms,
});

/** Who writes a turn. `null`: this system does not tell. */
const Lease = z.strictObject({
  pid: z.int().gt(0),
  boot_id: z.string().nullable(),
  process_start: z.string().nullable(),
});
export type Lease = z.infer<typeof Lease>;

/** `first_seq` is the sequence number of the user's message. */
const turnHead = { turn_id: z.string().min(1), role: z.string(), first_seq: z.int().gt(0), opened_at: ms };

const StopReason = z.enum(["completed", "cancelled", "error", "budget_exhausted"]);

const TurnRow = z.discriminatedUnion("state", [
  z.strictObject({ state: z.literal("open"), ...turnHead, lease: Lease }),
  z.strictObject({
    state: z.literal("closed"),
    ...turnHead,
    closed_at: ms,
    /** `interrupted`: its process ended before the turn did. */
    stop_reason: z.enum([...StopReason.options, "interrupted"]),
  }),
]);
export type TurnRow = z.infer<typeof TurnRow>;
export type OpenRow = Extract<TurnRow, { state: "open" }>;

const Intent = z.object({
  call_id: z.string(),
  tool: z.string(),
  args_hash: z.string(),
  files_before: z.record(z.string(), z.string().nullable()).nullable(),
  ts: ms.default(0), // was not written once
});

const TurnRecord = z.object({
  turn_id: z.string().min(1),
  conversation_id: z.string().min(1),
  role: z.string(),
  model: z.string(),
  provider: z.string(),
  stop_reason: StopReason,
  rounds: count,
  tool_calls: count,
  usage: UsageNumbers,
  first_seq: count,
  last_seq: count,
  opened_at: ms,
  closed_at: ms,
});

const UsageRecord = z.object({
  conversation_id: z.string().min(1),
  turn_id: z.string().min(1),
  model: z.string(),
  provider: z.string(),
  ts: ms,
  ...UsageNumbers.shape,
});

const ChildUsageRecord = z.object({
  conversation_id: z.string().min(1),
  turn_id: z.string().min(1),
  job_id: z.string().min(1),
  role: z.string(),
  ts: ms,
  ...UsageNumbers.shape,
});

const Note = z.strictObject({ text: z.string(), updated_at: ms });

const Memory = z.object({ id: z.string().min(1), content: z.string(), updated_at: ms });

/** The record types, by name. The keyspace and the key say which one a value is. */
export const RECORDS = Object.freeze({
  message: TranscriptMessage,
  conversation: Conversation,
  turn: TurnRow,
  intent: Intent,
  partial: z.strictObject({ text: z.string() }),
  turn_record: TurnRecord,
  usage: UsageRecord,
  receipt: Receipt,
  child_usage: ChildUsageRecord,
  note: Note,
  memory: Memory,
  conversation_id: z.string().min(1),
  project_id: z.string().min(1),
  config: z.record(z.string(), z.unknown()),
  catalog: CatalogPage,
});
export type RecordType = keyof typeof RECORDS;
export type RecordOf<T extends RecordType> = z.infer<(typeof RECORDS)[T]>;

/**
 * A record as text: JSON with sorted keys, so that equal records are equal bytes. Lone surrogates are written as escapes.
 * @throws {AgentError} `persistence`/`bad_record` when the value does not fit its record type.
 */
export function encode<T extends RecordType>(type: T, value: RecordOf<T>): string {
  const parsed = RECORDS[type].safeParse(value);
  if (!parsed.success) throw badRecord(type, z.prettifyError(parsed.error));
  try {
    return sortedJson(parsed.data);
  } catch (error) {
    throw badRecord(type, error instanceof Error ? error.message : String(error)); // a cycle, a BigInt
  }
}

/** The record, or `null` when the text is damaged: a half-written row must not make its neighbours unreadable. */
export function decode<T extends RecordType>(type: T, text: string): RecordOf<T> | null {
  const parsed = RECORDS[type].safeParse(parseJson(text));
  return parsed.success ? (parsed.data as RecordOf<T>) : null; // TypeScript does not relate RECORDS[T] to RecordOf<T>
}

/** As `decode("message", …)`, several times as fast for the thousands of a long session. */
export function decodeMessage(text: string): TranscriptMessage | null {
  const value = parseJson(text);
  if (isSurelyMessage(value)) return value;
  const parsed = TranscriptMessage.safeParse(value);
  return parsed.success ? parsed.data : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // fits no record type
  }
}

/** Written by hand: an object rebuilt in sorted order would still list its numeric keys first. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${sortedJson(field)}`);
  return `{${fields.join(",")}}`;
}

const badRecord = (type: RecordType, why: string): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "bad_record",
    origin: "store/codec",
    data: { type },
    message: `A record does not fit its type "${type}" and was not written: ${why}`,
  });
