import type { ScriptedCall, WireUsage } from "../script.ts";
import { openAi } from "./openai.ts";
import { checkResponsesRequest } from "./responses-laws.ts";
import { type Answer, argsText, type Frames, field, inPieces, type Wire } from "./wire.ts";

/** OpenAI's Responses: named events when `stream`, else one JSON document. */
export const openAiResponses: Wire = Object.freeze({
  ...openAi,
  name: "openai-responses",
  path: "/responses",
  stream_type: "text/event-stream; charset=utf-8",
  check: checkResponsesRequest,
  systemText: (body: unknown) => String(field(body, "instructions") ?? ""),
  frames,
  document,
});

const usageOf = (usage: WireUsage) => ({
  input_tokens: usage.prompt_tokens,
  output_tokens: usage.completion_tokens,
  total_tokens: usage.total_tokens,
  ...(usage["prompt_tokens_details"] === undefined ? {} : { input_tokens_details: usage["prompt_tokens_details"] }),
  ...(usage["completion_tokens_details"] === undefined
    ? {}
    : { output_tokens_details: usage["completion_tokens_details"] }),
});

/** The status of a response, and why it is no more than that. */
function endOf({ finish }: Answer): { readonly status: string; readonly incomplete_details: unknown } {
  if (finish === "length") return { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  if (finish === "content_filter") return { status: "incomplete", incomplete_details: { reason: "content_filter" } };
  return { status: "completed", incomplete_details: null };
}

type Item = Readonly<Record<string, unknown>>;

const thoughtOf = (reasoning: string): Item => ({
  id: "rs_scripted",
  type: "reasoning",
  summary: [{ type: "summary_text", text: reasoning }],
  encrypted_content: `sealed:${reasoning.length}`,
});

const messageOf = (text: string): Item => ({
  id: "msg_scripted",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});

const callOf = (call: ScriptedCall, args: string): Item => ({
  id: `fc_${call.id}`,
  type: "function_call",
  status: "completed",
  call_id: call.id,
  name: call.name,
  arguments: args,
});

const outputOf = ({ reasoning, say, call }: Answer): readonly Item[] => [
  ...(reasoning === "" ? [] : [thoughtOf(reasoning)]),
  ...(say === "" ? [] : [messageOf(say)]),
  ...call.map((each) => callOf(each, argsText(each))),
];

function document(answer: Answer): unknown {
  return { ...head(answer), ...endOf(answer), output: outputOf(answer), usage: answer.usage && usageOf(answer.usage) };
}

const head = ({ model }: Answer) => ({ id: "resp_scripted", object: "response", created_at: 0, model, error: null });

function frames(answer: Answer): Frames {
  let sequence_number = 0;
  const event = (type: string, data: Item) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...data })}\n\n`;
  const response = { ...head(answer), status: "in_progress", output: [], usage: null };
  const deltas = [event("response.created", { response }), event("response.in_progress", { response })];
  const items = outputOf(answer);
  const firstCall = items.length - answer.call.length;
  for (const [output_index, item] of items.slice(0, firstCall).entries()) {
    deltas.push(event("response.output_item.added", { output_index, item: emptied(item) }));
    deltas.push(...growthOf(item, output_index, answer).map(([type, data]) => event(type, data)));
    // The last item's end belongs to the ending: an answer that is cut ends in the middle of it.
    if (output_index < items.length - 1) deltas.push(event("response.output_item.done", { output_index, item }));
  }
  for (const [at, each] of answer.call.entries()) {
    deltas.push(event("response.output_item.added", { output_index: firstCall + at, item: callOf(each, "") }));
  }
  deltas.push(
    ...interleaved(answer.call, firstCall).map((data) => event("response.function_call_arguments.delta", data)),
  );
  const undone = answer.call.length > 0 ? items.slice(firstCall) : items.slice(-1);
  const ending = undone.map((item, at) =>
    event("response.output_item.done", { output_index: items.length - undone.length + at, item }),
  );
  if (answer.finish !== null) {
    const end = document(answer) as { readonly status: string };
    ending.push(event(`response.${end.status}`, { response: end }));
  }
  if (answer.done && answer.finish === null) ending.push("data: [DONE]\n\n"); // as gateways in front of it do
  return { deltas, ending };
}

const emptied = (item: Item): Item =>
  item["type"] === "message"
    ? { ...item, status: "in_progress", content: [] }
    : { ...item, summary: [], encrypted_content: "" };

function growthOf(item: Item, output_index: number, { reasoning, say }: Answer): readonly (readonly [string, Item])[] {
  const place = { item_id: item["id"], output_index };
  if (item["type"] === "message") {
    return inPieces(say).map((delta) => ["response.output_text.delta", { ...place, content_index: 0, delta }] as const);
  }
  return inPieces(reasoning).map(
    (delta) => ["response.reasoning_summary_text.delta", { ...place, summary_index: 0, delta }] as const,
  );
}

/** The arguments of all calls in turns: clients must sort by place and not by arrival. */
function interleaved(calls: readonly ScriptedCall[], firstCall: number): readonly Item[] {
  const queues = calls.map((call) => inPieces(argsText(call)));
  const rounds = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: rounds }, (_, round) =>
    queues.flatMap((queue, at) => {
      const delta = queue[round];
      return delta === undefined ? [] : [{ item_id: `fc_${calls[at]?.id}`, output_index: firstCall + at, delta }];
    }),
  ).flat();
}
