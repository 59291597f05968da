import type { Store } from "@smith/contract/store";
import type { Access } from "../access.ts";
import { historyKey, historyScope } from "../keys.ts";

const KEYSPACE = "history";
/** Lines kept per project; the oldest go first. */
const KEPT = 500;

export function inputHistory({ kv, run }: Access): Store["history"] {
  return Object.freeze<Store["history"]>({
    load: (projectId) => run(() => kv.scan(KEYSPACE, historyScope(projectId)).flatMap(({ value }) => lineOf(value))),
    append: (projectId, line) =>
      run(() =>
        kv.write(() => {
          const scope = historyScope(projectId);
          const last = kv.lastKey(KEYSPACE, scope);
          kv.put(
            KEYSPACE,
            historyKey(projectId, last === null ? 1 : Number(last.slice(scope.length)) + 1),
            JSON.stringify(line),
          );
          const [oldest, ...others] = kv.scan(KEYSPACE, scope);
          if (oldest !== undefined && others.length >= KEPT) kv.remove(KEYSPACE, oldest.key);
        }),
      ),
  });
}

/** A value that can't be read is left out: a lost line of history is no fault to stop for. */
function lineOf(value: string): readonly string[] {
  try {
    const line: unknown = JSON.parse(value);
    return typeof line === "string" ? [line] : [];
  } catch {
    return [];
  }
}
