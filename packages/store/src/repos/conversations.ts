import { type TranscriptMessage, textOf } from "@smith/contract/message";
import type { Conversation, MessageChange, Store, TurnOpening } from "@smith/contract/store";
import type { Access } from "../access.ts";
import { amendMessages } from "../amend.ts";
import { decode, decodeMessage, encode } from "../codec.ts";
import { deleteTree } from "../delete.ts";
import { forkConversation } from "../fork.ts";
import { conversationKey, numberAfter, scopeOf } from "../keys.ts";
import type { Kv } from "../kv.ts";
import { isAlive } from "../lease.ts";
import { isOpen, lastTurn, missingOf, remainsOf } from "../recover.ts";

const NAME_CHARS = 60;

export function conversations({ kv, run }: Access): Store["conversation"] {
  return Object.freeze<Store["conversation"]>({
    get: (id) => run(() => readConversation(kv, id)),
    list: ({ project_id, children }) =>
      run(() =>
        kv
          .all("conversation")
          .map((entry) => decode("conversation", entry.value))
          .filter((found) => found !== null)
          .filter((found) => project_id === null || found.project_id === project_id)
          .filter((found) => children || found.parent === null)
          .sort((a, b) => b.updated_at - a.updated_at || b.created_at - a.created_at),
      ),
    messages: (id) => run(() => kv.read(() => transcript(kv, id))),
    delete: (id) => run(() => kv.write(() => deleteTree(kv, id))),
    rename: (id, name) => run(() => kv.write(() => rename(kv, id, name))),
    amend: (id, changes) => run(() => kv.writeDurably(() => amend(kv, id, changes))),
    fork: (copy) => run(() => kv.write(() => forkConversation(kv, copy))),
  });
}

const readConversation = (kv: Kv, id: string): Conversation | null =>
  decode("conversation", kv.get("conversation", conversationKey(id)) ?? "");

/** As it may be sent: a turn whose process died is completed here as the next turn's opening will complete it on disk. */
function transcript(kv: Kv, id: string): Awaited<ReturnType<Store["conversation"]["messages"]>> {
  const entries = kv.scan("message", scopeOf(id));
  const messages: TranscriptMessage[] = [];
  const seqs: number[] = [];
  let next = 1;
  for (const { key, value } of entries) {
    const [message, seq] = [decodeMessage(value), numberAfter(scopeOf(id), key) ?? next];
    next = seq + 1;
    if (message === null) continue;
    messages.push(message);
    seqs.push(seq);
  }
  const unreadable = entries.length - messages.length;
  const last = lastTurn(kv, id);
  const missing = isOpen(last) && !isAlive(last.row.lease) ? missingOf(remainsOf(kv, id, last)) : [];
  return { messages: [...messages, ...missing], seqs: [...seqs, ...missing.map(() => next++)], unreadable };
}

const amend = (kv: Kv, id: string, changes: readonly MessageChange[]): void =>
  countMessages(kv, id, { count: amendMessages(kv, id, changes), ts: 0 });

function rename(kv: Kv, id: string, name: string): boolean {
  const old = readConversation(kv, id);
  if (old === null) return false;
  kv.put("conversation", id, encode("conversation", { ...old, name: nameOf(name) }));
  return true;
}

/** The row of a conversation that begins its turn `n`: a new one, or the old one counted up. Not for its messages. */
export function beginTurn(kv: Kv, opening: TurnOpening, n: number): void {
  const { conversation_id: id, ts } = opening;
  const old = readConversation(kv, id);
  // A damaged row is made anew from what else is there; the messages are counted where they lie.
  const messages = old?.messages ?? kv.count("message", scopeOf(id));
  const { project_id, parent } = old ?? opening;
  const name = old?.name ?? nameOf(textOf(opening.user.content));
  const row = { id, project_id, parent, name, messages, turns: n, created_at: old?.created_at ?? ts, updated_at: ts };
  kv.put("conversation", id, encode("conversation", row));
}

/** Counts messages that were added. A row that is damaged stays so until the next turn begins. */
export function countMessages(kv: Kv, id: string, added: { count: number; ts: number }): void {
  const old = readConversation(kv, id);
  if (old === null) return;
  const updated_at = Math.max(old.updated_at, added.ts);
  kv.put("conversation", id, encode("conversation", { ...old, messages: old.messages + added.count, updated_at }));
}

/** A conversation's first name: the user's first words on one line. */
export function nameOf(text: string): string {
  const characters = [
    ...text
      .slice(0, NAME_CHARS * 20)
      .replaceAll(/\s+/g, " ")
      .trim(),
  ];
  if (characters.length === 0) return "untitled";
  return characters.length <= NAME_CHARS ? characters.join("") : `${characters.slice(0, NAME_CHARS - 1).join("")}…`;
}
