import type { IncomingHttpHeaders } from "node:http";
import type { WireUsage } from "../script.ts";
import { checkAnthropicRequest } from "./anthropic-laws.ts";
import { type Answer, argsText, type Frames, field, inPieces, type Wire } from "./wire.ts";

/** Anthropic's messages: named events when `stream`, else one JSON document. */
export const anthropicMessages: Wire = Object.freeze({
  name: "anthropic-messages",
  path: "/v1/messages",
  stream_type: "text/event-stream; charset=utf-8",
  check: checkAnthropicRequest,
  checkHeaders,
  systemText: (body: unknown) => textOf(field(body, "system")),
  modelOf: (body: unknown) => {
    const model = field(body, "model");
    return typeof model === "string" ? model : "scripted";
  },
  isStream: (body: unknown) => field(body, "stream") === true,
  frames,
  document,
  error: (status: number, message: string) => ({
    type: "error",
    error: { type: ERRORS[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), message },
    request_id: "req_scripted",
  }),
});

const ERRORS: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function checkHeaders(headers: IncomingHttpHeaders): string[] {
  const faults: string[] = [];
  if (headers["x-api-key"] === undefined && headers.authorization === undefined)
    faults.push("x-api-key: header is required");
  if (headers["anthropic-version"] === undefined) faults.push("anthropic-version: header is required");
  return faults;
}

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((block) => String(field(block, "text") ?? "")).join("\n") : "";
};

const FINISH: Readonly<Record<string, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};

const finishOf = ({ finish }: Answer): string | null => (finish === null ? null : (FINISH[finish] ?? finish));

function usageOf(usage: WireUsage) {
  const details = usage["prompt_tokens_details"];
  const cached = Number(field(details, "cached_tokens") ?? 0);
  const written = Number(field(details, "cache_write_tokens") ?? 0);
  return {
    input_tokens: usage.prompt_tokens - cached - written,
    output_tokens: usage.completion_tokens,
    ...(details === undefined ? {} : { cache_read_input_tokens: cached, cache_creation_input_tokens: written }),
  };
}

const event = (data: { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

type Delta = Readonly<Record<string, unknown>>;

/** The blocks of an answer: how each opens, and how it grows. */
function blocksOf({ reasoning, say, call }: Answer): { readonly start: Delta; readonly deltas: readonly Delta[] }[] {
  const thoughts = inPieces(reasoning).map((thinking) => ({ type: "thinking_delta", thinking }));
  const signed = { type: "signature_delta", signature: signatureOf(reasoning) };
  return [
    ...(reasoning === ""
      ? []
      : [{ start: { type: "thinking", thinking: "", signature: "" }, deltas: [...thoughts, signed] }]),
    ...(say === ""
      ? []
      : [{ start: { type: "text", text: "" }, deltas: inPieces(say).map((text) => ({ type: "text_delta", text })) }]),
    ...call.map((each) => ({
      start: { type: "tool_use", id: each.id, name: each.name, input: {} },
      deltas: ["", ...inPieces(argsText(each))].map((partial_json) => ({ type: "input_json_delta", partial_json })),
    })),
  ];
}

/** What a test can foretell: a signature belongs to its thought. */
export const signatureOf = (thought: string): string => `signed:${thought.length}`;

function frames(answer: Answer): Frames {
  const usage = answer.usage === null ? {} : { usage: usageOf(answer.usage) };
  const started = answer.usage === null ? {} : { usage: { ...usageOf(answer.usage), output_tokens: 1 } };
  const message = { ...head(answer), content: [], stop_reason: null, stop_sequence: null, ...started };
  const deltas = [event({ type: "message_start", ...{ message } }), event({ type: "ping" })];
  const ending: string[] = [];
  const blocks = blocksOf(answer);
  for (const [index, { start, deltas: growth }] of blocks.entries()) {
    deltas.push(event({ type: "content_block_start", ...{ index, content_block: start } }));
    for (const delta of growth) deltas.push(event({ type: "content_block_delta", ...{ index, delta } }));
    const stop = event({ type: "content_block_stop", ...{ index } });
    // The last block's end belongs to the ending: an answer that is cut ends in the middle of it.
    if (index < blocks.length - 1) deltas.push(stop);
    else ending.push(stop);
  }
  const stop_reason = finishOf(answer);
  if (stop_reason !== null) {
    ending.push(event({ type: "message_delta", ...{ delta: { stop_reason, stop_sequence: null }, ...usage } }));
  }
  if (answer.done) ending.push(event({ type: "message_stop" }));
  return { deltas, ending };
}

function document(answer: Answer): unknown {
  const { reasoning, say, call } = answer;
  const content = [
    ...(reasoning === "" ? [] : [{ type: "thinking", thinking: reasoning, signature: signatureOf(reasoning) }]),
    ...(say === "" ? [] : [{ type: "text", text: say }]),
    ...call.map((each) => ({
      type: "tool_use",
      id: each.id,
      name: each.name,
      input: JSON.parse(argsText(each)) as unknown,
    })),
  ];
  const usage = answer.usage === null ? {} : { usage: usageOf(answer.usage) };
  return { ...head(answer), content, stop_reason: finishOf(answer), stop_sequence: null, ...usage };
}

const head = ({ model }: Answer) => ({ id: "msg_scripted", type: "message", role: "assistant", model });
