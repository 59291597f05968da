import { SCRATCHPAD } from "@smith/contract/note";
import type { Store } from "@smith/contract/store";

const NOTE_KEY = /^note\/([^/:]+)\/(.+)$/s;
const MEMORY_KEY = /^memory\/(.+)$/s;

/**
 * What `search` names outside of this conversation: `memory/<id>`, `note/<conversation_id>/<key>`, and a job's report,
 * whichever conversation of the project handed the job out. Null for another kind of key, and for what is not there or not
 * this project's.
 */
export async function projectValue(store: Store, key: string, projectId: string): Promise<string | null> {
  const memory = MEMORY_KEY.exec(key)?.[1];
  if (memory?.isWellFormed() === true) return (await store.memory.get(projectId, memory))?.content ?? null;
  const [, id, name] = NOTE_KEY.exec(key) ?? [];
  if (id?.isWellFormed() === true && name !== undefined) {
    const isOurs = (await store.conversation.get(id))?.project_id === projectId;
    return isOurs ? store.note.get(id, SCRATCHPAD + name) : null;
  }
  return key.startsWith("dispatch/") ? report(store, key, projectId) : null;
}

async function report(store: Store, key: string, project_id: string): Promise<string | null> {
  for (const { id } of await store.conversation.list({ project_id, children: true })) {
    const found = await store.note.get(id, SCRATCHPAD + key);
    if (found !== null) return found;
  }
  return null;
}
