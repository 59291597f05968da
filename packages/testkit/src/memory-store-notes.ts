import { AgentError } from "@smith/contract/error";
import type { Memory, Store } from "@smith/contract/store";

/** Texts by owner and id, as a database would hold them. */
export type Shelf = Map<string, Map<string, string>>;

const on = (shelf: Shelf, owner: string): Map<string, string> => {
  const texts = shelf.get(demandOwner(owner)) ?? new Map<string, string>();
  shelf.set(owner, texts);
  return texts;
};

export const memoryNotes = (shelf: Shelf): Store["note"] =>
  Object.freeze<Store["note"]>({
    get: async (conversationId, noteId) => on(shelf, conversationId).get(demandId(noteId)) ?? null,
    put: async (conversationId, noteId, text) => void on(shelf, conversationId).set(demandId(noteId), text),
    list: async (conversationId, prefix) =>
      [...on(shelf, conversationId)]
        .filter(([id]) => prefix.isWellFormed() && id.startsWith(prefix))
        .map(([id, text]) => ({ id, chars: text.length }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
  });

export const memoryMemories = (shelf: Shelf): Store["memory"] =>
  Object.freeze<Store["memory"]>({
    list: async (projectId) => [...on(shelf, projectId).values()].map(read).sort((a, b) => (a.id < b.id ? -1 : 1)),
    async get(projectId, id) {
      const text = on(shelf, projectId).get(demandId(id));
      return text === undefined ? null : read(text);
    },
    async put(projectId, { id, content, updated_at }) {
      on(shelf, projectId).set(demandId(id), JSON.stringify({ id, content, updated_at }));
    },
    delete: async (projectId, id) => on(shelf, projectId).delete(demandId(id)),
  });

/** Lines of input kept per project. */
const HISTORY_KEPT = 500;

export const memoryHistory = (shelf: Map<string, string[]>): Store["history"] =>
  Object.freeze<Store["history"]>({
    load: async (projectId) => [...(shelf.get(demandOwner(projectId)) ?? [])],
    async append(projectId, line) {
      shelf.set(demandOwner(projectId), [...(shelf.get(projectId) ?? []), line].slice(-HISTORY_KEPT));
    },
  });

const read = (text: string): Memory => JSON.parse(text) as Memory;

const demandId = (id: string): string => {
  if (id !== "" && id.isWellFormed()) return id;
  throw badKey(`The id ${JSON.stringify(id)} is empty or not well-formed text.`);
};

const demandOwner = (id: string): string => {
  if (!id.includes(":")) return demandId(id);
  throw badKey(`The id ${JSON.stringify(id)} holds a ":", which separates parts of a key.`);
};

const badKey = (message: string): AgentError =>
  new AgentError({ kind: "persistence", code: "bad_key", message, origin: "testkit/memory-store" });
