import { checkCancelled } from "@smith/contract/cancel";
import { type Message, type ToolCall, textOf } from "@smith/contract/message";
import {
  type ChatModel,
  type ChatOptions,
  type ChatReply,
  type ChatRequest,
  UNKNOWN_USAGE,
} from "@smith/contract/model";
import { answerText, CAN_ONLY_SEARCH } from "./demo/answer.ts";
import { type Hit, hitsIn } from "./demo/hits.ts";
import { type Terms, termsOf } from "./demo/terms.ts";
import { callIds } from "./transcript.ts";

/** What the demo is called wherever it shows: nobody shall take it for a language model. */
export const DEMO_NAME = "demo (no language model)";

/** Lines that are read before a hit, and in all. */
const LINES_BEFORE = 2;
const LINES_READ = 8;
const HITS_READ = 2;

/**
 * A labelled search in the place of a model: it looks for the words of the last user message with the tools it is
 * offered (`code_map`, `code_grep`, `read`) and says what it found and where. It keeps nothing between requests: what it
 * does next follows from the transcript alone. It never edits, runs nothing and acts no role.
 */
export function createDemo(): ChatModel {
  return Object.freeze({
    provider: "demo",
    // async: a cancel rejects, as with any other model
    async chat(request: ChatRequest, { signal, onDelta }: ChatOptions): Promise<ChatReply> {
      checkCancelled(signal);
      const next = nextStep(request);
      if (typeof next !== "string") return reply("", withIds(next, callIds(request.messages)));
      for (const piece of next.split(/(?<=\n)/)) onDelta({ type: "text", text: piece });
      return reply(next, []);
    },
  });
}

interface Wish {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The calls of the next round, or the answer. */
function nextStep({ messages, tools }: ChatRequest): readonly Wish[] | string {
  const offers = (name: string) => tools.some((tool) => tool.name === name);
  if (!offers("code_grep")) return CAN_ONLY_SEARCH;
  const lastUser = messages.findLastIndex((message) => message.role === "user");
  const terms = termsOf(lineOf(messages[lastUser]));
  const results = messages.slice(lastUser + 1).filter((message) => message.role === "tool");
  if (results.length === 0) {
    const searches = searchesFor(terms);
    const wishes = offers("code_map") ? [{ name: "code_map", args: {} }, ...searches] : searches;
    if (wishes.length > 0) return wishes;
  }
  const searched = results.filter((result) => result.name === "code_grep");
  const hits = hitsIn(
    searched.flatMap((result) => (result.ok ? [result.content] : [])),
    terms,
  );
  const reads = results.filter((result) => result.name === "read");
  if (hits.length > 0 && reads.length === 0 && offers("read")) return hits.slice(0, HITS_READ).map(readOf);
  return answerText({ terms, hits, searched, reads, map: results.find((result) => result.name === "code_map") });
}

const lineOf = (message: Message | undefined): string => (message === undefined ? "" : textOf(message.content));

const searchesFor = ({ patterns }: Terms): readonly Wish[] =>
  patterns.map((pattern) => ({ name: "code_grep", args: { pattern, ignore_case: true } }));

const readOf = ({ path, line }: Hit): Wish => ({
  name: "read",
  args: { path, offset: Math.max(1, line - LINES_BEFORE), limit: LINES_READ },
});

function withIds(wishes: readonly Wish[], taken: ReadonlySet<string>): readonly ToolCall[] {
  const used = new Set(taken);
  let n = taken.size;
  return wishes.map(({ name, args }) => {
    do n++;
    while (used.has(`demo_${n}`));
    return Object.freeze({ id: `demo_${n}`, name, arguments: JSON.stringify(args) });
  });
}

const reply = (content: string, tool_calls: readonly ToolCall[]): ChatReply =>
  Object.freeze({
    content,
    reasoning: "",
    tool_calls,
    finish_reason: tool_calls.length > 0 ? "tool_calls" : "stop",
    usage: UNKNOWN_USAGE,
    model: DEMO_NAME,
    warnings: [],
  });
