import type { ChatReply } from "@smith/contract/model";
import type { FoldInput } from "../adapter.ts";
import type { Fold } from "../answer.ts";
import { type Calls, createCalls } from "../calls.ts";
import { type Kept, keepFor } from "../echo.ts";
import { finishReason, UNREADABLE } from "../fold.ts";
import { createText, type TextFold } from "../text.ts";
import { responsesUsage, writtenOf } from "../usage.ts";
import { isObject, textOf, type WireObject } from "../wire.ts";

interface Parts {
  readonly text: TextFold;
  readonly calls: Calls;
  readonly kept: Kept[];
  /** Items of which a piece has come, by their place. */
  readonly begun: Map<unknown, Begun>;
}

/** What has come of one item in pieces. */
interface Begun {
  said: boolean;
  thought: boolean;
  arguments: boolean;
  /** Part of the summary that the last piece belonged to. */
  part: unknown;
}

/** Folds Responses: items that are added, grow and are done, then the response as a whole. */
export function createFold(input: FoldInput): Fold {
  const parts: Parts = {
    text: createText(input.onDelta),
    calls: createCalls(input.tool_names),
    kept: [],
    begun: new Map(),
  };
  const about: { model: string; finish: string; usage: unknown } = { model: "", finish: "", usage: undefined };
  const note = (response: WireObject) => {
    about.model = textOf(response["model"]) || about.model;
    about.usage = response["usage"] ?? about.usage;
    about.finish = finishIn(response) || about.finish;
  };
  const addOutput = (output: unknown) => {
    if (!Array.isArray(output) || parts.begun.size > 0) return;
    for (const [index, item] of (output as readonly unknown[]).entries())
      if (isObject(item)) finishItem(index, item, parts);
  };
  const conclude = ({ response }: WireObject): "done" => {
    if (isObject(response)) {
      note(response);
      addOutput(response["output"]); // of a server that tells only the whole
    }
    return "done";
  };
  return {
    add(event) {
      const type = textOf(event["type"]);
      if (/^response\.(?:completed|incomplete|failed|cancelled|done)$/.test(type)) return conclude(event);
      if (type === "response.created" && isObject(event["response"])) note(event["response"]);
      else if (Object.hasOwn(GROWTH, type)) GROWTH[type]?.(event, parts);
      return type === "keepalive" || type === "response.in_progress" ? "comment" : "data";
    },
    addDocument(document) {
      if (!Array.isArray(document["output"])) return false;
      note(document);
      addOutput(document["output"]);
      return true;
    },
    get finish() {
      return about.finish;
    },
    reply: () => replyOf(input, parts, about),
  };
}

/** Why a response ended; `""` while it goes on. */
function finishIn({ status, incomplete_details: details }: WireObject): string {
  if (status !== "incomplete")
    return status === "completed" || status === "failed" || status === "cancelled" ? status : "";
  const reason = isObject(details) ? textOf(details["reason"]) : "";
  return reason === "content_filter" ? reason : "length";
}

function begunAt(index: unknown, { begun }: Parts): Begun {
  const had = begun.get(index);
  if (had !== undefined) return had;
  const fresh = { said: false, thought: false, arguments: false, part: undefined };
  begun.set(index, fresh);
  return fresh;
}

const GROWTH: Readonly<Record<string, (event: WireObject, parts: Parts) => void>> = {
  "response.output_item.added": ({ output_index: index, item }, parts) => {
    begunAt(index, parts);
    if (!isObject(item) || item["type"] !== "function_call") return;
    parts.calls.add({ index, id: item["call_id"], function: { name: item["name"] } });
  },
  "response.output_text.delta": ({ output_index: index, delta }, parts) => say(index, textOf(delta), parts),
  "response.refusal.delta": ({ output_index: index, delta }, parts) => {
    begunAt(index, parts).said = true;
    parts.text.add({ refusal: textOf(delta) });
  },
  "response.reasoning_summary_text.delta": (event, parts) => think(event, event["summary_index"], parts),
  "response.reasoning_text.delta": (event, parts) => think(event, event["content_index"], parts),
  "response.function_call_arguments.delta": ({ output_index: index, delta }, parts) => {
    if (textOf(delta) === "") return;
    begunAt(index, parts).arguments = true;
    parts.calls.add({ index, function: { arguments: delta } });
  },
  "response.function_call_arguments.done": ({ output_index: index, arguments: args }, parts) => {
    const item = begunAt(index, parts);
    if (item.arguments || textOf(args) === "") return;
    item.arguments = true;
    parts.calls.add({ index, function: { arguments: args } });
  },
  "response.output_item.done": ({ output_index: index, item }, parts) => {
    if (isObject(item)) finishItem(index, item, parts);
  },
};

