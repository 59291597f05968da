import { type TranscriptMessage, textOf } from "@smith/contract/message";
import { SCRATCHPAD } from "@smith/contract/note";
import { decode, decodeMessage } from "../codec.ts";
import type { SearchedKeyspace } from "./tables.ts";

/** What of a stored entry is looked through. */
export interface SearchEntry {
  readonly text: string;
  /** The conversation, or a memory's project. */
  readonly scope: string;
  /** Of a message who spoke; of a report whose it is, `""` when it does not say; of the others null. */
  readonly role: string | null;
  /** Milliseconds since the epoch. */
  readonly ts: number;
  /** Of a message: its turn. */
  readonly turn_id: string | null;
}

/** The rest of a longer text is not looked through. In characters. */
const MAX_CHARS = 1_000_000;

export const REPORT = `${SCRATCHPAD}dispatch/`;

/** Whether an entry under this key can be found. Of the notes only those of the scratchpad are somebody's words. */
export const isFindable = (keyspace: SearchedKeyspace, key: string): boolean =>
  keyspace !== "conversation_note" || idOf(key).startsWith(SCRATCHPAD);

/** What follows the first part of a key. */
export const idOf = (key: string): string => key.slice(key.indexOf(":") + 1);
export const scopeOfKey = (key: string): string => key.slice(0, key.indexOf(":"));

/** Null for what can't be found: another kind of note, and a damaged record. */
export function entryOf(keyspace: SearchedKeyspace, key: string, value: string): SearchEntry | null {
  if (!isFindable(keyspace, key)) return null;
  const found = READERS[keyspace](key, value);
  return found && { ...found, scope: scopeOfKey(key), text: found.text.slice(0, MAX_CHARS).toWellFormed() };
}

type Reader = (key: string, value: string) => Omit<SearchEntry, "scope"> | null;

const READERS: Readonly<Record<SearchedKeyspace, Reader>> = {
  message(_key, value) {
    const message = decodeMessage(value);
    if (message === null) return null;
    return { text: spoken(message), role: message.role, ts: message.ts, turn_id: message.turn_id };
  },
  project_memory(_key, value) {
    const memory = decode("memory", value);
    return memory && { text: memory.content, role: null, ts: memory.updated_at, turn_id: null };
  },
  conversation_note(key, value) {
    const note = decode("note", value);
    if (note === null) return null;
    const id = idOf(key);
    const role = id.startsWith(REPORT) ? roleIn(note.text) : null;
    return {
      text: role === null ? `${id.slice(SCRATCHPAD.length)}\n${note.text}` : textsIn(note.text),
      role,
      ts: note.updated_at,
      turn_id: null,
    };
  },
};

/** What was said, and what tools were called with. */
function spoken(message: TranscriptMessage): string {
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  return [textOf(message.content), ...calls.map((call) => `${call.name} ${textsIn(call.arguments)}`)].join("\n");
}

function roleIn(report: string): string {
  const value = parsed(report);
  const role = typeof value === "object" && value !== null && "target_role" in value ? value.target_role : "";
  return typeof role === "string" ? role : "";
}

/** The texts inside of JSON, a line each: escaped, `\n` and its like would stick to words. What is no JSON is a text itself. */
function textsIn(json: string): string {
  const value = parsed(json);
  return value === undefined ? json : gather(value).join("\n");
}

function gather(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(gather) : [];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // a model's arguments may be anything
  }
}
