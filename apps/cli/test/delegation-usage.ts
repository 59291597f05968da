import { createRequire } from "node:module";

export interface UsageRow {
  readonly key: string;
  readonly value: {
    readonly job_id?: string;
    readonly role?: string;
    readonly input_tokens: number | null;
    readonly output_tokens: number | null;
  };
}

interface Driver {
  new (file: string, options: { readonly: boolean }): { prepare(sql: string): { all(): unknown[] }; close(): void };
}

/** Every usage record in a database. */
export function storedUsage(file: string): readonly UsageRow[] {
  const open = createRequire(import.meta.url)("better-sqlite3") as Driver;
  const db = new open(file, { readonly: true });
  try {
    const rows = db.prepare("SELECT key, value FROM kv WHERE keyspace = 'usage' ORDER BY key").all();
    return (rows as { key: string; value: string }[]).map(({ key, value }) => ({
      key,
      value: JSON.parse(value) as UsageRow["value"],
    }));
  } finally {
    db.close();
  }
}
