import { AgentError } from "@smith/contract/error";
import type { Inspected, InspectHost } from "@smith/contract/inspect";
import type { TranscriptMessage } from "@smith/contract/message";
import type { MessageChange } from "@smith/contract/store";
import type { Exclusive } from "./context-host.ts";
import { undoneTurns } from "./conversation-marks.ts";
import { linksOf, nameOf, withText } from "./inspect-links.ts";
import type { TurnWorld } from "./world.ts";

/** What was changed, and how. */
interface Change {
  readonly conversation_id: string;
  /** `the edit of message 3` */
  readonly what: string;
  readonly changes: readonly MessageChange[];
}

/** Changes are kept as long as the session, so that they can be taken back; in memory only: what is deleted is gone. */
export function createInspectHost(world: () => TurnWorld, exclusive: Exclusive): InspectHost {
  const done: Change[] = [];
  const service = () => world().services.conversation;
  const lastChange = (id: string | null) => done.findLast((change) => change.conversation_id === id) ?? null;

  const read = async (): Promise<Inspected> => {
    const id = service().current();
    const store = world().services.persistence;
    const conversation = id === null ? null : await store.conversation.get(id);
    if (id === null || conversation === null) return { conversation: null, rows: [], unreadable: 0, last_change: null };
    const { messages, seqs, unreadable } = await store.conversation.messages(id);
    const undone = await undoneTurns(id, store);
    const links = linksOf(messages);
    const seqOf = (at: number) => seqs[at] ?? 0;
    const rows = messages.map((message, at) => ({
      ...{ seq: seqOf(at), message, undone: undone.has(message.turn_id) },
      takes: (links[at] ?? [at]).map(seqOf),
    }));
    return { conversation, rows, unreadable, last_change: lastChange(id)?.what ?? null };
  };
  const rowOf = async (seq: number, seen: TranscriptMessage) => {
    const { conversation, rows } = await read();
    const row = rows.find((each) => each.seq === seq);
    if (conversation === null || row === undefined) throw gone(seq);
    if (JSON.stringify(row.message) !== JSON.stringify(seen)) throw gone(seq);
    return { id: conversation.id, row, rows };
  };
  const make = async (change: Change) => {
    await service().amend(change.conversation_id, change.changes);
    done.push(change);
  };

  return Object.freeze<InspectHost>({
    read,
    remove: (seq, seen) =>
      exclusive(async () => {
        const { id, row, rows } = await rowOf(seq, seen);
        const taken = rows.filter((each) => row.takes.includes(each.seq));
        const more = taken.length === 1 ? "" : ` with ${taken.length - 1} more`;
        const changes = taken.map((each) => ({ seq: each.seq, before: each.message, after: null }));
        await make({ conversation_id: id, what: `the deletion of message ${seq}${more}`, changes });
        return row.takes;
      }),
    edit: (seq, seen, text) =>
      exclusive(async () => {
        const { id, row } = await rowOf(seq, seen);
        if (text.trim() === "") throw emptyText(row.message);
        const after = withText(row.message, text.toWellFormed());
        const changes = [{ seq, before: row.message, after }];
        await make({ conversation_id: id, what: `the edit of message ${seq}`, changes });
      }),
    takeBack: () =>
      exclusive(async () => {
        const change = lastChange(service().current());
        if (change === null) return null;
        const back = change.changes.map(({ seq, before, after }) => ({ seq, before: after, after: before }));
        const forget = () => done.splice(done.lastIndexOf(change), 1);
        await service()
          .amend(change.conversation_id, back)
          .catch((thrown: unknown) => {
            if (isChangedSince(thrown)) forget(); // it would stand before those below for good
            throw thrown;
          });
        forget();
        return change.what;
      }),
  });
}

const isChangedSince = (thrown: unknown): boolean => thrown instanceof AgentError && thrown.code === "changed_since";

const gone = (seq: number): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "changed_since",
    origin: "runtime/inspect",
    data: { seq },
    message: `Nothing is changed: message ${seq} is not what it was any more. Look at it again.`,
  });

const emptyText = (message: TranscriptMessage): AgentError =>
  new AgentError({
    kind: "schema",
    code: "empty_text",
    origin: "runtime/inspect",
    message: `Nothing is changed: an endpoint takes no empty text for ${nameOf(message)}. Delete the message instead.`,
  });
