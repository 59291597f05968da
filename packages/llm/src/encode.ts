import type { Message, ToolCall, UserMessage } from "@smith/contract/message";
import type { ChatRequest } from "@smith/contract/model";
import type { ToolSpec } from "@smith/contract/tool";
import type { Encoder } from "./adapter.ts";
import { isBlank } from "./json.ts";
import { dataUrl, type Pictures, type Shown, shownOf } from "./pictures.ts";
import { isReasoningModel } from "./reasoning.ts";
import { isObject, parseJson } from "./wire.ts";

/** Encodes chat completions. Of each message and tool it keeps the bytes, so that a round encodes only what is new. */
export function createEncoder(): Encoder {
  // Messages and specs never change once made, so the object is the key.
  const messages = new WeakMap<Message, Buffer>();
  const tools = new WeakMap<ToolSpec, Buffer>();
  return Object.freeze<Encoder>({
    keeps: (message) => messages.has(message),
    encode(request, { stream, pictures }) {
      const pieces: Buffer[] = [Buffer.from(`{"model":${JSON.stringify(request.model)},"messages":[`)];
      pushAll(pieces, withOneSystem(request.messages), (message) =>
        kept(messages, message, (each) => messageOf(each, pictures)),
      );
      if (request.tools.length > 0) {
        pieces.push(Buffer.from('],"tools":['));
        pushAll(pieces, request.tools, (tool) => kept(tools, tool, toolOf));
      }
      pieces.push(Buffer.from(`]${settingsOf(request, stream)}}`));
      return Buffer.concat(pieces);
    },
  });
}

/** Endpoints take a system message only first, and many take one: what a hook adds for one request goes to its end. */
function withOneSystem(messages: readonly Message[]): readonly Message[] {
  if (messages[1]?.role !== "system") return messages;
  const texts = messages.flatMap(({ role, content }) => (role === "system" && !isBlank(content) ? [content] : []));
  return [{ role: "system", content: texts.join("\n\n") }, ...messages.filter(({ role }) => role !== "system")];
}

const COMMA = Buffer.from(",");

function pushAll<T>(pieces: Buffer[], items: readonly T[], bytesOf: (item: T) => Buffer): void {
  let first = true;
  for (const item of items) {
    const bytes = bytesOf(item);
    if (bytes.length === 0) continue; // a message that must not be sent
    if (!first) pieces.push(COMMA);
    first = false;
    pieces.push(bytes);
  }
}

function kept<T extends object>(cache: WeakMap<T, Buffer>, item: T, wireOf: (item: T) => unknown): Buffer {
  const known = cache.get(item);
  if (known !== undefined) return known;
  const wire = wireOf(item);
  const bytes = Buffer.from(wire === null ? "" : JSON.stringify(wire));
  cache.set(item, bytes);
  return bytes;
}

function settingsOf({ model, temperature, max_tokens, effort }: ChatRequest, stream: boolean): string {
  const thinks = isReasoningModel(model);
  const settings = {
    stream: stream ? true : undefined,
    stream_options: stream ? { include_usage: true } : undefined,
    temperature: thinks ? undefined : temperature,
    [thinks ? "max_completion_tokens" : "max_tokens"]: max_tokens,
    reasoning_effort: effort,
  };
  const text = JSON.stringify(settings); // leaves out what is undefined
  return text === "{}" ? "" : `,${text.slice(1, -1)}`;
}

const toolOf = ({ name, description, parameters }: ToolSpec): unknown => ({
  type: "function",
  function: { name, description: wellFormed(description), parameters },
});

/** A message as endpoints want it, or null when it must not be sent. Endpoints refuse blank text for ever after. */
function messageOf(message: Message, pictures: Pictures): unknown {
  switch (message.role) {
    case "system":
      return isBlank(message.content) ? null : { role: "system", content: wellFormed(message.content) };
    case "user":
      return { role: "user", content: userContent(message, pictures) };
    case "tool":
      return {
        role: "tool",
        tool_call_id: wellFormed(message.tool_call_id),
        content: orElse(message.content, "(no output)"),
      };
    case "assistant": {
      const calls = message.tool_calls ?? [];
      const blank = isBlank(message.content);
      if (calls.length === 0) return blank ? null : { role: "assistant", content: wellFormed(message.content) };
      return { role: "assistant", content: blank ? null : wellFormed(message.content), tool_calls: calls.map(callOf) };
    }
    default:
      return message satisfies never;
  }
}

/** Names and arguments that the model made up must not make the request itself refusable: their result tells what was wrong. */
const callOf = ({ id, name, arguments: args }: ToolCall): unknown => ({
  id: wellFormed(id),
  type: "function",
  function: {
    name: name.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, 64),
    arguments: isObject(parseJson(args)) ? wellFormed(args) : "{}",
  },
});

function userContent(message: UserMessage, pictures: Pictures): unknown {
  const shown = shownOf(message, pictures);
  return typeof shown === "string" ? orElse(shown, "(no text)") : shown.map(partOf);
}

const partOf = (part: Shown): unknown =>
  part.type === "text"
    ? { type: "text", text: wellFormed(part.text) }
    : { type: "image_url", image_url: { url: dataUrl(part) } };

/** Half a surrogate pair has no UTF-8 form, and endpoints refuse its escape. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

const orElse = (text: string, placeholder: string): string => (isBlank(text) ? placeholder : wellFormed(text));
