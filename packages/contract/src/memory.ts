import type { SearchAnswer, SearchQuery } from "./search.ts";
import type { Memory } from "./store.ts";

/** What the project and the session keep beside the transcript, and how it is found again. */
export interface MemoryHost {
  /** `all`: in every project. */
  search(query: Omit<SearchQuery, "project_id"> & { readonly all: boolean }): Promise<SearchAnswer>;
  /** Makes the full-text index anew; returns how many entries it holds. */
  rebuild(): Promise<number>;
  /** What the project remembers, by id. */
  list(): Promise<readonly Memory[]>;
  /** False when there is none. */
  delete(id: string): Promise<boolean>;
  /** The keys of the session's scratchpad with their sizes; none before its first line. */
  keys(): Promise<readonly { readonly key: string; readonly chars: number }[]>;
  /** Null when there is none. */
  recall(key: string): Promise<string | null>;
}
