import type { Price } from "./catalog.ts";
import type { Usage } from "./model.ts";
import type { UsageRow } from "./store.ts";

/** What this session has used so far. */
export interface SessionUsage {
  /** Answers of models, without those to jobs. */
  readonly requests: number;
  readonly usage: Usage;
  /** By role of the jobs. */
  readonly children: Readonly<Record<string, Usage & { readonly jobs: number }>>;
  /** The model in use; null before one was chosen. */
  readonly model: string | null;
  /** What it costs; null: unpriced. */
  readonly price: Price | null;
}

export interface UsageHost {
  session(): SessionUsage;
  /** Of closed turns, oldest first. `all`: of every project. */
  list(which: { readonly all: boolean; readonly since: number }): Promise<readonly UsageRow[]>;
  /** Ms. */
  now(): number;
}
