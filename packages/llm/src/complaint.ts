import { isObject, parseJson, textOf } from "./wire.ts";

/** What a provider says went wrong, whatever the shape of its error body. */
export interface Complaint {
  readonly words: string;
  /** Its own `code` and `type`, joined by a blank; `""` when it gave none. */
  readonly code: string;
}

/** The complaint in an error body (`{"error": …}`, `{"detail": …}`, `[{"error": …}]`, plain text), never empty-handed. */
export function complaintIn(body: string): Complaint {
  const value = parseJson(body);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (!isObject(first)) return { words: body, code: "" };
  return complaintOf(first) ?? { words: body, code: "" };
}

/** The complaint in a parsed object; null when it holds none. */
export function complaintOf(body: Readonly<Record<string, unknown>>): Complaint | null {
  const error = body["error"] ?? body["errors"];
  const inner: unknown = Array.isArray(error) ? error[0] : error;
  if (isObject(inner)) return { words: wordsOf(inner) || JSON.stringify(inner), code: codesOf(inner) };
  const words = textOf(inner) || wordsOf(body);
  return words === "" ? null : { words, code: codesOf(body) };
}

function wordsOf(error: Readonly<Record<string, unknown>>): string {
  const detail = error["detail"];
  const words = textOf(error["message"]) || textOf(error["msg"]) || textOf(detail);
  // A gateway's own words say little ("Provider returned error"); the upstream's are beside them.
  const metadata = error["metadata"];
  const raw = isObject(metadata) ? textOf(metadata["raw"]) : "";
  if (words !== "" && raw !== "") return `${words}: ${raw}`;
  if (words !== "") return words;
  return detail === undefined || detail === null ? "" : JSON.stringify(detail);
}

const codesOf = (error: Readonly<Record<string, unknown>>): string =>
  [error["code"], error["type"], error["status"]]
    .filter((code) => typeof code === "number" || (typeof code === "string" && code !== ""))
    .join(" ");

const STATUS_OF_CODE: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|RESOURCE_EXHAUSTED|too_many_requests/i, 429],
  [/overloaded|engine_overloaded/i, 529],
  [/server_error|api_error|internal_error|\bINTERNAL\b|UNAVAILABLE|timeout/i, 500],
  [/authentication|invalid_api_key|unauthorized/i, 401],
  [/permission/i, 403],
];

/** The status that a complaint inside a 200 answer stands for; null when it tells none. */
export function statusOf({ code }: Complaint): number | null {
  const digits = /(?:^|\s)([45]\d\d)(?:\s|$)/.exec(code)?.[1];
  if (digits !== undefined) return Number(digits);
  return STATUS_OF_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? null;
}

export const isQuota = ({ code }: Complaint): boolean =>
  /insufficient_quota|billing_hard_limit|exceeded_current_quota/.test(code);

const OVERFLOW_CODE =
  /context_length_exceeded|exceed_context_size_error|context_window_exceeded|model_context_window_exceeded/;

/** What real endpoints say when the request does not fit; the word "token" alone proves nothing. */
const OVERFLOW_WORDS: readonly RegExp[] = [
  /maximum context length/i, // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral
  /exceeds? (?:the |this |its )?(?:model'?s? )?(?:available |maximum )?context (?:window|length|size|limit)/i, // Responses, llama.cpp, Anthropic
  /(?:greater|longer) than the context length/i, // LM Studio
  /context window exceeds limit/i, // MiniMax
  /prompt is too long/i, // Anthropic
  /input is too long for (?:the )?requested model/i, // Bedrock
  /input token count .{0,40}exceeds the maximum number of tokens/i, // Gemini
  /maximum prompt length is \d+/i, // xAI
  /prompt token count of \d+ exceeds the limit/i, // Copilot
  /exceeded model token limit/i, // Moonshot
  /reduce the length of the messages/i, // OpenAI, Groq
  /range of input length should be/i, // DashScope
  /prompt exceeds max length/i, // GLM
  /too long to fit into the model/i, // vLLM
  /`inputs` tokens \+ `max_new_tokens` must be <=/i, // TGI, Together
  /total number of tokens in the prompt cannot exceed/i, // Cohere
  /input length exceeds (?:the )?(?:maximum |available )?context length/i, // Ollama
  /prompt too long; exceeded (?:max(?:imum)? )?context length/i, // Ollama
];

/** True when the provider refused because the conversation does not fit into the model's window. */
export function isOverflow(status: number | null, { code, words }: Complaint): boolean {
  if (status !== null && status !== 400 && status !== 413 && status !== 422) return false;
  return OVERFLOW_CODE.test(code) || OVERFLOW_WORDS.some((pattern) => pattern.test(words));
}

type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Milliseconds that the provider wants us to wait, at least 0; null when it does not say or says nonsense. A date is
 * measured against the server's own clock where it tells it, so that a wrong clock here does no harm.
 */
export function retryAfterMs(headers: HeaderValues, now: number): number | null {
  const ms = Number(textOf(headers["retry-after-ms"]).trim() || Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const text = textOf(headers["retry-after"]).trim();
  if (text === "") return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  // Date.parse finds a date in nearly anything ("in 5 minutes"): only what has a time of day is taken for one.
  const at = /\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return null;
  const serverNow = Date.parse(textOf(headers["date"]));
  return Math.max(0, at - (Number.isNaN(serverNow) ? now : serverNow));
}
