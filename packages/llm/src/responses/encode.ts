import type { AssistantMessage, ToolCall, UserMessage } from "@smith/contract/message";
import type { ChatRequest } from "@smith/contract/model";
import type { ToolSpec } from "@smith/contract/tool";
import type { Encoder } from "../adapter.ts";
import { keptBy, type Owner, type Piece, piecesOf } from "../echo.ts";
import { fitId, fitName } from "../ids.ts";
import { isBlank, jsonText, objectText, orElse } from "../json.ts";
import { createKept, isSpoken, listMember, type Spoken } from "../kept.ts";
import { dataUrl, type Pictures, type Shown, shownOf } from "../pictures.ts";
import { isReasoningModel } from "../reasoning.ts";

const MAX_ID = 64;

/**
 * Encodes Responses without state on the server: the whole conversation as items, with the model's own thoughts
 * (encrypted) where they stood. Of each message and tool the bytes are kept, so that a round encodes only what is new.
 */
export function createEncoder(provider: string): Encoder {
  const kept = createKept(
    (message, owner, pictures) => itemsOf(message, owner, pictures).map((item) => Buffer.from(jsonText(item))),
    toolOf,
  );
  return Object.freeze<Encoder>({
    keeps: kept.keeps,
    encode(request, { stream, pictures }) {
      const owner: Owner = { kind: "openai_responses", provider, model: request.model };
      const items = request.messages.filter(isSpoken).flatMap((message) => kept.messageFor(message, owner, pictures));
      const pieces: Buffer[] = [Buffer.from(`{${jsonText(settingsOf(request, stream)).slice(1, -1)}`)];
      if (request.tools.length > 0) pieces.push(...listMember("tools", request.tools.map(kept.toolFor)));
      pieces.push(...listMember("input", items), Buffer.from("}"));
      return Buffer.concat(pieces);
    },
  });
}

/** Fewer tokens than this are refused. */
const LEAST_TOKENS = 16;

function settingsOf(request: ChatRequest, stream: boolean): Readonly<Record<string, unknown>> {
  const { model, temperature, max_tokens, effort } = request;
  const system = request.messages.flatMap(({ role, content }) =>
    role === "system" && !isBlank(content) ? [content] : [],
  );
  const thinks = effort !== undefined || isReasoningModel(model);
  return {
    model,
    store: false,
    stream: stream ? true : undefined,
    instructions: system.length > 0 ? system.join("\n\n") : undefined,
    max_output_tokens: max_tokens === undefined ? undefined : Math.max(max_tokens, LEAST_TOKENS),
    temperature: thinks ? undefined : temperature,
    include: OLD_MODEL.test(model) ? undefined : ["reasoning.encrypted_content"],
    reasoning: effort === undefined ? undefined : { effort },
  };
}

/** They don't think, and refuse to be asked for their thoughts. */
const OLD_MODEL = /(?:^|\/)(?:chat)?gpt-[34]/i;

/** `strict` would demand schemas without any optional field. */
const toolOf = ({ name, description, parameters }: ToolSpec): unknown => ({
  type: "function",
  name,
  description,
  parameters,
  strict: false,
});

/** The items of one message; none when it must not be sent. */
function itemsOf(message: Spoken, owner: Owner, pictures: Pictures): readonly unknown[] {
  switch (message.role) {
    case "user":
      return [itemOf("user", userContent(message, pictures))];
    case "tool": {
      const call_id = fitId(message.tool_call_id, MAX_ID);
      return [{ type: "function_call_output", call_id, output: orElse(message.content, "(no output)") }];
    }
    case "assistant":
      return assistantItems(message, owner);
    default:
      return message satisfies never;
  }
}

const itemOf = (role: "user" | "assistant", content: unknown): unknown => ({ type: "message", role, content });

function userContent(message: UserMessage, pictures: Pictures): unknown {
  const shown = shownOf(message, pictures);
  return typeof shown === "string" ? orElse(shown, "(no text)") : shown.map(partOf);
}

const partOf = (part: Shown): unknown =>
  part.type === "text"
    ? { type: "input_text", text: part.text }
    : { type: "input_image", image_url: dataUrl(part), detail: "auto" };

function assistantItems(message: AssistantMessage, owner: Owner): readonly unknown[] {
  const pieces = piecesOf(message.content, message.tool_calls ?? [], keptBy(owner, message));
  const items = pieces.flatMap(itemsOfPiece);
  // A thought must be followed by what was thought of: behind the last of those it is left out.
  const lastSaid = items.findLastIndex(({ isThought }) => !isThought);
  return items.slice(0, lastSaid + 1).map(({ item }) => item);
}

function itemsOfPiece(piece: Piece<ToolCall>): readonly { readonly item: unknown; readonly isThought: boolean }[] {
  if ("item" in piece) return [{ item: piece.item, isThought: true }];
  if ("call" in piece) return [{ item: callOf(piece.call), isThought: false }];
  return isBlank(piece.text) ? [] : [{ item: itemOf("assistant", piece.text), isThought: false }];
}

const callOf = ({ id, name, arguments: args }: ToolCall): unknown => ({
  type: "function_call",
  call_id: fitId(id, MAX_ID),
  name: fitName(name),
  arguments: objectText(args),
});
