import type { ToolCall } from "@smith/contract/message";
import type { ChatReply } from "@smith/contract/model";
import type { FoldInput } from "../adapter.ts";
import type { Fold } from "../answer.ts";
import { type Calls, createCalls } from "../calls.ts";
import { type Kept, keepFor } from "../echo.ts";
import { finishReason, UNREADABLE } from "../fold.ts";
import { createText, type TextFold } from "../text.ts";
import { anthropicUsage, writtenOf } from "../usage.ts";
import { isObject, textOf, type WireObject } from "../wire.ts";

/** A content block under way. */
interface Open {
  readonly index: unknown;
  readonly start: WireObject;
  thinking: string;
  signature: string;
  /** Whether the arguments of a call came in pieces. */
  pieces: boolean;
}

interface Parts {
  readonly text: TextFold;
  readonly calls: Calls;
  readonly kept: Kept[];
}

/** Folds Anthropic messages: blocks that open, grow and close, then the reason why it ended. */
export function createFold(input: FoldInput): Fold {
  const parts: Parts = { text: createText(input.onDelta), calls: createCalls(input.tool_names), kept: [] };
  const open = new Map<unknown, Open>();
  const counts: Record<string, unknown> = {};
  const about = { model: "", finish: "", refusal: "" };

  const note = (message: WireObject) => {
    about.model = textOf(message["model"]) || about.model;
    about.finish = textOf(message["stop_reason"]) || about.finish;
    about.refusal = refusalIn(message) || about.refusal;
    const { usage } = message;
    // Later counts replace earlier ones; what a later event leaves out stays.
    if (isObject(usage)) for (const [key, value] of Object.entries(usage)) counts[key] = value ?? counts[key];
  };
  const take: Readonly<Record<string, (event: WireObject) => void>> = {
    message_start: ({ message }) => isObject(message) && note(message),
    content_block_start: ({ index, content_block: start }) => {
      if (isObject(start)) open.set(index, begin(index, start, parts));
    },
    content_block_delta: ({ index, delta }) => {
      const block = open.get(index);
      if (block !== undefined && isObject(delta)) grow(block, delta, parts);
    },
    content_block_stop: ({ index }) => {
      const block = open.get(index);
      if (block !== undefined) end(block, parts);
      open.delete(index);
    },
    message_delta: ({ delta, usage }) => note({ ...(isObject(delta) ? delta : {}), usage }),
  };
  return {
    add(event) {
      const type = textOf(event["type"]);
      if (type === "message_stop") return "done";
      if (type === "ping") return "comment";
      if (Object.hasOwn(take, type)) take[type]?.(event);
      return "data";
    },
    addDocument(document) {
      const { content } = document;
      if (!Array.isArray(content)) return false;
      note(document);
      for (const [index, start] of (content as readonly unknown[]).entries()) {
        if (isObject(start)) end(begin(index, start, parts), parts);
      }
      return true;
    },
    get finish() {
      return about.finish;
    },
    reply() {
      for (const block of open.values()) end(block, parts); // a server that forgot to close its blocks
      open.clear();
      return replyOf(input, parts, { ...about, counts });
    },
  };
}

function begin(index: unknown, start: WireObject, { text, calls, kept }: Parts): Open {
  const block = {
    index,
    start,
    thinking: textOf(start["thinking"]),
    signature: textOf(start["signature"]),
    pieces: false,
  };
  switch (start["type"]) {
    case "text":
      text.add({ content: textOf(start["text"]) });
      break;
    case "thinking":
      text.add({ reasoning: block.thinking });
      break;
    case "redacted_thinking":
      kept.push(placed({ type: "redacted_thinking", data: textOf(start["data"]) }, text, calls));
      break;
    case "tool_use":
      calls.add({ index, id: start["id"], function: { name: start["name"] } });
      break;
  }
  return block;
}

function grow(block: Open, delta: WireObject, { text, calls }: Parts): void {
  switch (delta["type"]) {
    case "text_delta":
      text.add({ content: textOf(delta["text"]) });
      break;
    case "thinking_delta":
      block.thinking += textOf(delta["thinking"]);
      text.add({ reasoning: textOf(delta["thinking"]) });
      break;
    case "signature_delta":
      block.signature += textOf(delta["signature"]);
      break;
    case "input_json_delta":
      addArguments(block, textOf(delta["partial_json"]), calls);
      break;
  }
}

function addArguments(block: Open, piece: string, calls: Calls): void {
  if (block.start["type"] !== "tool_use" || piece === "") return; // else a tool that the provider runs by itself
  block.pieces = true;
  calls.add({ index: block.index, function: { arguments: piece } });
}

function end({ index, start, thinking, signature, pieces }: Open, { text, calls, kept }: Parts): void {
  const { type, input } = start;
  // A thought without its signature would be refused when it is sent back.
  if (type === "thinking" && signature !== "") kept.push(placed({ type, thinking, signature }, text, calls));
  if (type === "tool_use" && !pieces && isObject(input)) calls.add({ index, function: { arguments: input } });
}

const placed = (item: WireObject, text: TextFold, calls: Calls): Kept => ({
  text_at: text.content().length,
  calls_at: calls.count,
  item,
});

/** The provider's words on why it refused. */
function refusalIn(message: WireObject): string {
  const { stop_details: details } = message;
  return isObject(details) && details["type"] === "refusal" ? textOf(details["explanation"]) : "";
}

interface About {
  readonly model: string;
  readonly finish: string;
  readonly refusal: string;
  readonly counts: WireObject;
}

function replyOf(input: FoldInput, { text, calls, kept }: Parts, about: About): ChatReply {
  const tool_calls = calls.count === 0 ? [] : calls.finish(input.takenIds());
  const finish_reason = finishOf(about.finish, tool_calls);
  const refusal =
    finish_reason === "refusal"
      ? `The model refused to answer${about.refusal === "" ? "." : `: ${about.refusal}`}`
      : "";
  const said = text.content();
  const isMute = said === "" && tool_calls.length === 0;
  const standIn = refusal || (calls.warnings.length > 0 ? UNREADABLE : "");
  const owner = { kind: "anthropic", provider: input.provider, model: input.model } as const;
  const provider_data = keepFor(owner, kept);
  return Object.freeze({
    content: isMute ? standIn : said,
    reasoning: text.reasoning(),
    tool_calls,
    finish_reason,
    usage: anthropicUsage(about.counts),
    ...writtenOf(about.counts),
    model: about.model || input.model,
    warnings: [...calls.warnings, ...(isMute || refusal === "" ? [] : [refusal])],
    ...(provider_data === undefined ? {} : { provider_data }),
  });
}

/** `end_turn`, `stop_sequence` and `pause_turn` are ends like any other. */
function finishOf(said: string, calls: readonly ToolCall[]): ChatReply["finish_reason"] {
  return said === "model_context_window_exceeded" ? "length" : finishReason(said, calls);
}
