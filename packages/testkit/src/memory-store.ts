import { AgentError } from "@smith/contract/error";
import { type Part, type TranscriptMessage, textOf } from "@smith/contract/message";
import type { Receipt } from "@smith/contract/receipt";
import type {
  Conversation,
  ForkCopy,
  MessageChange,
  OpenTurn,
  Store,
  TurnClosing,
  TurnOpening,
} from "@smith/contract/store";
import { amendMemory, readMemory } from "./memory-store-amend.ts";
import { memoryBlobs } from "./memory-store-blobs.ts";
import { memoryHistory, memoryMemories, memoryNotes, type Shelf } from "./memory-store-notes.ts";
import { memorySearch } from "./memory-store-search.ts";
import { forgetUsage, keepUsage, memoryCatalog, memoryUsage } from "./memory-store-usage.ts";

/** What outlives a store: hand the same disk to a second one to see what a new process would. */
export interface MemoryDisk {
  readonly conversations: Map<string, StoredConversation>;
  /** By conversation. */
  readonly notes: Shelf;
  /** By project. */
  readonly memories: Shelf;
  /** By project. */
  readonly history: Map<string, string[]>;
  /** By conversation and turn; JSON texts by id. */
  readonly receipts: Map<string, Map<string, string>>;
  /** By hash. */
  readonly blobs: Map<string, Uint8Array>;
  /** Of closed turns, as JSON texts. */
  readonly usage: Set<string>;
  /** By endpoint, as JSON text. */
  readonly catalog: Map<string, string>;
  patch: string;
  /** What was asked for once. */
  readonly once: Set<string>;
}

interface StoredConversation {
  readonly first: TurnOpening;
  name: string;
  /** JSON texts by their number, as a database would hold them: a caller that changes its object later changes nothing here. */
  readonly messages: Map<number, string>;
  turns: number;
  updated_at: number;
  /** The store that has a turn open in it; a closed store holds nothing. */
  holder: object | null;
}

export const createMemoryDisk = (): MemoryDisk => ({
  conversations: new Map(),
  notes: new Map(),
  memories: new Map(),
  history: new Map(),
  receipts: new Map(),
  blobs: new Map(),
  usage: new Set(),
  catalog: new Map(),
  patch: "{}",
  once: new Set(),
});

/** A store in memory that keeps the port's word; what it is given is copied. */
export function createMemoryStore(disk: MemoryDisk = createMemoryDisk()): Store {
  const self = {};
  return Object.freeze({
    conversation: Object.freeze({
      get: async (id: string) => {
        const stored = disk.conversations.get(id);
        return stored === undefined ? null : shown(stored);
      },
      list: async ({ project_id, children }: { project_id: string | null; children: boolean }) =>
        [...disk.conversations.values()]
          .map(shown)
          .filter((each) => project_id === null || each.project_id === project_id)
          .filter((each) => children || each.parent === null)
          .sort((a, b) => b.updated_at - a.updated_at),
      messages: async (id: string) => readMemory(id, disk.conversations),
      amend: async (id: string, changes: readonly MessageChange[]) => amendMemory(id, changes, disk.conversations),
      delete: async (id: string) => deleteTree(id, disk),
      rename: async (id: string, name: string) => rename(id, name, disk),
      fork: async (copy: ForkCopy) => fork(copy, disk),
    }),
    turn: Object.freeze({
      open: async (opening: TurnOpening) => openTurn(opening, disk, self),
      // A turn does not outlive its store here, so nothing is ever left to complete.
      recover: async (id: string) => {
        if ((disk.conversations.get(id)?.holder ?? null) === null) return null;
        throw refusal("conversation_busy", `Conversation ${id} has a turn open.`);
      },
      abandoned: async () => [],
    }),
    note: memoryNotes(disk.notes),
    memory: memoryMemories(disk.memories),
    search: memorySearch(disk),
    history: memoryHistory(disk.history),
    receipt: Object.freeze({
      list: async (id: string, turn_id: string) =>
        [...(disk.receipts.get(`${id}:${turn_id}`)?.values() ?? [])]
          .map((text) => JSON.parse(text) as Receipt)
          .sort((a, b) => Number(a.receipt_id.slice(1)) - Number(b.receipt_id.slice(1))),
    }),
    usage: memoryUsage(disk),
    catalog: memoryCatalog(disk.catalog),
    blob: memoryBlobs(disk.blobs),
    config: Object.freeze({
      patch: async () => JSON.parse(disk.patch) as Record<string, unknown>,
      setPatch: async (patch: Readonly<Record<string, unknown>>) => {
        disk.patch = JSON.stringify(patch);
      },
      once: async (name: string) => !disk.once.has(name) && disk.once.add(name) !== undefined,
    }),
    close: async () => {
      for (const each of disk.conversations.values()) if (each.holder === self) each.holder = null;
    },
  });
}

