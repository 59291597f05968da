import type { Store, UsageRow } from "@smith/contract/store";
import type { Access } from "../access.ts";
import { decode } from "../codec.ts";
import { conversationKey, ownUsage, turnKey } from "../keys.ts";
import type { Kv } from "../kv.ts";

export function usages({ kv, run }: Access): Store["usage"] {
  return Object.freeze<Store["usage"]>({
    list: ({ project_id, since }) =>
      run(() =>
        kv.read(() => {
          const isOfProject = projectFilter(kv, project_id);
          return kv
            .all("usage")
            .flatMap(({ key, value }) => rowOf(kv, key, value))
            .filter(({ ts, conversation_id }) => ts >= since && isOfProject(conversation_id))
            .sort((a, b) => a.ts - b.ts);
        }),
      ),
  });
}

function rowOf(kv: Kv, key: string, value: string): readonly UsageRow[] {
  const place = ownUsage(key);
  const record = place === null ? null : decode("usage", value);
  if (place === null || record === null) return [];
  const { model, provider, ts, conversation_id: _c, turn_id: _t, ...usage } = record;
  const n = Number(place.turn_id.slice(1));
  const turn = Number.isInteger(n) ? decode("turn", kv.get("turn", turnKey(place.conversation_id, n)) ?? "") : null;
  return [{ ...place, role: turn?.role ?? "unknown", model, provider, ts, usage }];
}

/** Asks for each conversation's project once. */
function projectFilter(kv: Kv, projectId: string | null): (conversationId: string) => boolean {
  const known = new Map<string, boolean>();
  return (id) => {
    if (projectId === null) return true;
    const before = known.get(id);
    if (before !== undefined) return before;
    const found = decode("conversation", kv.get("conversation", conversationKey(id)) ?? "")?.project_id === projectId;
    known.set(id, found);
    return found;
  };
}
