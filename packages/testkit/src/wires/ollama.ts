import type { ScriptedCall, WireUsage } from "../script.ts";
import { checkOllamaRequest } from "./ollama-laws.ts";
import { openAi } from "./openai.ts";
import { type Answer, argsText, type Frames, field, inPieces, type Wire } from "./wire.ts";

/** Ollama's chat: one JSON object a line when `stream`, else one. */
export const ollamaChat: Wire = Object.freeze({
  modelOf: openAi.modelOf,
  isStream: (body: unknown) => field(body, "stream") !== false,
  name: "ollama-chat",
  path: "/api/chat",
  stream_type: "application/x-ndjson",
  check: checkOllamaRequest,
  list: {
    path: "/api/tags",
    document: (ids: readonly string[]) => ({ models: ids.map((id) => ({ name: id, model: id, size: 1 })) }),
  },
  systemText,
  frames,
  document,
  error: (_status: number, message: string) => ({ error: message }),
});

function systemText(body: unknown): string {
  const messages = field(body, "messages");
  if (!Array.isArray(messages)) return "";
  const system = messages.filter((message) => field(message, "role") === "system");
  return system.map((message) => String(field(message, "content"))).join("\n");
}

type Fields = Readonly<Record<string, unknown>>;

/** What stands in every object. */
const head = ({ model }: Answer): Fields => ({ model, created_at: "2026-01-01T00:00:00.000000Z" });
const line = (object: Fields): string => `${JSON.stringify(object)}\n`;

/** The server itself knows only these two reasons; it says `stop` beside calls. */
const reasonOf = ({ finish }: Answer): Fields =>
  finish === null ? {} : { done_reason: finish === "tool_calls" ? "stop" : finish };

const countsOf = (usage: WireUsage | null): Fields =>
  usage === null ? {} : { prompt_eval_count: usage.prompt_tokens, eval_count: usage.completion_tokens };

const callOf = (call: ScriptedCall): Fields => ({
  id: call.id,
  function: { name: call.name, arguments: argumentsOf(call) },
});

/** An object where the text is one. */
function argumentsOf(call: ScriptedCall): unknown {
  try {
    return JSON.parse(argsText(call)) as unknown;
  } catch {
    return argsText(call); // a model that wrote no JSON: some servers pass its text on
  }
}

function frames(answer: Answer): Frames {
  const piece = (message: Fields) =>
    line({ ...head(answer), message: { role: "assistant", content: "", ...message }, done: false });
  const deltas = [
    ...inPieces(answer.reasoning).map((thinking) => piece({ thinking })),
    ...inPieces(answer.say).map((content) => piece({ content })),
    ...answer.call.map((call) => piece({ tool_calls: [callOf(call)] })),
  ];
  const last = { ...head(answer), message: { role: "assistant", content: "" }, ...reasonOf(answer) };
  if (answer.finish === null && !answer.done) return { deltas, ending: [] };
  return {
    deltas,
    ending: [line({ ...last, ...(answer.done ? { done: true, ...countsOf(answer.usage) } : { done: false }) })],
  };
}

function document(answer: Answer): unknown {
  const message = {
    role: "assistant",
    content: answer.say,
    ...(answer.reasoning === "" ? {} : { thinking: answer.reasoning }),
    ...(answer.call.length === 0 ? {} : { tool_calls: answer.call.map(callOf) }),
  };
  return { ...head(answer), message, ...reasonOf(answer), done: true, ...countsOf(answer.usage) };
}
