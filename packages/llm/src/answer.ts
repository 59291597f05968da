import type { AgentError } from "@smith/contract/error";
import type { ChatReply } from "@smith/contract/model";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { createBalance } from "./balance.ts";
import { type Complaint, complaintOf } from "./complaint.ts";
import { badAnswer, complaintError, cutError, type FarEnd, tooLarge } from "./errors.ts";
import type { Ending, Reader, Taken } from "./http.ts";
import { isObject, parseJson, textOf, type WireObject } from "./wire.ts";

/** Folds the events of one answer, or its one document, into a reply. */
export interface Fold {
  /** What the event was: `comment` says nothing but that the other side is alive, `done` is the last. */
  add(event: WireObject): "data" | "comment" | "done";
  /** Takes a whole answer; false when it is none. */
  addDocument(document: WireObject): boolean;
  /** What the endpoint said why it ended; `""` until then. */
  readonly finish: string;
  reply(): ChatReply;
}

/** Bytes of one line or event of a stream. */
export const MAX_EVENT = 16 * 2 ** 20;

/**
 * Reads the body of a 2xx answer, event stream or document: what it begins with decides, not what was asked for or how
 * it is labelled, since servers do both wrongly.
 */
export function createAnswerReader(far: FarEnd, fold: Fold, status: number): Reader<ChatReply> {
  const decoder = new TextDecoder(); // drops a BOM, joins characters split over chunks, U+FFFD for bad bytes
  let body: Body | null = null;
  return {
    take(chunk) {
      const text = decoder.decode(chunk, { stream: true });
      if (body !== null) return body.take(text);
      // Blank lines before the first word keep a connection alive; they belong to neither format.
      const opening = text.trimStart();
      if (opening === "") return "comment";
      body = /^[{[<]/.test(opening) ? createDocument(far, fold, status) : createStream(far, fold, status);
      return body.take(opening);
    },
    end(how, cause) {
      if (body !== null) return body.end(how, cause);
      if (how !== "eof") throw endingError(far, how, cause);
      throw badAnswer(far, "empty", { said: `answered ${status} with an empty body`, status });
    },
  };
}

interface Body {
  take(text: string): Taken;
  end(how: Ending, cause: unknown): ChatReply;
}

function createStream(far: FarEnd, fold: Fold, status: number): Body {
  const state = { done: false, last_words: false, events: 0, comments: 0 };
  let opening = "";
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: (event) => {
      if (!state.done) takeEvent(event);
    },
    onComment: () => void state.comments++,
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw tooLarge(far, "an event", MAX_EVENT);
    },
  });
  const takeEvent = (event: EventSourceMessage) => {
    const word = wordIn(event.data);
    if (word === "[DONE]") state.done = true;
    else if (word === "") state.comments++;
    else takeChunk(event);
  };
  const takeChunk = (event: EventSourceMessage) => {
    const chunk = parseJson(event.data);
    if (!isObject(chunk)) {
      if (state.last_words) return; // half an event before the end: the end itself is judged
      throw strangeEvent(far, event, status);
    }
    const complaint = complaintInEvent(chunk, event.event);
    if (complaint !== null) throw complaintError(far, complaint);
    const kind = fold.add(chunk);
    if (kind === "comment") state.comments++;
    else state.events++;
    if (kind === "done") state.done = true;
  };
  return {
    take(text) {
      if (opening.length < 400) opening += text.slice(0, 400);
      const { events, comments } = state;
      parser.feed(text);
      if (state.done) return "done";
      if (fold.finish !== "") return "ending";
      if (state.events > events) return "data";
      return state.comments > comments ? "comment" : "part";
    },
    end(how, cause) {
      state.last_words = true;
      // A last event without its blank line is taken all the same if it is whole.
      if (!state.done) parser.feed("\n\n");
      if (state.done || fold.finish !== "") return complete(far, fold);
      if (how === "eof" && state.events === 0 && !/^(data|event|id|retry)?:/.test(opening)) {
        throw badAnswer(far, "no_event", {
          said: "answered with something that is no event stream",
          quote: opening,
          status,
        });
      }
      throw endingError(far, how, cause);
    },
  };
}

function createDocument(far: FarEnd, fold: Fold, status: number): Body {
  const pieces: string[] = [];
  return {
    take(text) {
      pieces.push(text);
      return "data";
    },
    end(how, cause) {
      const text = pieces.join("");
      const value = parseJson(text);
      const isCut = text.startsWith("{") && !createBalance().isWhole([text]);
      if (value === undefined && (how !== "eof" || isCut)) throw endingError(far, how, cause);
      const document: unknown = Array.isArray(value) ? value[0] : value;
      if (isObject(document) && !hasError(document) && fold.addDocument(document)) return complete(far, fold);
      const complaint = isObject(document) ? complaintOf(document) : null;
      if (complaint !== null) throw complaintError(far, complaint);
      throw badAnswer(far, ...strangeDocument(text, value, status));
    },
  };
}

/** What an event complains of: it is an error itself, holds one, or tells of a response that failed. */
function complaintInEvent(event: WireObject, name: string | undefined): Complaint | null {
  if (hasError(event) || name === "error" || event["type"] === "error") return complaintOf(event);
  const { response } = event;
  return isObject(response) && hasError(response) ? complaintOf(response) : null;
}

/** The text of an event that is no JSON object, as `[DONE]`; the test of its first character spares the trim. */
const wordIn = (data: string): string => (data.startsWith("{") ? "{" : data.trim());

/** `"error": null` stands in healthy chunks of some endpoints. */
export const hasError = (body: WireObject): boolean =>
  isObject(body["error"]) || textOf(body["error"]) !== "" || body["object"] === "error";

/** What is told of an answer that is none of a model. */
export function strangeDocument(
  text: string,
  value: unknown,
  status: number,
): [string, Parameters<typeof badAnswer>[2]] {
  if (text.startsWith("<")) return ["html", { said: "answered with a web page instead of JSON", quote: text, status }];
  if (value === undefined) return ["malformed", { said: "answered with malformed JSON", quote: text, status }];
  return ["not_a_completion", { said: "answered with JSON that is no answer of a model", quote: text, status }];
}

function strangeEvent(far: FarEnd, { event, data }: EventSourceMessage, status: number): AgentError {
  if (event === "error") return complaintError(far, { words: data, code: "" });
  return badAnswer(far, "malformed", { said: "sent an event that is malformed JSON", quote: data, status });
}

/** Reasons by which an endpoint says that it gave up in the middle. */
const GAVE_UP = new Set(["error", "abort", "failed", "cancelled", "insufficient_system_resource"]);

export function complete(far: FarEnd, fold: Fold): ChatReply {
  if (GAVE_UP.has(fold.finish)) throw cutError(far, `the provider gave up: ${fold.finish}`);
  return fold.reply();
}

/** The error of an answer that was never complete. Silence comes with an error of its own. */
export const endingError = (far: FarEnd, how: Ending, cause: unknown): unknown =>
  how === "quiet" ? cause : cutError(far, whyCut(cause), cause);

function whyCut(cause: unknown): string {
  if (!(cause instanceof Error)) return "the connection ended without a finish reason";
  const code = "code" in cause ? String(cause.code) : cause.message;
  return /^(Z_|ERR__)/.test(code) ? `its compressed text is damaged: ${code}` : `the connection broke: ${code}`;
}
