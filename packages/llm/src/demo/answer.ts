import type { ToolMessage } from "@smith/contract/message";
import type { Hit } from "./hits.ts";
import type { Terms } from "./terms.ts";

const MOST_HITS = 12;
const MOST_MAP_LINES = 20;
const LINE_CHARS = 160;

const HOW_TO_GET_A_MODEL = `For real answers give Smith a model: put a key into the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY), or start a local server (Ollama, LM Studio, llama.cpp),
or name an endpoint: smith config set llm_config.api_url http://127.0.0.1:8080/v1, then smith config set default_model NAME.`;

export const CAN_ONLY_SEARCH = `This is the demo (no language model): it can only search code, and no search tool (code_grep) is offered here.

${HOW_TO_GET_A_MODEL}`;

interface Findings {
  readonly terms: Terms;
  readonly hits: readonly Hit[];
  readonly searched: readonly ToolMessage[];
  readonly reads: readonly ToolMessage[];
  readonly map: ToolMessage | undefined;
}

/** What was found and where, as plain text that says what made it. */
export function answerText(findings: Findings): string {
  const { terms, hits } = findings;
  const quoted = terms.words.map((word) => JSON.stringify(word)).join(", ");
  const title = quoted === "" ? "the request holds no word to search for" : `search results for ${quoted}`;
  const body = hits.length > 0 ? hitLines(findings) : nothingLines(findings);
  return [`This is a search by the demo (no language model): ${title}.`, "", ...body, "", HOW_TO_GET_A_MODEL].join(
    "\n",
  );
}

function hitLines({ hits, reads }: Findings): readonly string[] {
  const excerpts = reads.map((read) => (read.ok ? read.content : ""));
  const shown = hits.slice(0, MOST_HITS).flatMap(({ path, line, text }, at) => {
    const excerpt = excerpts[at];
    const head = `${path}:${line}  ${clip(text)}`;
    return excerpt === undefined ? [head] : [head, ...numbered(excerpt)];
  });
  const more = hits.length - MOST_HITS;
  return more > 0 ? [...shown, `(${more} more not shown)`] : shown;
}

/** The numbered lines of a reading, indented under the place they belong to. */
const numbered = (reading: string): readonly string[] =>
  reading.split("\n").flatMap((line) => (/^\s*\d+│/.test(line) ? [`    ${clip(line)}`] : []));

function nothingLines({ searched, map }: Findings): readonly string[] {
  const failure = searched.find((result) => !result.ok);
  const found = failure === undefined ? [] : [`The search failed: ${failureOf(failure.content)}`];
  if (found.length === 0 && searched.length > 0) found.push("Nothing was found. Try words that stand in the code.");
  if (map?.ok === true) {
    const lines = map.content.trimEnd().split("\n");
    found.push("What is here:", ...lines.slice(0, MOST_MAP_LINES).map(clip));
  }
  return found.length > 0 ? found : ["Try words that stand in the code."];
}

/** A failed result is `{ok, output, error}` as JSON; what is none is shown as it is. */
function failureOf(content: string): string {
  try {
    const { error } = JSON.parse(content) as { error?: { message?: unknown } };
    if (typeof error?.message === "string") return clip(error.message);
  } catch {
    // no JSON: the text itself says it
  }
  return clip(content);
}

const clip = (line: string): string => (line.length <= LINE_CHARS ? line : `${line.slice(0, LINE_CHARS - 1)}…`);
