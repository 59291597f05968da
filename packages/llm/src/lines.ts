import type { ChatReply } from "@smith/contract/model";
import { complete, endingError, type Fold, hasError, MAX_EVENT, strangeDocument } from "./answer.ts";
import { createBalance } from "./balance.ts";
import { complaintOf } from "./complaint.ts";
import { badAnswer, complaintError, type FarEnd, tooLarge } from "./errors.ts";
import type { Reader, Taken } from "./http.ts";
import { isObject, parseJson } from "./wire.ts";

/**
 * Reads an answer that is one JSON object a line, or a single one: what is streamed and what is whole look the same here.
 * An object may run over several lines, and the last needs no line end.
 */
export function createLineReader(far: FarEnd, fold: Fold, status: number): Reader<ChatReply> {
  const decoder = new TextDecoder(); // drops a BOM, joins characters split over chunks
  const state = { rest: "", done: false, lines: 0 };
  const takeObject = (value: unknown, text: string) => {
    if (!isObject(value)) throw badAnswer(far, ...strangeDocument(text, value, status));
    if (hasError(value)) throw complaintError(far, complaintOf(value) ?? { words: text, code: "" });
    state.lines++;
    if (fold.add(value) === "done") state.done = true;
  };
  /** Takes a line, with what is left of those before; false when the object is not whole yet. */
  const takeLine = (line: string): boolean => {
    const text = (state.rest + line).trim();
    if (state.done || text === "") return true;
    const value = parseJson(text);
    if (value === undefined && text.startsWith("{") && !createBalance().isWhole([text])) return false;
    takeObject(value, text);
    return true;
  };
  const feed = (text: string) => {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) state.rest = takeLine(line) ? "" : `${state.rest}${line}\n`;
    state.rest += last;
    if (state.rest.length > MAX_EVENT) throw tooLarge(far, "a line", MAX_EVENT);
  };
  return {
    take(chunk): Taken {
      const before = state.lines;
      feed(decoder.decode(chunk, { stream: true }));
      if (state.done) return "done";
      if (fold.finish !== "") return "ending";
      return state.lines > before ? "data" : "part";
    },
    end(how, cause) {
      if (!state.done && takeLine("")) state.rest = "";
      if (state.done || fold.finish !== "") return complete(far, fold);
      if (how === "eof" && state.lines === 0 && state.rest.trim() === "") {
        throw badAnswer(far, "empty", { said: `answered ${status} with an empty body`, status });
      }
      throw endingError(far, how, cause);
    },
  };
}
