import type { ToolCall } from "@smith/contract/message";
import type { ChatDelta, ChatReply, FinishReason } from "@smith/contract/model";
import { type Calls, createCalls } from "./calls.ts";
import { createText, type TextFold } from "./text.ts";
import { countsIn, usageOf } from "./usage.ts";
import { isObject, type WireObject } from "./wire.ts";

export interface FoldInput {
  /** Told when the endpoint does not name its own. */
  readonly model: string;
  /** Names of the tools that were offered. */
  readonly tool_names: ReadonlySet<string>;
  /** Ids that calls of this request's transcript have; asked for only when the reply holds calls. */
  takenIds(): ReadonlySet<string>;
  /** null: nobody listens to pieces. */
  readonly onDelta: ((delta: ChatDelta) => void) | null;
}

/** Folds the chunks of one answer, or its one document, into a reply. */
export interface Fold {
  add(chunk: WireObject): void;
  /** Takes a whole completion; false when it is none. */
  addDocument(document: WireObject): boolean;
  /** What the endpoint said why it ended; `""` until then. */
  readonly finish: string;
  reply(): ChatReply;
}

/** What stands in for a reply in which nothing could be used. */
const UNREADABLE = "(The model's tool call could not be read.)";

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
      if (!Array.isArray(choices)) return;
      for (const choice of choices as readonly unknown[]) if (isObject(choice)) addChoice(choice);
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
function finishReason(said: string, calls: readonly ToolCall[]): FinishReason {
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
