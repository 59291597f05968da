import { AgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import type { Conversation, Store } from "@smith/contract/store";
import { rebaseFraming } from "./framing.ts";
import { mendTranscript } from "./mend.ts";
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

export interface Entered {
  readonly id: string;
  readonly history: readonly TranscriptMessage[];
  /** The sequence number of the first of them; null when damaged records make it unsure. */
  readonly first_seq: number | null;
  /** Stored messages that could not be read. */
  readonly unreadable: number;
  readonly recovered: Recovered | null;
}

/** What of a conversation the next turn is sent. */
export type Sendable = Pick<Entered, "history" | "first_seq" | "unreadable">;

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
    here = { id, history: [...sent.history], first_seq: sent.first_seq, turns, emptied: false };
    keepRecent(here, max_messages);
    return { id, ...sent, history: [...here.history], first_seq: here.first_seq, recovered };
  };
  return Object.freeze({
    current: () => here?.id ?? null,
    turns: () => here?.turns ?? 0,
    async enter(wanted?: string): Promise<Entered> {
      if (wanted !== undefined && wanted !== here?.id) return await load(wanted);
      if (here !== null && ((await isBehind(here, store)) || (await wasRewound(here, store))))
        return await load(here.id);
      here ??= { id: newId(), history: [], first_seq: 1, turns: 0, emptied: false };
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
    async rewind(id: string, turns: readonly string[]) {
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

/** Ends the id of the note that says a turn is undone; it begins with the turn's, so that a copy has it only with its turn. */
const UNDONE = ":undone";

/** The turns of a conversation that were undone, oldest first. */
export async function undoneTurns(id: string, store: Store): Promise<ReadonlySet<string>> {
  const notes = await store.note.list(id, "t");
  const turns = notes.filter((note) => note.id.endsWith(UNDONE)).map((note) => note.id.slice(0, -UNDONE.length));
  return new Set(turns.filter((turn) => turnNumber(turn) > 0).sort((a, b) => turnNumber(a) - turnNumber(b)));
}

/** Whether another process has undone what is kept here. */
async function wasRewound({ id, history }: Place, store: Store): Promise<boolean> {
  const undone = await undoneTurns(id, store).catch(() => new Set<string>());
  return undone.size > 0 && history.some(({ turn_id }) => undone.has(turn_id));
}

/** The note that holds the last turn before the conversation was emptied. */
const CLEARED = "cleared";

const turnNumber = (turn_id: string | undefined): number => Number(/^t(\d+)$/.exec(turn_id ?? "")?.[1] ?? 0);

const markCleared = async ({ id, turns }: Place, store: Store): Promise<void> => {
  if (turns > 0) await store.note.put(id, CLEARED, `t${turns}`);
};

const clearedTurn = async (id: string, store: Store): Promise<number> =>
  turnNumber((await store.note.get(id, CLEARED)) ?? undefined);

/** By the row, since the mark may not have been written. */
async function seqAfterEmptying({ id, first_seq, history }: Place, store: Store): Promise<number | null> {
  const row = await store.conversation.get(id).catch(() => null);
  return row === null || first_seq === null ? null : row.messages - history.length + 1;
}

/** What was said since the conversation was last emptied. */
async function sendable(id: string, store: Store): Promise<Sendable> {
  const stored = await store.conversation.messages(id);
  const { unreadable } = stored;
  const messages = unreadable === 0 ? stored.messages : mendTranscript(stored.messages);
  const cleared = await clearedTurn(id, store);
  const last = turnNumber(messages.at(-1)?.turn_id);
  // A copy may have been cut off before the turn that the mark names.
  const isWhole = cleared === 0 || cleared > last;
  const undone = await undoneTurns(id, store);
  const history = messages.filter(({ turn_id }) => (isWhole || turnNumber(turn_id) > cleared) && !undone.has(turn_id));
  // Numbers are sure only where nothing is missing between the first of them and the next turn.
  const at = messages.length - history.length;
  const isSuffix = history.length === 0 || messages[at] === history[0];
  const first_seq = unreadable > 0 || !isSuffix ? null : at + 1;
  return { history, first_seq, unreadable };
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
