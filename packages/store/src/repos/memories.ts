import type { Store } from "@smith/contract/store";
import type { Access } from "../access.ts";
import { decode, encode } from "../codec.ts";
import { memoryKey, memoryScope } from "../keys.ts";

const KEYSPACE = "project_memory";

export function memories({ kv, run }: Access): Store["memory"] {
  return Object.freeze<Store["memory"]>({
    list: (projectId) =>
      run(() =>
        kv
          .scan(KEYSPACE, memoryScope(projectId))
          .map(({ value }) => decode("memory", value))
          .filter((memory) => memory !== null)
          .sort((a, b) => (a.id < b.id ? -1 : 1)),
      ),
    get: (projectId, id) => run(() => decode("memory", kv.get(KEYSPACE, memoryKey(projectId, id)) ?? "")),
    put: (projectId, memory) =>
      run(() => {
        const record = encode("memory", memory);
        kv.write(() => kv.put(KEYSPACE, memoryKey(projectId, memory.id), record));
      }),
    delete: (projectId, id) =>
      run(() =>
        kv.write(() => {
          const key = memoryKey(projectId, id);
          const isThere = kv.get(KEYSPACE, key) !== null;
          kv.remove(KEYSPACE, key);
          return isThere;
        }),
      ),
  });
}
