export const SEARCH_KINDS = ["message", "memory", "report", "note"] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** What to look for, and where. */
export interface SearchQuery {
  /** Any text. Its words must all stand in an entry, each as it is written; a word that ends in `*` is the beginning of one. */
  readonly text: string;
  /** Null: in every project. */
  readonly project_id: string | null;
  /** Of what was said and noted only this conversation's, beside the memories of the project; absent: every one's. */
  readonly conversation_id?: string;
  /** Null: all kinds. */
  readonly kind: SearchKind | null;
  /** As a hit's role; also the role that answered a message's turn (`direct`, `worker`, …). Null: any. */
  readonly role: string | null;
  /** Hits at most, from 1 on. */
  readonly limit: number;
}

export interface SearchHit {
  readonly kind: SearchKind;
  /** What `recall` gives the whole of: `message/…`, `memory/…`, `dispatch/…` or `note/…`. */
  readonly key: string;
  /** Null for a memory: it is of the project. */
  readonly conversation_id: string | null;
  /** Of a message who spoke (`user`, `assistant`, `tool`), of a report whose it is (`worker`, `explorer`), else null. */
  readonly role: string | null;
  /** Milliseconds since the epoch. */
  readonly ts: number;
  /** One line around the first word found, at most 200 characters. */
  readonly snippet: string;
  /** More is better; comparable within one answer only. Null where the order is by age. */
  readonly score: number | null;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** `newest`: a word is so common that its hits are not weighed; the newest come first. */
  readonly order: "score" | "newest";
  /** There are more hits than were asked for. */
  readonly more: boolean;
  /** Of so common a word only this many hits, the newest, were looked at for those that were asked for; null: all were. */
  readonly looked_at: number | null;
}
