import type { AssistantMessage, Message, ToolCall, ToolMessage, UserMessage } from "@smith/contract/message";
import { keptBy, type Owner, type Piece, piecesOf } from "../echo.ts";
import { fitId, fitName } from "../ids.ts";
import { isBlank, isTooDeep, jsonText, objectText, orElse } from "../json.ts";
import { type Pictures, type Shown, shownOf } from "../pictures.ts";

/** A message as content blocks, each in bytes. Only the first may be a thought. */
export type Blocks = readonly Buffer[];

const MAX_ID = 64;

/** The blocks of one message; none when it must not be sent. */
export function blocksOf(message: Exclude<Message, { role: "system" }>, owner: Owner, pictures: Pictures): Blocks {
  switch (message.role) {
    case "user":
      return userBlocks(message, pictures);
    case "tool":
      return [resultBlock(message)];
    case "assistant":
      return assistantBlocks(message, owner);
    default:
      return message satisfies never;
  }
}

const textBlock = (text: string): Buffer => Buffer.from(jsonText({ type: "text", text }));

function userBlocks(message: UserMessage, pictures: Pictures): Blocks {
  const shown = shownOf(message, pictures);
  return typeof shown === "string" ? [textBlock(orElse(shown, "(no text)"))] : shown.map(shownBlock);
}

function shownBlock(part: Shown): Buffer {
  if (part.type === "text") return textBlock(part.text);
  const { media_type, base64: data } = part;
  return Buffer.from(jsonText({ type: "image", source: { type: "base64", media_type, data } }));
}

const resultBlock = ({ tool_call_id, content, ok, is_error }: ToolMessage): Buffer =>
  Buffer.from(
    jsonText({
      type: "tool_result",
      tool_use_id: fitId(tool_call_id, MAX_ID),
      content: orElse(content, "(no output)"),
      ...(is_error === true || !ok ? { is_error: true } : {}),
    }),
  );

function assistantBlocks(message: AssistantMessage, owner: Owner): Blocks {
  const pieces = piecesOf(message.content, message.tool_calls ?? [], keptBy(owner, message));
  const blocks = pieces.flatMap(blockOf);
  // A thought alone is refused; so is a message without any block.
  return pieces.some((piece) => !("item" in piece)) ? blocks : [];
}

function blockOf(piece: Piece<ToolCall>): Blocks {
  if ("item" in piece) return [Buffer.from(jsonText(piece.item))];
  if ("call" in piece) return [callBlock(piece.call)];
  return isBlank(piece.text) ? [] : [textBlock(piece.text.trimEnd())];
}

const callBlock = ({ id, name, arguments: args }: ToolCall): Buffer => {
  const head = jsonText({ type: "tool_use", id: fitId(id, MAX_ID), name: fitName(name) });
  // Here arguments are a part of the request itself, elsewhere they are text in it.
  return Buffer.from(`${head.slice(0, -1)},"input":${isTooDeep(args) ? "{}" : objectText(args)}}`);
};

const MARK = Buffer.from(',"cache_control":{"type":"ephemeral"}}');

/** The block as the end of a prefix that is worth keeping. */
export const markedBlock = (block: Buffer): Buffer => Buffer.concat([block.subarray(0, -1), MARK]);
