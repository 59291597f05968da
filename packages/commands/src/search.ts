import type { CommandAnswer } from "@smith/contract/command";
import { SEARCH_KINDS, type SearchAnswer, type SearchHit } from "@smith/contract/search";
import { type Command, misuse, say } from "./command.ts";
import { timeOf } from "./sessions-rows.ts";

const LIMIT = 20;
const LARGEST = 1_000;

/** `/search` and `smith search`. */
export const search: Command = {
  name: "search",
  summary: "find words in all that was ever said, found or noted in this project",
  usage: ["QUERY [--kind KIND] [--role R] [--all] [--limit N] [--json]", "--rebuild"],
  example: 'search "stale lock" --kind report',
  doors: ["slash", "cli"],
  flags: [
    { name: "kind", value: "KIND", description: `only ${SEARCH_KINDS.join(", ")}` },
    { name: "role", value: "R", description: "only of user, assistant, tool, or of turns and reports of a role" },
    { name: "all", description: "in every project" },
    { name: "limit", value: "N", description: `hits at most; default ${LIMIT}, up to ${LARGEST}` },
    { name: "rebuild", description: "make the index anew from what is stored" },
    { name: "json", description: "as JSON" },
  ],
  async run({ words, flags }, host) {
    if (flags["rebuild"] === true) {
      if (words.length > 0) return misuse(search);
      const entries = await host.memory.rebuild();
      return say(`The index was made anew: ${entries} entries.`, { entries });
    }
    const text = words.join(" ");
    if (text.trim() === "") return misuse(search);
    const [kind, limit] = [kindOf(flags["kind"]), limitOf(flags["limit"])];
    if (typeof kind === "object" && kind !== null) return kind;
    if (typeof limit === "object") return limit;
    const role = typeof flags["role"] === "string" ? flags["role"] : null;
    const all = flags["all"] === true;
    const answer = await host.memory.search({ text, kind, role, limit, all });
    return { ...say(shownAnswer(answer, all), answer.hits), notes: [...order(answer), ...older(answer)] };
  },
};

const wrong = (text: string): CommandAnswer => misuse(search, text);

function kindOf(given: string | true | undefined) {
  if (given === undefined) return null;
  const kind = SEARCH_KINDS.find((each) => each === given);
  return kind ?? wrong(`--kind ${given}: expected ${SEARCH_KINDS.join(", ")}.`);
}

function limitOf(given: string | true | undefined): number | CommandAnswer {
  if (given === undefined) return LIMIT;
  const limit = Number(given);
  if (/^\d+$/.test(String(given)) && limit >= 1 && limit <= LARGEST) return limit;
  return wrong(`--limit ${given}: expected a whole number from 1 to ${LARGEST}.`);
}

function shownAnswer(answer: SearchAnswer, all: boolean): string {
  const { hits } = answer;
  const none = `Nothing ${all ? "" : "in this project "}has all these words${all ? "" : "; --all looks in every project"}.`;
  if (hits.length === 0) return [none, ...marked(older(answer))].join("\n");
  return [...marked(order(answer)), ...hits.map(shownHit), ...marked(older(answer))].join("\n");
}

const marked = (notes: readonly string[]): readonly string[] => notes.map((note) => `[${note}]`);

const order = ({ order }: SearchAnswer): readonly string[] =>
  order === "newest" ? ["too common a word to weigh its hits: the newest come first"] : [];

/** Why the hits are not all there is. */
function older({ more, looked_at }: SearchAnswer): readonly string[] {
  if (more) return ["there are more; add a word, or raise --limit"];
  if (looked_at === null) return [];
  return [`so common a word: only its newest ${looked_at.toLocaleString("en-US")} hits were looked at; add a word`];
}

function shownHit({ kind, key, role, conversation_id, ts, snippet }: SearchHit): string {
  const place = key.includes(conversation_id ?? key) ? [] : [`in ${conversation_id}`];
  return `${[kind, ...(role === null ? [] : [role]), timeOf(ts), key, ...place].join("  ")}\n    ${snippet}`;
}
