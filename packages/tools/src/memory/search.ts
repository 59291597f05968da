import { SEARCH_KINDS, type SearchAnswer, type SearchHit } from "@smith/contract/search";
import type { Store } from "@smith/contract/store";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { count, remarks, summaryOf } from "../code/words.ts";
import { answering, printable } from "../fault.ts";

const SearchArguments = z.strictObject({
  query: z.string(),
  kind: z.enum(SEARCH_KINDS).optional(),
  max_results: z.int().min(1).max(50).default(10),
});
type SearchArguments = z.infer<typeof SearchArguments>;

/** `search`: full text over what this project's conversations said, found and noted. */
export const createSearch = (store: Store): Tool<SearchArguments> =>
  Object.freeze({
    name: "search",
    description:
      'Find words in all that was said, found or noted in this project; recall gives the whole by key. "…" is a phrase, wor* a beginning.',
    schema: SearchArguments,
    side_effects: "none",
    run: (args, context) => answering("search", () => search(args, context, store)),
    result_renderer: (_args, outcome) => summaryOf(outcome),
  } satisfies Tool<SearchArguments>);

async function search(args: SearchArguments, context: ToolContext, store: Store): Promise<ToolOutcome> {
  const { query, kind = null, max_results } = args;
  const { project_id, conversation_id, reach } = context;
  const where = { project_id, ...(reach === "conversation" ? { conversation_id } : {}) };
  const answer = await store.search.find({ ...where, text: query, kind, role: null, limit: max_results });
  const names = await namesOf(answer.hits, store);
  const lines = answer.hits.map((hit) => shown(hit, names, context));
  const found = count(answer.hits.length, "hit");
  const content = lines.length === 0 ? "nothing in this project has all these words" : lines.join("\n");
  return {
    ok: true,
    content: [content, ...remarks(limits(answer))].join("\n"),
    metadata: { summary: answer.more ? `${found} and more` : found },
  };
}

function limits({ order, more, looked_at }: SearchAnswer): readonly string[] {
  return [
    ...(order === "newest" ? ["too common a word to weigh its hits: the newest come first"] : []),
    ...(looked_at === null ? [] : [`so common a word: only its newest ${looked_at} hits were looked at; add a word`]),
    ...(more ? ["there are more hits; add a word, a kind, or raise max_results"] : []),
  ];
}

/** What the conversations of the hits are called. */
async function namesOf(hits: readonly SearchHit[], store: Store): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(hits.flatMap(({ conversation_id }) => conversation_id ?? []))];
  const found = await Promise.all(ids.map((id) => store.conversation.get(id)));
  return new Map(found.flatMap((each) => (each === null ? [] : [[each.id, each.name] as const])));
}

/** The key first: it is what the next call needs. */
function shown(hit: SearchHit, names: ReadonlyMap<string, string>, { conversation_id }: ToolContext): string {
  const own = `note/${conversation_id}/`;
  const key = hit.key.startsWith(own) ? hit.key.slice(own.length) : hit.key;
  const name = names.get(hit.conversation_id ?? "");
  const where = hit.conversation_id === conversation_id ? "this conversation" : name && `"${name}"`;
  const told = [hit.role, where, new Date(hit.ts).toISOString().slice(0, 16).replace("T", " ")];
  const place = told.filter((each) => each !== null && each !== undefined).join(", ");
  return `${printable(key)} (${printable(place)})\n  ${printable(hit.snippet)}`;
}
