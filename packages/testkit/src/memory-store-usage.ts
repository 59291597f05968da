import { CatalogPage } from "@smith/contract/catalog";
import type { Store, TurnOpening, UsageRow } from "@smith/contract/store";

/** What is read of a disk. */
interface Spent {
  readonly conversations: ReadonlyMap<string, { readonly first: TurnOpening }>;
  readonly usage: ReadonlySet<string>;
}

export const memoryUsage = ({ conversations, usage }: Spent): Store["usage"] =>
  Object.freeze<Store["usage"]>({
    list: async ({ project_id, since }) =>
      [...usage]
        .map((text) => JSON.parse(text) as UsageRow)
        .filter((row) => row.ts >= since)
        .filter((row) => project_id === null || conversations.get(row.conversation_id)?.first.project_id === project_id)
        .sort((a, b) => a.ts - b.ts),
  });

export function keepUsage(rows: Set<string>, row: UsageRow): void {
  const { conversation_id, turn_id, role, model, provider, ts, usage } = row;
  rows.add(JSON.stringify({ conversation_id, turn_id, role, model, provider, ts, usage }));
}

export function forgetUsage(rows: Set<string>, conversationId: string): void {
  for (const text of [...rows])
    if ((JSON.parse(text) as UsageRow).conversation_id === conversationId) rows.delete(text);
}

export const memoryCatalog = (pages: Map<string, string>): Store["catalog"] =>
  Object.freeze<Store["catalog"]>({
    get: async (key) => {
      const text = pages.get(key);
      return text === undefined ? null : CatalogPage.parse(JSON.parse(text));
    },
    put: async (key, page) => void pages.set(key, JSON.stringify(page)),
  });
