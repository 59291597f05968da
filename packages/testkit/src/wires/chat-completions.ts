import type { ScriptedCall } from "../script.ts";
import { checkChatRequest } from "../strict.ts";
import { openAi } from "./openai.ts";
import { type Answer, argsText, type Frames, field, inPieces, type Wire } from "./wire.ts";

/** OpenAI's Chat Completions: server-sent events when `stream`, else one JSON document. */
export const chatCompletions: Wire = Object.freeze({
  ...openAi,
  name: "chat-completions",
  path: "/chat/completions",
  stream_type: "text/event-stream; charset=utf-8",
  check: checkChatRequest,
  systemText,
  frames,
  document,
});

function systemText(body: unknown): string {
  const messages = field(body, "messages");
  if (!Array.isArray(messages)) return "";
  const system = messages.filter((message) => field(message, "role") === "system");
  return system.map((message) => contentText(field(message, "content"))).join("\n");
}

const contentText = (content: unknown): string => {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => String(field(part, "text") ?? "")).join("\n");
};

function frames(answer: Answer, body: unknown): Frames {
  const event = (delta: unknown, finish: string | null) =>
    sse({ ...head(answer, "chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason: finish }] });
  const deltas = [
    { role: "assistant", content: "" },
    ...inPieces(answer.reasoning).map((text) => ({ reasoning_content: text })),
    ...inPieces(answer.say).map((text) => ({ content: text })),
    ...interleaved(answer.call).map((call) => ({ tool_calls: [call] })),
  ];
  const ending: string[] = [];
  if (answer.finish !== null) ending.push(event({}, answer.finish));
  if (answer.usage !== null && field(field(body, "stream_options"), "include_usage") === true) {
    ending.push(sse({ ...head(answer, "chat.completion.chunk"), choices: [], usage: answer.usage }));
  }
  if (answer.done) ending.push("data: [DONE]\n\n");
  return { deltas: deltas.map((delta) => event(delta, null)), ending };
}

/** The heads of all calls, then their arguments in turns: clients must sort by index and not by arrival. */
function interleaved(calls: readonly ScriptedCall[]): unknown[] {
  const heads = calls.map(({ id, name }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: "" },
  }));
  const queues = calls.map((call) => inPieces(argsText(call), Math.max(1, Math.min(10, argsText(call).length >> 1))));
  const rounds = Math.max(0, ...queues.map((queue) => queue.length));
  const tails = Array.from({ length: rounds }, (_, round) =>
    queues.flatMap((queue, index) => {
      const piece = queue[round];
      return piece === undefined ? [] : [{ index, function: { arguments: piece } }];
    }),
  );
  return [...heads, ...tails.flat()];
}

function document(answer: Answer): unknown {
  const message = {
    role: "assistant",
    content: answer.say === "" ? null : answer.say,
    ...(answer.reasoning === "" ? {} : { reasoning_content: answer.reasoning }),
    ...(answer.call.length === 0 ? {} : { tool_calls: answer.call.map(wholeCall) }),
  };
  return {
    ...head(answer, "chat.completion"),
    choices: [{ index: 0, message, finish_reason: answer.finish }],
    ...(answer.usage === null ? {} : { usage: answer.usage }),
  };
}

const wholeCall = (call: ScriptedCall) => ({
  id: call.id,
  type: "function",
  function: { name: call.name, arguments: argsText(call) },
});

const head = (answer: Answer, object: string) => ({ id: "scripted", object, created: 0, model: answer.model });

const sse = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
