import type { MemoryHost } from "@smith/contract/memory";
import { SCRATCHPAD } from "@smith/contract/note";
import type { Store } from "@smith/contract/store";

export interface MemoryParts {
  readonly store: Store;
  /** Of the working directory as it is now. */
  projectId(): string;
  /** The conversation of the session; null before its first line. */
  conversation(): string | null;
}

export const createMemoryHost = ({ store, projectId, conversation }: MemoryParts): MemoryHost =>
  Object.freeze<MemoryHost>({
    search: ({ all, ...query }) => store.search.find({ ...query, project_id: all ? null : projectId() }),
    rebuild: store.search.rebuild,
    list: () => store.memory.list(projectId()),
    delete: async (id) => id !== "" && (await store.memory.delete(projectId(), id)),
    async keys() {
      const id = conversation();
      const notes = id === null ? [] : await store.note.list(id, SCRATCHPAD);
      return notes.map(({ id: note, chars }) => ({ key: note.slice(SCRATCHPAD.length), chars }));
    },
    async recall(key) {
      const id = conversation();
      return id === null ? null : store.note.get(id, SCRATCHPAD + key);
    },
  });