/** Two messages in one answer (what the model does, then what it found) are two paragraphs. */
function say(index: unknown, words: string, parts: Parts): void {
  const item = begunAt(index, parts);
  if (words === "") return;
  const gap = !item.said && parts.text.content() !== "" ? "\n\n" : "";
  item.said = true;
  parts.text.add({ content: gap + words });
}

function think({ output_index: index, delta }: WireObject, part: unknown, parts: Parts): void {
  const item = begunAt(index, parts);
  const gap = item.thought && part !== item.part ? "\n\n" : "";
  item.part = part;
  item.thought = true;
  parts.text.add({ reasoning: gap + textOf(delta) });
}

/** Takes an item as a whole: what had not come in pieces, and what only the whole tells. */
function finishItem(index: unknown, item: WireObject, parts: Parts): void {
  const begun = begunAt(index, parts);
  const { calls } = parts;
  switch (item["type"]) {
    case "message":
      if (!begun.said) finishMessage(index, item["content"], parts);
      break;
    case "function_call":
      calls.add({
        index,
        id: item["call_id"],
        function: { name: item["name"], ...(begun.arguments ? {} : { arguments: item["arguments"] }) },
      });
      break;
    case "reasoning":
      finishThought(begun, item, parts);
      break;
  }
}

function finishMessage(index: unknown, content: unknown, parts: Parts): void {
  for (const part of Array.isArray(content) ? (content as readonly unknown[]) : [content]) {
    if (isObject(part) && part["type"] === "refusal") parts.text.add({ refusal: part["refusal"] });
    else say(index, textOf(isObject(part) ? part["text"] : part), parts);
  }
}

function finishThought(begun: Begun, item: WireObject, { text, calls, kept }: Parts): void {
  const { id, encrypted_content, summary } = item;
  if (!begun.thought) text.add({ reasoning: thoughtIn(summary) || thoughtIn(item["content"]) });
  // Nothing is stored on the server: only what comes encrypted can be sent back.
  if (typeof encrypted_content !== "string" || encrypted_content === "") return;
  const thought = { type: "reasoning", id, summary: Array.isArray(summary) ? summary : [], encrypted_content };
  kept.push({ text_at: text.content().length, calls_at: calls.count, item: thought });
}

const thoughtIn = (parts: unknown): string =>
  Array.isArray(parts) ? parts.map((part: unknown) => (isObject(part) ? textOf(part["text"]) : "")).join("\n\n") : "";

function replyOf(
  input: FoldInput,
  { text, calls, kept }: Parts,
  about: { readonly model: string; readonly finish: string; readonly usage: unknown },
): ChatReply {
  const tool_calls = calls.count === 0 ? [] : calls.finish(input.takenIds());
  const said = text.content();
  const owner = { kind: "openai_responses", provider: input.provider, model: input.model } as const;
  const provider_data = keepFor(owner, kept);
  return Object.freeze({
    content: said === "" && tool_calls.length === 0 && calls.warnings.length > 0 ? UNREADABLE : said,
    reasoning: text.reasoning(),
    tool_calls,
    finish_reason: text.refused ? "refusal" : finishReason(about.finish, tool_calls),
    usage: responsesUsage(about.usage),
    ...writtenOf(about.usage),
    model: about.model || input.model,
    warnings: [...calls.warnings],
    ...(provider_data === undefined ? {} : { provider_data }),
  });
}
