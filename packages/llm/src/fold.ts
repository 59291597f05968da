import type { ToolCall } from "@smith/contract/message";
import type { FinishReason } from "@smith/contract/model";
import type { FoldInput } from "./adapter.ts";
import type { Fold } from "./answer.ts";
import { type Calls, createCalls } from "./calls.ts";
import { createText, type TextFold } from "./text.ts";
import { countsIn, usageOf, writtenOf } from "./usage.ts";
import { isObject, type WireObject } from "./wire.ts";

/** What stands in for a reply in which nothing could be used. */
export const UNREADABLE = "(The model's tool call could not be read.)";

/** Folds chat completions. */
export function createFold(input: FoldInput): Fold {
  const calls = createCalls(input.tool_names);
  const text = createText(input.onDelta);
  let choiceIndex: unknown;
  let usage: unknown;
  let model = "";
  let finish = "";

  const note = (chunk: WireObject) => {
    if (typeof chunk["model"] === "string" && chunk["model"] !== "") model = chunk["model"];
    if (countsIn(chunk["usage"])) usage = chunk["usage"];
  };
  const end = (choice: WireObject) => {
    const reason = choice["finish_reason"];
    if (typeof reason === "string" && reason !== "") finish = reason;
    if (countsIn(choice["usage"])) usage = choice["usage"];
  };
  const addChoice = (choice: WireObject) => {
    // Of several answers only the first is followed.
    const index = choice["index"] ?? 0;
    choiceIndex ??= index;
    if (index !== choiceIndex) return;
    const { delta, message } = choice;
    if (isObject(delta)) addDelta(delta, text, calls);
    else if (isObject(message) && !text.begun && calls.count === 0) addMessage(message, text, calls);
    end(choice);
  };
  return {
    add(chunk) {
      note(chunk);
      const choices = chunk["choices"];
      if (!Array.isArray(choices)) return "data";
      for (const choice of choices as readonly unknown[]) if (isObject(choice)) addChoice(choice);
      return "data";
    },
    addDocument(document) {
      const choices = document["choices"];
      const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
      const message = isObject(choice) ? (choice["message"] ?? choice["delta"]) : undefined;
      if (!isObject(choice) || !isObject(message)) return false;
      note(document);
      addMessage(message, text, calls);
      end(choice);
      return true;
    },
    get finish() {
      return finish;
    },
    reply() {
      const tool_calls = calls.count === 0 ? [] : calls.finish(input.takenIds());
      const said = text.content();
      return Object.freeze({
        content: said === "" && tool_calls.length === 0 && calls.warnings.length > 0 ? UNREADABLE : said,
        reasoning: text.reasoning(),
        tool_calls,
        finish_reason: text.refused ? "refusal" : finishReason(finish, tool_calls),
        usage: usageOf(usage),
        ...writtenOf(usage),
        model: model === "" ? input.model : model,
        warnings: [...calls.warnings],
      });
    },
  };
}

function addDelta(delta: WireObject, text: TextFold, calls: Calls): void {
  text.add(delta);
  const toolCalls = delta["tool_calls"];
  if (Array.isArray(toolCalls)) for (const each of toolCalls as readonly unknown[]) calls.add(each);
  else if (isObject(toolCalls)) calls.add(toolCalls);
  if (isObject(delta["function_call"])) calls.addLegacy(delta["function_call"]);
}

function addMessage(message: WireObject, text: TextFold, calls: Calls): void {
  text.add(message);
  const toolCalls = message["tool_calls"];
  if (Array.isArray(toolCalls)) for (const each of toolCalls as readonly unknown[]) calls.addWhole(each);
  if (isObject(message["function_call"])) calls.addLegacy(message["function_call"]);
}

/** Calls win over `stop` (some local servers never say `tool_calls`), but not over an answer that was cut short. */
export function finishReason(said: string, calls: readonly ToolCall[]): FinishReason {
  switch (said) {
    case "length":
    case "max_tokens":
    case "model_length":
      return "length";
    case "content_filter":
      return "content_filter";
    case "refusal":
      return "refusal";
    default:
      return calls.length > 0 ? "tool_calls" : "stop";
  }
}
