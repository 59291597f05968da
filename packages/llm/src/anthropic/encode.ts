import type { AssistantMessage, Message, SystemMessage } from "@smith/contract/message";
import type { ChatRequest } from "@smith/contract/model";
import type { ToolSpec } from "@smith/contract/tool";
import type { Encoder } from "../adapter.ts";
import { keptBy, type Owner } from "../echo.ts";
import { isBlank, jsonText } from "../json.ts";
import { createKept, isSpoken, listMember, type Spoken } from "../kept.ts";
import { type Blocks, blocksOf, markedBlock } from "./blocks.ts";
import { settingsOf } from "./thinking.ts";

/**
 * Encodes Anthropic messages: the system text stands apart, what follows in the same role is one message, and cache marks
 * stand behind the system text, behind the last message, and behind the last one of the request before. Of each message
 * and tool the bytes are kept, so that a round encodes only what is new.
 */
export function createEncoder(provider: string, maxOutputOf?: (model: string) => number | null): Encoder {
  const kept = createKept(blocksOf, toolOf);
  return Object.freeze<Encoder>({
    keeps: kept.keeps,
    encode(request, { stream, pictures }) {
      const owner: Owner = { kind: "anthropic", provider, model: request.model };
      const system = request.messages.filter(isSystem).filter(({ content }) => !isBlank(content));
      const spoken = request.messages.filter(isSpoken);
      const most = maxOutputOf?.(request.model) ?? null;
      const settings = { ...settingsOf(request, mayThink(spoken, owner), most), ...(stream ? { stream } : {}) };
      const pieces: Buffer[] = [Buffer.from(`{"model":${jsonText(request.model)},${jsonText(settings).slice(1, -1)}`)];
      if (system.length > 0) pieces.push(...listMember("system", system.map(systemBlock)));
      if (request.tools.length > 0) {
        const specs = request.tools.map(kept.toolFor);
        pieces.push(...listMember("tools", system.length > 0 ? specs : markLast(specs)));
      }
      pieces.push(
        ...listMember(
          "messages",
          messagesOf(spoken, cacheEnds(request), (message) => kept.messageFor(message, owner, pictures)),
        ),
        CLOSE,
      );
      return Buffer.concat(pieces);
    },
  });
}

const isSystem = (message: Message): message is SystemMessage => message.role === "system";
const isAssistant = (message: Message): message is AssistantMessage => message.role === "assistant";

const CLOSE = Buffer.from("}");

/** The mark is behind the first: what a hook adds for one request must not spoil what is kept of the prompt. */
const systemBlock = ({ content }: SystemMessage, at: number): Buffer => {
  const block = Buffer.from(jsonText({ type: "text", text: content }));
  return at === 0 ? markedBlock(block) : block;
};

const toolOf = ({ name, description, parameters }: ToolSpec): unknown => ({
  name,
  description,
  input_schema: parameters,
});

const markLast = (blocks: readonly Buffer[]): readonly Buffer[] =>
  blocks.map((block, at) => (at === blocks.length - 1 ? markedBlock(block) : block));

interface Group {
  readonly role: "user" | "assistant";
  readonly blocks: Buffer[];
}

const OPENING = Buffer.from('{"type":"text","text":"(the conversation goes on)"}');

function messagesOf(
  spoken: readonly Spoken[],
  ends: ReadonlySet<Spoken>,
  blocksFor: (message: Spoken) => Blocks,
): readonly Buffer[] {
  const groups: Group[] = [];
  for (const message of spoken) {
    const blocks = blocksFor(message);
    if (blocks.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    if (groups.length === 0 && role === "assistant") groups.push({ role: "user", blocks: [OPENING] });
    if (groups.at(-1)?.role !== role) groups.push({ role, blocks: [] });
    groups.at(-1)?.blocks.push(...(ends.has(message) ? markLast(blocks) : blocks));
  }
  return groups.map(({ role, blocks }) =>
    Buffer.concat([Buffer.from(`{"role":"${role}"`), ...listMember("content", blocks), CLOSE]),
  );
}

/**
 * The messages behind which a cache mark stands: the last; the last of the request before (which ended where the newest
 * answer begins); and the last one before the edge of what is elided, whose prefix is still there when the talk branches
 * behind it. A provider looks for a kept prefix only some twenty blocks back: after a round of many calls it would not
 * find it without the second mark. With the one behind the prompt they are the four that a request may have.
 */
function cacheEnds({ messages, cache_edge = 0 }: ChatRequest): ReadonlySet<Spoken> {
  const newestAnswer = messages.findLastIndex(isAssistant);
  const ends = [messages.length, newestAnswer, cache_edge].map((end) => lastHeardBefore(messages, end));
  return new Set(ends.filter((message) => message !== undefined));
}

/** An answer takes no mark: its blocks may be signed. */
const lastHeardBefore = (messages: readonly Message[], end: number): Spoken | undefined =>
  messages.findLast((message, at): message is Spoken => at < end && isSpoken(message) && !isAssistant(message));

/**
 * Whether thought may be asked for: not in the middle of a chain of calls that began without one, which is refused. Such
 * a chain comes from another model, or from before the effort was set.
 */
function mayThink(spoken: readonly Spoken[], owner: Owner): boolean {
  const lastUser = spoken.findLastIndex((message) => message.role === "user");
  const first = spoken.slice(lastUser + 1).find(isAssistant);
  return first === undefined || keptBy(owner, first).some(({ text_at, calls_at }) => text_at === 0 && calls_at === 0);
}
