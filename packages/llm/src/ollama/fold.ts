import type { ChatReply } from "@smith/contract/model";
import type { FoldInput } from "../adapter.ts";
import type { Fold } from "../answer.ts";
import { createCalls } from "../calls.ts";
import { finishReason, UNREADABLE } from "../fold.ts";
import { createText } from "../text.ts";
import { ollamaUsage } from "../usage.ts";
import { isObject, textOf, type WireObject } from "../wire.ts";

/**
 * Folds Ollama's answers. Each object holds a piece of the message; a call is always whole, and any object may hold some.
 * The last one says `done`, why, and the counts.
 */
export function createFold(input: FoldInput): Fold {
  const calls = createCalls(input.tool_names);
  const text = createText(input.onDelta);
  const about = { model: "", finish: "" };
  let counts: WireObject = {};
  const addMessage = (message: WireObject) => {
    text.add({ content: message["content"], reasoning: message["thinking"] });
    const said = message["tool_calls"];
    for (const call of Array.isArray(said) ? (said as readonly unknown[]) : isObject(said) ? [said] : [])
      calls.addWhole(call);
  };
  const add = (object: WireObject): "data" | "done" => {
    const { message, done, done_reason } = object;
    if (isObject(message)) addMessage(message);
    about.model = textOf(object["model"]) || about.model;
    about.finish = textOf(done_reason) || about.finish;
    if (done !== true) return "data";
    counts = object;
    return "done";
  };
  return {
    add,
    addDocument: (document) => add(document) === "done",
    get finish() {
      return about.finish;
    },
    reply(): ChatReply {
      const taken = calls.count === 0 ? new Set<string>() : input.takenIds();
      const tool_calls = calls.count === 0 ? [] : calls.finish(taken, `ollama_${taken.size.toString(36)}_`);
      const said = text.content();
      return Object.freeze({
        content: said === "" && tool_calls.length === 0 && calls.warnings.length > 0 ? UNREADABLE : said,
        reasoning: text.reasoning(),
        tool_calls,
        finish_reason: finishReason(about.finish, tool_calls),
        usage: ollamaUsage(counts),
        model: about.model || input.model,
        warnings: [...calls.warnings],
      });
    },
  };
}
