import type { SearchKind, SearchQuery } from "@smith/contract/search";
import { SEARCH_TABLES, type SearchedKeyspace } from "./tables.ts";

/** A table in which a query is looked for. */
export interface Place {
  readonly keyspace: SearchedKeyspace;
  readonly table: string;
  /** Conditions for its hits, each with what is bound to it. */
  readonly sifts: readonly Sift[];
  /** A role that only the turn of a message tells; null: it is no matter. */
  readonly turnRole: string | null;
}

export interface Sift {
  readonly sql: string;
  readonly values: readonly string[];
}

const KEYSPACES: Readonly<Record<SearchKind, SearchedKeyspace>> = {
  message: "message",
  memory: "project_memory",
  report: "conversation_note",
  note: "conversation_note",
};

/** Who speaks in a message; every other role is one that a turn was run in. */
const SPEAKERS: readonly string[] = ["user", "assistant", "tool"];

/** The conversations of a project. A damaged row belongs to none. */
const OF_PROJECT =
  "scope IN (SELECT key FROM kv WHERE keyspace = 'conversation' AND CASE WHEN json_valid(value) THEN value ->> '$.project_id' END = ?)";

export function placesOf(query: SearchQuery): readonly Place[] {
  const { kind, role } = query;
  const isSpeaker = role !== null && SPEAKERS.includes(role);
  const canHave = (keyspace: SearchedKeyspace): boolean => {
    if (kind !== null && KEYSPACES[kind] !== keyspace) return false;
    if (role === null || keyspace === "message") return true;
    return keyspace === "conversation_note" && kind !== "note" && !isSpeaker; // a memory and a note are nobody's
  };
  return (["message", "project_memory", "conversation_note"] as const).filter(canHave).map((keyspace) => {
    const turnRole = keyspace === "message" && !isSpeaker ? role : null;
    return { keyspace, table: SEARCH_TABLES[keyspace], sifts: siftsOf(query, keyspace, turnRole), turnRole };
  });
}

function siftsOf(query: SearchQuery, keyspace: SearchedKeyspace, turnRole: string | null): Sift[] {
  const { kind, role, project_id, conversation_id } = query;
  const isMemory = keyspace === "project_memory";
  const sifts: readonly (Sift | null)[] = [
    project_id === null ? null : { sql: isMemory ? "scope = ?" : OF_PROJECT, values: [project_id] },
    conversation_id === undefined || isMemory ? null : { sql: "scope = ?", values: [conversation_id] },
    role !== null && turnRole === null ? { sql: "role = ?", values: [role] } : null,
    kind === "report" ? { sql: "role IS NOT NULL", values: [] } : null,
    kind === "note" ? { sql: "role IS NULL", values: [] } : null,
  ];
  return sifts.filter((sift) => sift !== null);
}
