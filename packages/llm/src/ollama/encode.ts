import type { AssistantMessage, Message, SystemMessage, ToolCall, UserMessage } from "@smith/contract/message";
import type { ChatRequest } from "@smith/contract/model";
import type { ToolSpec } from "@smith/contract/tool";
import type { Encoder } from "../adapter.ts";
import { fitName } from "../ids.ts";
import { isBlank, isTooDeep, jsonText, objectText, orElse } from "../json.ts";
import { createKept, isSpoken, listMember, type Spoken } from "../kept.ts";
import { type Pictures, shownOf } from "../pictures.ts";

/** What an Ollama endpoint is told with each request beside the conversation. */
export interface OllamaSettings {
  /** Tokens of context to load a model with; null: as the server likes. Ollama lowers what a model was not made for. */
  contextOf?: ((model: string) => number | null) | undefined;
  /** Whether a model can think; null: nobody knows. */
  thinks?: ((model: string) => boolean | null) | undefined;
  /** Thinking on or off, whatever the effort. */
  readonly think?: boolean | undefined;
  /** How long a model stays loaded: a duration such as `10m`, or seconds; below 0 for ever. */
  readonly keep_alive?: string | number | undefined;
}

/** Encodes Ollama's chat. Of each message and tool the bytes are kept, so that a round encodes only what is new. */
export function createEncoder(settings: OllamaSettings): Encoder {
  const kept = createKept<Buffer | null>((message, _owner, pictures) => spokenBytes(message, pictures), toolOf);
  return Object.freeze<Encoder>({
    keeps: (message, model) => kept.keeps(message, model),
    encode(request, { stream, pictures }) {
      const owner = { kind: "ollama", provider: "", model: request.model } as const;
      const system = request.messages.filter(isSystem).filter(({ content }) => !isBlank(content));
      const spoken = request.messages.filter(isSpoken).map((message) => kept.messageFor(message, owner, pictures));
      const head = { model: request.model, stream, ...requestSettings(request, settings) };
      const pieces: Buffer[] = [Buffer.from(jsonText(head).slice(0, -1))];
      if (request.tools.length > 0) pieces.push(...listMember("tools", request.tools.map(kept.toolFor)));
      pieces.push(...listMember("messages", [...system.map(systemBytes), ...spoken.filter((bytes) => bytes !== null)]));
      return Buffer.concat([...pieces, Buffer.from("}")]);
    },
  });
}

const isSystem = (message: Message): message is SystemMessage => message.role === "system";

/** `truncate`: a conversation that does not fit is refused, not cut behind our back; older servers don't know it. */
function requestSettings(request: ChatRequest, settings: OllamaSettings): Readonly<Record<string, unknown>> {
  const { model, max_tokens, temperature } = request;
  const options = {
    num_ctx: settings.contextOf?.(model) ?? undefined,
    num_predict: max_tokens,
    temperature,
  };
  return {
    think: thinkOf(request, settings),
    keep_alive: settings.keep_alive,
    truncate: false,
    options: JSON.stringify(options) === "{}" ? undefined : options,
  };
}

/** Families that think; asking another one to is refused by the server. */
const THINKERS = /(?:^|[/\-_])(?:gpt-oss|qwen3(?!-coder|.*instruct)|deepseek-(?:r1|v3\.1)|magistral|qwq|glm-4\.[5-9])/i;

function thinkOf({ model, effort }: ChatRequest, { think, thinks }: OllamaSettings): boolean | string | undefined {
  if (think !== undefined) return think && effort !== undefined && isGraded(model) ? effort : think;
  if (effort === undefined || !(thinks?.(model) ?? THINKERS.test(model))) return undefined;
  return isGraded(model) ? effort : true;
}

/** It takes a level where others take yes or no. */
const isGraded = (model: string): boolean => /gpt-oss/i.test(model);

const systemBytes = ({ content }: SystemMessage): Buffer => Buffer.from(jsonText({ role: "system", content }));

const toolOf = ({ name, description, parameters }: ToolSpec): unknown => ({
  type: "function",
  function: { name, description, parameters },
});

/** A message as Ollama wants it; null when it must not be sent. */
function spokenBytes(message: Spoken, pictures: Pictures): Buffer | null {
  switch (message.role) {
    case "user":
      return Buffer.from(jsonText(userOf(message, pictures)));
    case "tool": {
      const { name, content } = message;
      return Buffer.from(jsonText({ role: "tool", tool_name: fitName(name), content: orElse(content, "(no output)") }));
    }
    case "assistant":
      return assistantBytes(message);
    default:
      return message satisfies never;
  }
}

/** Pictures stand beside the text, not in it. */
function userOf(message: UserMessage, pictures: Pictures): unknown {
  const shown = shownOf(message, pictures);
  if (typeof shown === "string") return { role: "user", content: orElse(shown, "(no text)") };
  const text = shown.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const images = shown.flatMap((part) => (part.type === "image" ? [part.base64] : []));
  return { role: "user", content: text, images };
}

function assistantBytes({ content, reasoning = "", tool_calls: calls = [] }: AssistantMessage): Buffer | null {
  const text = isBlank(content) ? "" : content;
  if (calls.length === 0) return text === "" ? null : Buffer.from(jsonText({ role: "assistant", content: text }));
  // A chain of calls goes on better with the thought that began it.
  const thought = isBlank(reasoning) ? {} : { thinking: reasoning };
  const head = jsonText({ role: "assistant", content: text, ...thought });
  return Buffer.concat([Buffer.from(head.slice(0, -1)), ...listMember("tool_calls", calls.map(callBytes)), CLOSE]);
}

const CLOSE = Buffer.from("}");

/** Arguments are an object here, not a text with one. */
function callBytes({ name, arguments: args }: ToolCall): Buffer {
  const head = jsonText({ name: fitName(name) }).slice(0, -1);
  return Buffer.from(`{"function":${head},"arguments":${isTooDeep(args) ? "{}" : objectText(args)}}}`);
}
