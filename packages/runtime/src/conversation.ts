import { AgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import type { Conversation, MessageChange, Store } from "@smith/contract/store";
import {
  AMENDED,
  clearedTurn,
  markCleared,
  type Sendable,
  sendable,
  turnNumber,
  UNDONE,
  undoneTurns,
} from "./conversation-marks.ts";
import { rebaseFraming } from "./framing.ts";
import { keepRecent } from "./recent.ts";
import type { Recovered } from "./recovery.ts";

/** The conversation a runtime is in. Its transcript is read once and then kept up. */
export interface ConversationService {
  /** Null until one was entered or begun. */
  current(): string | null;
  /** Turns it has had so far. */
  turns(): number;
  /**
   * The conversation to go on with: the wanted one, else the current one, else a fresh one. A turn that its process could
   * not finish is completed first.
   * @throws {AgentError} `persistence`/`unknown_conversation`, or `conversation_busy` while another process has a turn in it.
   */
  enter(wanted?: string): Promise<Entered>;
  /** Completes what a dead process left open in a conversation; null when there is nothing, or its process lives. */
  complete(id: string): Promise<Recovered | null>;
  /**
   * The same for all conversations of a project but the one given. Looks once: what dies while this
   * process runs is completed when it is entered, or at the next start.
   */
  completeAbandoned(project_id: string, except: string): Promise<readonly Recovered[]>;
  /** Messages that a turn added to a conversation; those of one that was left or emptied meanwhile are not kept up. */
  add(conversation_id: string, messages: readonly TranscriptMessage[]): Promise<void>;
  /** The next turn opens a fresh one. */
  leave(): void;
  /** The next turn is sent nothing of what was said, by a turn that runs neither; it stays stored. False: nothing is there. */
  clear(): Promise<boolean>;
  /**
   * The current conversation as it is stored now. What a dead process left open in it is completed.
   * @throws {AgentError} `persistence`/`conversation_busy` while another process has a turn in it.
   */
  reload(id: string): Promise<Entered>;
  /**
   * Changes stored messages, and takes the conversation as it is then: the next turn is sent that.
   * @throws {AgentError} as {@link Store.conversation.amend}, and as `reload`.
   */
  amend(id: string, changes: readonly MessageChange[]): Promise<void>;
  /** Marks turns as undone: they stay stored, and are sent no more. The newest first, so that a cut-off leaves a whole talk. */
  rewind(id: string, turns: readonly string[]): Promise<void>;
  list(project_id: string): Promise<readonly Conversation[]>;
  /** The project's last conversation; null when it has none, or the last one was emptied. */
  last(project_id: string): Promise<Conversation | null>;
  /**
   * What an id, a unique beginning of one, or `latest` means in a project; null when `latest` finds none.
   * @throws {AgentError} `persistence`/`unknown_conversation` when it means none, or more than one.
   */
  find(wanted: string, project_id: string): Promise<string | null>;
  /** What the next turn of a conversation would be sent of it. */
  context(id: string): Promise<Sendable>;
}

export interface Entered extends Sendable {
  readonly id: string;
  readonly recovered: Recovered | null;
}

export interface ConversationParts {
  readonly store: Store;
  newId(): string;
  /** Completes an interrupted turn. */
  recover(id: string): Promise<Recovered | null>;
  /** Messages of the past that a turn is sent at most, and that are kept in memory; absent: all. */
  readonly max_messages?: number;
}

interface Place {
  readonly id: string;
  history: TranscriptMessage[];
  first_seq: number | null;
  /** Its turns, as far as they are in `history`, or were before it was emptied. */
  turns: number;
  /** Emptied since a turn was last begun: one that still runs is emptied with it. */
  emptied: boolean;
  /** Which change of its stored messages it is as of; null: none was made. */
  readonly amended: string | null;
}

export function createConversationService(parts: ConversationParts): ConversationService {
  const { store, newId, recover, max_messages = Number.POSITIVE_INFINITY } = parts;
  let here: Place | null = null;
  const looked = new Set<string>();
  const list = (project_id: string) => store.conversation.list({ project_id, children: false });
  const load = async (id: string): Promise<Entered> => {
    if ((await store.conversation.get(id)) === null) throw unknown(id);
    const recovered = await recover(id);
    const sent = await sendable(id, store);
    const turns = (await store.conversation.get(id))?.turns ?? 0;
    const amended = await store.note.get(id, AMENDED);
    here = { id, history: [...sent.history], first_seq: sent.first_seq, turns, emptied: false, amended };
    keepRecent(here, max_messages);
    return { id, ...sent, history: [...here.history], first_seq: here.first_seq, recovered };
  };
  return Object.freeze({
    current: () => here?.id ?? null,
    turns: () => here?.turns ?? 0,
    async enter(wanted?: string): Promise<Entered> {
      if (wanted !== undefined && wanted !== here?.id) return await load(wanted);
      if (here !== null && (await isStale(here, store))) return await load(here.id);
      here ??= { id: newId(), history: [], first_seq: 1, turns: 0, emptied: false, amended: null };
      if (here.emptied) here.first_seq = await seqAfterEmptying(here, store);
      here.emptied = false;
      return { id: here.id, history: [...here.history], first_seq: here.first_seq, unreadable: 0, recovered: null };
    },
    complete: (id: string) => recover(id).catch(notBusy),
    async completeAbandoned(project_id: string, except: string) {
      if (looked.has(project_id)) return [];
      looked.add(project_id);
      const ids = await store.turn.abandoned(project_id).catch(() => []); // a store that can't tell left nothing
      const completed: Recovered[] = [];
      for (const id of ids.filter((each) => each !== except)) {
        const recovered = await recover(id).catch(notBusy);
        if (recovered !== null) completed.push(recovered);
      }
      return completed;
    },
    async add(conversation_id: string, messages: readonly TranscriptMessage[]) {
      if (here?.id !== conversation_id) return;
      here.turns = Math.max(here.turns, turnNumber(messages.at(-1)?.turn_id));
      if (here.emptied)
        await markCleared(here, store).catch(() => {}); // unwritten, it is emptied here at least
      else here.history.push(...messages);
      keepRecent(here, max_messages);
    },
    leave() {
      here = null;
    },
    async clear() {
      if (here === null) return false;
      here.history = [];
      here.emptied = true;
      await markCleared(here, store);
      return true;
    },
    reload: load,
    async amend(id: string, changes: readonly MessageChange[]) {
      // What a dead process left open is completed first.
      if (here?.id !== id || (await isStale(here, store))) await load(id);
      const before = here?.history ?? [];
      await store.note.put(id, AMENDED, newId()); // first: a change that nobody learns of would be worse than none to learn of
      await store.conversation.amend(id, changes);
      const { history, first_seq } = await load(id);
      const same = before.findIndex((message, at) => JSON.stringify(message) !== JSON.stringify(history[at]));
      await rebaseFraming(id, { messages: (same === -1 ? before.length : same) + 1, first_seq }, store.note);
    },
    async rewind(id: string, turns: readonly string[]) {
      await store.note.put(id, AMENDED, newId()); // first, as above
      for (const turn of turns.toReversed()) await store.note.put(id, `${turn}${UNDONE}`, "undone");
      await load(id);
      if (here !== null)
        await rebaseFraming(id, { messages: here.history.length + 1, first_seq: here.first_seq }, store.note);
    },
    list,
    async last(project_id: string) {
      const [newest] = await list(project_id);
      if (newest === undefined || newest.messages === 0) return null;
      const [cleared, undone] = [await clearedTurn(newest.id, store), await undoneTurns(newest.id, store)];
      const left = Array.from({ length: newest.turns - cleared }, (_, at) => `t${cleared + 1 + at}`);
      return left.every((turn) => undone.has(turn)) ? null : newest;
    },
    async find(wanted: string, project_id: string) {
      const known = await list(project_id);
      return wanted === "latest" ? (known[0]?.id ?? null) : match(wanted, known);
    },
    context: (id: string) => sendable(id, store),
  });
}

function notBusy(thrown: unknown): null {
  if (thrown instanceof AgentError && thrown.code === "conversation_busy") return null;
  throw thrown;
}

/** Whether another process has gone on with it, or changed what is kept here. */
const isStale = async (place: Place, store: Store): Promise<boolean> =>
  (await isBehind(place, store)) || (await wasAmended(place, store));

async function wasAmended({ id, amended }: Place, store: Store): Promise<boolean> {
  return (await store.note.get(id, AMENDED).catch(() => amended)) !== amended;
}

/** By what is stored, since the mark may not have been written. */
async function seqAfterEmptying({ id, first_seq, history }: Place, store: Store): Promise<number | null> {
  const stored = await store.conversation.messages(id).catch(() => null);
  if (stored === null || first_seq === null || stored.unreadable > 0) return null;
  return history.length === 0 ? (stored.seqs.at(-1) ?? 0) + 1 : (stored.seqs.at(-history.length) ?? null);
}

/** Whether another process has gone on with it since; a store that can't tell is taken as it is. */
async function isBehind({ id, turns }: Place, store: Store): Promise<boolean> {
  const row = await store.conversation.get(id).catch(() => null);
  return row !== null && row.turns > turns;
}

function match(wanted: string, known: readonly Conversation[]): string {
  const matches = known.filter((each) => each.id.startsWith(wanted));
  const exact = matches.find((each) => each.id === wanted) ?? (matches.length === 1 ? matches[0] : undefined);
  if (exact !== undefined) return exact.id;
  if (matches.length === 0) throw unknown(wanted);
  throw unknown(wanted, `It begins ${matches.length} ids: ${matches.map((each) => each.id).join(", ")}.`);
}

const unknown = (id: string, why = "--resume latest goes on with the newest."): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "unknown_conversation",
    origin: "runtime/conversation",
    message: `No one conversation of this project is meant by ${JSON.stringify(id)}. ${why}`,
  });

/** Ten characters of base 32: short to type, hard to hit twice. */
export function newConversationId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return Array.from(bytes, (byte) => "0123456789abcdefghjkmnpqrstvwxyz"[byte & 31]).join("");
}
