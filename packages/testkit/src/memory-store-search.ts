import type { TranscriptMessage } from "@smith/contract/message";
import { textOf } from "@smith/contract/message";
import type { SearchAnswer, SearchHit, SearchQuery } from "@smith/contract/search";
import type { Memory, Store, TurnOpening } from "@smith/contract/store";

/** What is read of a disk. */
interface Searched {
  readonly conversations: ReadonlyMap<
    string,
    { readonly first: TurnOpening; readonly messages: ReadonlyMap<number, string> }
  >;
  readonly notes: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly memories: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Something that can be found; `role` of the turn, too, which a hit does not show. */
interface Entry extends Omit<SearchHit, "snippet" | "score"> {
  readonly text: string;
  readonly project_id: string | null;
  readonly turn_role: string | null;
}

/** Looks through everything each time; nothing can lag behind. */
export const memorySearch = (disk: Searched): Store["search"] =>
  Object.freeze<Store["search"]>({
    find: async (query) => find(query, entriesOf(disk)),
    rebuild: async () => entriesOf(disk).length,
  });

function find(query: SearchQuery, entries: readonly Entry[]): SearchAnswer {
  const words = Array.from(query.text.matchAll(/"([^"]*)"(\*?)|\S+/g), ([all, phrase, star]) => ({
    tokens: tokensOf(phrase ?? all),
    isPrefix: star === "*" || (phrase === undefined && all.endsWith("*")),
  })).filter(({ tokens }) => tokens.length > 0);
  const hits = entries
    .filter((entry) => query.project_id === null || entry.project_id === query.project_id)
    .filter(({ kind, conversation_id: id }) => kind === "memory" || id === (query.conversation_id ?? id))
    .filter((entry) => query.kind === null || entry.kind === query.kind)
    .filter((entry) => query.role === null || entry.role === query.role || entry.turn_role === query.role)
    .map((entry) => ({ entry, counts: words.map((word) => occurrences(tokensOf(entry.text), word)) }))
    .filter(({ counts }) => counts.length > 0 && !counts.includes(0))
    .map(({ entry, counts }) => hitOf(entry, counts.reduce((sum, each) => sum + each, 0) / tokensOf(entry.text).length))
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || b.ts - a.ts);
  return { hits: hits.slice(0, query.limit), order: "score", more: hits.length > query.limit, looked_at: null };
}

const hitOf = ({ text, project_id: _, turn_role: __, ...entry }: Entry, score: number): SearchHit => ({
  ...entry,
  snippet: text.replace(/\s+/g, " ").trim().slice(0, 200).toWellFormed(),
  score,
});

const tokensOf = (text: string): readonly string[] =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .normalize("NFC")
    .match(/[\p{sc=Han}\p{sc=Hangul}]|[\p{L}\p{N}]+/gu) ?? [];

function occurrences(
  tokens: readonly string[],
  word: { readonly tokens: readonly string[]; readonly isPrefix: boolean },
) {
  const last = word.tokens.length - 1;
  const isAt = (at: number) =>
    word.tokens.every((token, n) =>
      word.isPrefix && n === last ? tokens[at + n]?.startsWith(token) === true : tokens[at + n] === token,
    );
  return tokens.filter((_, at) => isAt(at)).length;
}

function entriesOf({ conversations, notes, memories }: Searched): readonly Entry[] {
  const said = [...conversations].flatMap(([id, { first, messages }]) =>
    [...messages].map(([seq, text]) => messageEntry(JSON.parse(text) as TranscriptMessage, { id, seq, first })),
  );
  const noted = [...notes].flatMap(([id, texts]) =>
    [...texts]
      .filter(([note]) => note.startsWith("scratchpad:"))
      .map(([note, text]) =>
        noteEntry(note.slice("scratchpad:".length), text, id, conversations.get(id)?.first.project_id),
      ),
  );
  const remembered = [...memories].flatMap(([project_id, texts]) =>
    [...texts.values()].map((text) => memoryEntry(JSON.parse(text) as Memory, project_id)),
  );
  return [...said, ...noted, ...remembered];
}

function messageEntry(
  message: TranscriptMessage,
  { id, seq, first }: { id: string; seq: number; first: TurnOpening },
): Entry {
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  return {
    ...{ kind: "message", key: `message/${id}/${seq}`, conversation_id: id, role: message.role, ts: message.ts },
    text: [textOf(message.content), ...calls.map((call) => `${call.name} ${textsIn(call.arguments)}`)].join("\n"),
    ...{ project_id: first.project_id, turn_role: first.role },
  };
}

function noteEntry(name: string, text: string, conversation_id: string, project_id: string | undefined): Entry {
  const place = { conversation_id, project_id: project_id ?? null, turn_role: null, ts: 0 };
  if (!name.startsWith("dispatch/")) {
    return { kind: "note", key: `note/${conversation_id}/${name}`, role: null, text: `${name}\n${text}`, ...place };
  }
  const role = /"target_role": ?"(\w+)"/.exec(text)?.[1] ?? null;
  return { kind: "report", key: name, role, text: textsIn(text), ...place };
}

const memoryEntry = ({ id, content, updated_at }: Memory, project_id: string): Entry => ({
  ...{ kind: "memory", key: `memory/${id}`, conversation_id: null, role: null, ts: updated_at },
  ...{ text: content, project_id, turn_role: null },
});

/** The texts in JSON, as far as the scenes need them. */
function textsIn(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json)).replace(/\\[nrt]/g, " ");
  } catch {
    return json;
  }
}
