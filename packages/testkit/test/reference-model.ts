import { cancelReason, checkCancelled } from "@smith/contract/cancel";
import { AgentError, cancelledError } from "@smith/contract/error";
import { type Message, textOf } from "@smith/contract/message";
import type { ChatModel, ChatOptions, ChatReply, ChatRequest } from "@smith/contract/model";
import { told } from "./speak.ts";

/** The smallest model that passes the suite: it shows that the suite can be passed, and by what. */
export const createReferenceModel = (url: string): ChatModel => ({
  provider: "reference",
  async chat(request, options) {
    checkCancelled(options.signal);
    try {
      return reply(await stream(url, request, options));
    } catch (error) {
      if (options.signal.aborted) throw cancelledError(cancelReason(options.signal));
      if (error instanceof AgentError) throw error;
      throw new AgentError({ kind: "transport", message: String(error), retryable: true, cause: error });
    }
  },
});

async function stream(url: string, request: ChatRequest, { signal, onDelta }: ChatOptions): Promise<string> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(wireRequest(request)),
    signal,
  });
  if (!response.ok) {
    const retryable = response.status === 429 || response.status >= 500;
    throw new AgentError({ kind: "transport", message: `status ${response.status}`, retryable });
  }
  const decoder = new TextDecoder();
  let whole = "";
  let read = { text: "", reasoning: "" };
  for await (const bytes of response.body ?? []) {
    whole += decoder.decode(bytes as Uint8Array, { stream: true });
    const now = told(wholeEvents(whole));
    if (now.reasoning !== read.reasoning) {
      onDelta({ type: "reasoning", text: now.reasoning.slice(read.reasoning.length) });
    }
    if (now.text !== read.text) onDelta({ type: "text", text: now.text.slice(read.text.length) });
    read = now;
  }
  return whole;
}

const wholeEvents = (text: string): string => {
  const end = text.lastIndexOf("\n\n");
  return end === -1 ? "" : text.slice(0, end + 2);
};

function reply(whole: string): ChatReply {
  const { text, reasoning, calls, finish, usage, done } = told(whole);
  if (!done && finish === null) throw new AgentError({ kind: "transport", message: "cut off" });
  const counts = usage as { prompt_tokens: number; completion_tokens: number } | null;
  return {
    content: text,
    reasoning,
    tool_calls: calls,
    finish_reason: calls.length > 0 ? "tool_calls" : finish === "length" ? "length" : "stop",
    usage: {
      input_tokens: counts?.prompt_tokens ?? null,
      output_tokens: counts?.completion_tokens ?? null,
      cached_tokens: null,
      reasoning_tokens: null,
      cost_usd: null,
    },
    model: "scripted",
    warnings: [],
  };
}

const wireRequest = (request: ChatRequest) => ({
  model: request.model,
  messages: request.messages.flatMap(wireMessage),
  stream: true,
  stream_options: { include_usage: true },
  ...(request.tools.length === 0 ? {} : { tools: request.tools.map((tool) => ({ type: "function", function: tool })) }),
});

const said = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

function wireMessage(message: Message): unknown[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: said(message.content) }];
    case "user":
      return [{ role: "user", content: said(textOf(message.content)) }];
    case "tool":
      return [{ role: "tool", tool_call_id: message.tool_call_id, content: said(message.content).trim() || "(empty)" }];
    case "assistant": {
      const text = message.content.trim() === "" ? {} : { content: said(message.content) };
      const calls = (message.tool_calls ?? []).map(({ id, name, arguments: args }) => ({
        id,
        type: "function",
        function: { name, arguments: asObjectText(args) },
      }));
      if (calls.length === 0 && message.content.trim() === "") return [];
      return [{ role: "assistant", ...text, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
    }
    default:
      return message satisfies never;
  }
}

const asObjectText = (args: string): string => {
  try {
    return JSON.stringify(JSON.parse(args));
  } catch {
    return "{}"; // not JSON: the wire wants an object all the same
  }
};
