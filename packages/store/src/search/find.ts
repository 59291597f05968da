import { SCRATCHPAD } from "@smith/contract/note";
import type { SearchAnswer, SearchHit, SearchQuery } from "@smith/contract/search";
import type Database from "better-sqlite3";
import { decode } from "../codec.ts";
import { turnKey } from "../keys.ts";
import type { Kv } from "../kv.ts";
import { entryOf, idOf, REPORT, type SearchEntry } from "./entry.ts";
import { type Place, placesOf } from "./places.ts";
import { snippetOf } from "./snippet.ts";
import type { SearchedKeyspace } from "./tables.ts";
import { matchOf, type Word, wordsOf } from "./words.ts";

/** More hits than this are not weighed against each other. */
const WEIGHED_HITS = 20_000;
/** Weighing counts the entries of each word: beyond this many of them it takes too long. */
const WEIGHED_ENTRIES = 50_000;
/** By age, so many hits are looked at for those of the project and the role. */
const NEWEST_HITS = 150_000;

interface Scene {
  readonly db: Database.Database;
  readonly kv: Kv;
  readonly query: SearchQuery;
  readonly words: readonly Word[];
  readonly order: SearchAnswer["order"];
}

/** Looks for a query in the full-text tables. Inside a transaction that reads. */
export function find(db: Database.Database, kv: Kv, query: SearchQuery): SearchAnswer {
  const words = wordsOf(query.text);
  const places = words.length === 0 ? [] : placesOf(query);
  const order = places.every(({ table }) => isWeighable(db, table, words)) ? "score" : "newest";
  const hits = places.flatMap((place) => hitsIn(place, { db, kv, query, words, order }));
  hits.sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || b.ts - a.ts);
  const more = hits.length > query.limit;
  const isCut = order === "newest" && !more && places.some(({ table }) => countOf(db, table, words) > NEWEST_HITS);
  return { hits: hits.slice(0, query.limit), order, more, looked_at: isCut ? NEWEST_HITS : null };
}

/** Hits in a table, counted to one more than are looked at. */
const countOf = (db: Database.Database, table: string, words: readonly Word[]): number =>
  counting(db, table).get(matchAll(words), NEWEST_HITS + 1) ?? 0;

const counting = (db: Database.Database, table: string) =>
  db
    .prepare<[string, number], number>(`SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ?)`)
    .pluck();

const matchAll = (words: readonly Word[]): string => words.map(matchOf).join(" AND ");

function isWeighable(db: Database.Database, table: string, words: readonly Word[]): boolean {
  const count = counting(db, table);
  const hits = count.get(matchAll(words), WEIGHED_HITS + 1) ?? 0;
  if (hits === 0 || words.length === 1) return hits <= WEIGHED_HITS;
  let left = WEIGHED_ENTRIES;
  for (const word of words) {
    if (hits > WEIGHED_HITS || left < 0) break;
    left -= count.get(matchOf(word), left + 1) ?? 0;
  }
  return hits <= WEIGHED_HITS && left >= 0;
}

interface Found {
  readonly id: number;
  readonly rank: number | null;
}

/** One more than asked for, where there is one. */
function hitsIn(place: Place, scene: Scene): SearchHit[] {
  const { db, query, words, order } = scene;
  const row = db.prepare<[number], { key: string; value: string }>("SELECT key, value FROM kv WHERE id = ?");
  const roles = new Map<string, string | null>();
  const hits: SearchHit[] = [];
  const { sql, values } = order === "score" ? byScore(place) : byAge(place);
  for (const { id, rank } of db.prepare<string[], Found>(sql).iterate(matchAll(words), ...values)) {
    const { key, value } = row.get(id) ?? { key: "", value: "" };
    const entry = entryOf(place.keyspace, key, value);
    if (entry === null) continue; // spoilt since it was written
    if (place.turnRole !== null && roleOfTurn(entry, { kv: scene.kv, roles }) !== place.turnRole) continue;
    hits.push({ ...shown(place.keyspace, key, entry), snippet: snippetOf(entry.text, words), score: rank && -rank });
    if (hits.length > query.limit) break;
  }
  return hits;
}

function byScore({ table, sifts }: Place) {
  const conditions = [`${table} MATCH ?`, ...sifts.map((sift) => sift.sql)].join(" AND ");
  const sql = `SELECT rowid AS id, rank FROM ${table} WHERE ${conditions} ORDER BY rank`;
  return { sql, values: sifts.flatMap((sift) => sift.values) };
}

function byAge({ table, sifts }: Place) {
  const newest = `SELECT rowid AS id, scope, role FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid DESC LIMIT ${NEWEST_HITS}`;
  const conditions = ["true", ...sifts.map((sift) => sift.sql)].join(" AND ");
  const sql = `SELECT id, NULL AS rank FROM (${newest}) WHERE ${conditions}`;
  return { sql, values: sifts.flatMap((sift) => sift.values) };
}

/** The role that answered in the turn of a message; null when nothing tells it. */
function roleOfTurn(
  { scope, turn_id }: SearchEntry,
  { kv, roles }: { kv: Kv; roles: Map<string, string | null> },
): string | null {
  const n = Number(/^t(\d{1,8})$/.exec(turn_id ?? "")?.[1] ?? Number.NaN);
  if (Number.isNaN(n)) return null;
  const key = turnKey(scope, n);
  const known = roles.get(key);
  if (known !== undefined) return known;
  const role = decode("turn", kv.get("turn", key) ?? "")?.role ?? null;
  roles.set(key, role);
  return role;
}

type Shown = Omit<SearchHit, "snippet" | "score">;

const SHOWN: Readonly<Record<SearchedKeyspace, (id: string, entry: SearchEntry) => Shown>> = {
  message: (id, { scope, role, ts }) => ({
    kind: "message",
    key: `message/${scope}/${Number(id)}`,
    conversation_id: scope,
    ...{ role, ts },
  }),
  project_memory: (id, { ts }) => ({ kind: "memory", key: `memory/${id}`, conversation_id: null, role: null, ts }),
  conversation_note(id, { scope, role, ts }) {
    const name = id.slice(SCRATCHPAD.length);
    const isReport = id.startsWith(REPORT);
    const key = isReport ? name : `note/${scope}/${name}`;
    return { kind: isReport ? "report" : "note", key, conversation_id: scope, role: role || null, ts };
  },
};

const shown = (keyspace: SearchedKeyspace, key: string, entry: SearchEntry): Shown => SHOWN[keyspace](idOf(key), entry);