function openTurn(opening: TurnOpening, disk: MemoryDisk, self: object): OpenTurn {
  const id = opening.conversation_id;
  const stored = disk.conversations.get(id) ?? newConversation(opening);
  if (stored.holder !== null && stored.holder !== self) {
    throw refusal("conversation_busy", `Conversation ${id} has a turn open in another process.`);
  }
  disk.conversations.set(id, stored);
  stored.holder = self;
  const first_seq = nextSeq(stored);
  stored.turns += 1;
  stored.updated_at = opening.ts;
  const turn_id = `t${stored.turns}`;
  stored.messages.set(first_seq, JSON.stringify({ ...opening.user, turn_id }));
  let open = true;
  const demandOpen = () => {
    if (!open) throw refusal("turn_closed", `Turn ${turn_id} of conversation ${id} is closed already.`);
  };
  return Object.freeze({
    turn_id,
    append: async (message: TranscriptMessage, receipts: readonly Receipt[] = []) => {
      demandOpen();
      keepReceipts(`${id}:${turn_id}`, receipts, disk);
      stored.messages.set(nextSeq(stored), JSON.stringify(message));
    },
    // Both serve the recovery after a crash, which memory doesn't outlive.
    intend: async () => demandOpen(),
    partial: async () => demandOpen(),
    async close({ ts, children: _, receipts = [], ...said }: TurnClosing) {
      demandOpen();
      open = false;
      stored.holder = null;
      stored.updated_at = ts;
      const place = { conversation_id: id, turn_id, role: opening.role, first_seq, last_seq: nextSeq(stored) - 1 };
      const record = JSON.stringify({ ...said, ...place, opened_at: opening.ts, closed_at: ts });
      keepReceipts(`${id}:${turn_id}`, receipts, disk);
      await memoryNotes(disk.notes).put(id, `turn_record-${turn_id}`, record);
      keepUsage(disk.usage, { ...place, ...said, ts });
    },
  });
}

function deleteTree(id: string, disk: MemoryDisk): boolean {
  if (!disk.conversations.has(id)) return false;
  const tree = treeOf(id, disk);
  for (const each of tree) {
    const isBusy = (disk.conversations.get(each)?.holder ?? null) !== null;
    if (isBusy) throw refusal("conversation_busy", `Conversation ${each} has a turn open.`);
  }
  for (const each of tree) {
    disk.conversations.delete(each);
    disk.notes.delete(each);
    forgetUsage(disk.usage, each);
    forgetReceipts(each, disk);
  }
  return true;
}

function keepReceipts(key: string, given: readonly Receipt[], { receipts }: MemoryDisk): void {
  const kept = receipts.get(key) ?? new Map<string, string>();
  for (const receipt of given) kept.set(receipt.receipt_id, JSON.stringify(receipt));
  receipts.set(key, kept);
}

function forgetReceipts(id: string, { receipts }: MemoryDisk): void {
  for (const key of [...receipts.keys()].filter((each) => each.startsWith(`${id}:`))) receipts.delete(key);
}

function treeOf(id: string, disk: MemoryDisk): ReadonlySet<string> {
  const tree = new Set([id]);
  for (const parent of tree) {
    for (const [child, { first }] of disk.conversations) if (first.parent === parent) tree.add(child);
  }
  return tree;
}

function rename(id: string, name: string, disk: MemoryDisk): boolean {
  const stored = disk.conversations.get(id);
  if (stored !== undefined) stored.name = name;
  return stored !== undefined;
}

function fork({ from, turn_id, id, name, ts }: ForkCopy, disk: MemoryDisk): Conversation | null {
  const original = disk.conversations.get(from);
  if (disk.conversations.has(id)) throw refusal("conversation_exists", `There is a conversation ${id} already.`);
  const closed = original === undefined ? 0 : original.turns - (original.holder === null ? 0 : 1);
  const turns = turn_id === null ? closed : Number(/^t(\d+)$/.exec(turn_id)?.[1] ?? 0);
  if (original === undefined || !(turns >= 1 && turns <= closed)) return null;
  const isCopied = (turn: string) => Number(turn.slice(1)) <= turns;
  const messages = new Map(
    [...original.messages].filter(([, text]) => isCopied((JSON.parse(text) as TranscriptMessage).turn_id)),
  );
  const first = { ...original.first, conversation_id: id, parent: null, ts };
  const copy = { ...original, first, name, messages, turns, updated_at: ts, holder: null };
  disk.conversations.set(id, copy);
  const notes = [...(disk.notes.get(from) ?? [])]
    .filter(([note]) => !note.startsWith("turn_record-") || isCopied(note.slice("turn_record-".length)))
    .map(([note, text]) => [note, note.startsWith("turn_record-") ? ofConversation(text, id) : text] as const);
  disk.notes.set(id, new Map(notes));
  for (let n = 1; n <= turns; n++) disk.receipts.set(`${id}:t${n}`, new Map(disk.receipts.get(`${from}:t${n}`)));
  return shown(copy);
}

const ofConversation = (record: string, conversation_id: string): string =>
  JSON.stringify({ ...(JSON.parse(record) as object), conversation_id });

const nextSeq = ({ messages }: StoredConversation): number => Math.max(0, ...messages.keys()) + 1;

const newConversation = (opening: TurnOpening): StoredConversation => ({
  first: opening,
  name: firstWords(opening.user.content),
  messages: new Map(),
  turns: 0,
  updated_at: opening.ts,
  holder: null,
});

const firstWords = (content: string | readonly Part[]): string =>
  textOf(content).trim().split("\n", 1)[0]?.slice(0, 60) || "untitled";

const shown = ({ first, name, messages, turns, updated_at }: StoredConversation): Conversation => ({
  id: first.conversation_id,
  project_id: first.project_id,
  name,
  parent: first.parent,
  turns,
  messages: messages.size,
  created_at: first.ts,
  updated_at,
});

const refusal = (code: string, message: string): AgentError =>
  new AgentError({ kind: "persistence", code, message, origin: "testkit/memory-store" });
