import { AgentError } from "@smith/contract/error";

/** Numeric segments are padded so that text order is number order. */
const WIDTH = 8;
const LARGEST = 10 ** WIDTH - 1;

const badKey = (message: string): AgentError =>
  new AgentError({ kind: "persistence", code: "bad_key", origin: "store/keys", message });

/**
 * An id that stands between colons in a key.
 * @throws {AgentError} `persistence`/`bad_key` when it is empty, holds a `:`, or is no well-formed text (two of those
 * would be stored as one).
 */
export function structuralId(what: string, id: string): string {
  if (id === "") throw badKey(`The ${what} is empty.`);
  if (id.includes(":")) throw badKey(`The ${what} ${JSON.stringify(id)} holds a ":", which separates parts of a key.`);
  if (/\p{Surrogate}/u.test(id)) throw badKey(`The ${what} ${JSON.stringify(id)} is not well-formed text.`);
  return id;
}

/** An id that ends a key: it may hold colons, but is neither empty nor ill-formed text. */
function lastId(what: string, id: string): string {
  if (id === "") throw badKey(`The ${what} is empty.`);
  if (!id.isWellFormed()) throw badKey(`The ${what} ${JSON.stringify(id)} is not well-formed text.`);
  return id;
}

/** @throws {AgentError} `persistence`/`bad_key` outside 0..99,999,999, where text order would no longer be number order. */
export function padded(n: number): string {
  if (!Number.isInteger(n) || n < 0 || n > LARGEST) {
    throw badKey(`${n} can't be part of a key; whole numbers from 0 to ${LARGEST} can.`);
  }
  return String(n).padStart(WIDTH, "0");
}

export const conversationKey = (conversationId: string): string => structuralId("conversation id", conversationId);

/** What every key of the conversation begins with. It ends in a colon, so that `a` is not a prefix of `ab`. */
export const scopeOf = (conversationId: string): string => `${conversationKey(conversationId)}:`;

export const messageKey = (conversationId: string, seq: number): string => scopeOf(conversationId) + padded(seq);

export const turnKey = (conversationId: string, n: number): string => scopeOf(conversationId) + padded(n);

export const partialKey = (conversationId: string, n: number): string => `${turnKey(conversationId, n)}:partial`;

/** What the keys of a turn's intents begin with. */
export const intentScope = (conversationId: string, n: number): string => `${turnKey(conversationId, n)}:intent:`;

export const intentKey = (conversationId: string, n: number, k: number): string =>
  intentScope(conversationId, n) + padded(k);

export const usageKey = (conversationId: string, turnId: string): string =>
  `${scopeOf(conversationId)}${structuralId("turn id", turnId)}:parent`;

export const childUsageKey = (conversationId: string, turnId: string, jobId: string): string =>
  `${scopeOf(conversationId)}${structuralId("turn id", turnId)}:child:${structuralId("job id", jobId)}`;

/** What the keys of a turn's receipts begin with. */
export const receiptScope = (conversationId: string, turnId: string): string =>
  `${scopeOf(conversationId)}${structuralId("turn id", turnId)}:`;

export const receiptKey = (conversationId: string, turnId: string, n: number): string =>
  receiptScope(conversationId, turnId) + padded(n);

/** A note's own id comes last and may hold colons (`scratchpad:dispatch/j1`). */
export const noteKey = (conversationId: string, noteId: string): string =>
  scopeOf(conversationId) + lastId("note id", noteId);

/** What every key of the project's memory begins with. */
export const memoryScope = (projectId: string): string => `${structuralId("project id", projectId)}:`;

export const memoryKey = (projectId: string, memoryId: string): string =>
  memoryScope(projectId) + lastId("memory id", memoryId);

export const turnRecordKey = (conversationId: string, turnId: string): string =>
  noteKey(conversationId, `turn_record-${structuralId("turn id", turnId)}`);

/** What the keys of the active conversations begin with, in keyspace `meta`. */
export const ACTIVE = "active_conversation_id";

/** `null`: the one that was active last, in whatever project. */
export const activeKey = (projectId: string | null): string =>
  projectId === null ? ACTIVE : `${ACTIVE}:${structuralId("project id", projectId)}`;

/** What the keys of the open turns of user-facing conversations begin with, in keyspace `meta`. */
export const OPEN_TURN = "open_turn:";

/** Its value is the project; there while the conversation's last turn is not closed. */
export const openTurnKey = (conversationId: string): string => OPEN_TURN + conversationKey(conversationId);

/** The keyspaces whose keys begin with a conversation's scope. What is of a conversation is deleted by this list. */
export const CONVERSATION_KEYSPACES = Object.freeze([
  "message",
  "turn",
  "conversation_note",
  "usage",
  "receipt",
] as const);

/** The number that stands in a key right after `scope`; `null` where there is none. */
export function numberAfter(scope: string, key: string): number | null {
  const digits = /^\d{8}/.exec(key.slice(scope.length))?.[0];
  return digits === undefined || !key.startsWith(scope) ? null : Number(digits);
}

/** What every key of a project's input history begins with. */
export const historyScope = memoryScope;

export const historyKey = (projectId: string, n: number): string => historyScope(projectId) + padded(n);

/** An endpoint's address may hold colons: it is the whole key. */
export const catalogKey = (endpoint: string): string => lastId("catalog key", endpoint);

/** The conversation and turn of a turn's own usage; null for a job's share, which its own turn has too. */
export function ownUsage(key: string): { readonly conversation_id: string; readonly turn_id: string } | null {
  const [, conversation_id, turn_id] = /^([^:]+):([^:]+):parent$/s.exec(key) ?? [];
  return conversation_id === undefined || turn_id === undefined ? null : { conversation_id, turn_id };
}
