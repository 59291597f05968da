import { checkCancelled } from "@smith/contract/cancel";
import { AgentError, toAgentError } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { Hooks } from "@smith/contract/hook";
import type { AssistantMessage, Message } from "@smith/contract/message";
import type { ChatDelta, ChatModel, ChatReply, ChatRequest, Usage } from "@smith/contract/model";
import type { ToolSpec } from "@smith/contract/tool";
import { backoffMs, sleep } from "@smith/contract/wait";
import type { Framed, Framing } from "./framing.ts";
import type { Answer } from "./turn.ts";

export interface AskOptions {
  readonly chat: ChatModel;
  readonly turn_id: string;
  readonly model: string;
  readonly tools: readonly ToolSpec[];
  readonly sampling: Pick<ChatRequest, "temperature" | "max_tokens" | "effort">;
  readonly signal: AbortSignal;
  /** Tries after an answer with neither text nor calls, and the wait before each, ms; the last repeats. */
  readonly empty_retry: { readonly max_retries: number; readonly backoff_ms: readonly number[] };
  readonly framing: Framing;
  readonly hooks: Pick<Hooks, "beforeRequest"> | null;
  emit(body: EventBody): void;
  now(): number;
  loadBlob(hash: string): Promise<Uint8Array | null>;
  /** Text streamed so far, at most once a second, so that a crash keeps it. */
  onPartial(text: string): void;
  onUsage(usage: Usage): void;
}

const PARTIAL_EVERY_MS = 1000;

/** One round's model call as the loop sees it, empty answers asked again. Never throws. */
export function createAsk(options: AskOptions): (transcript: readonly Message[], round: number) => Promise<Answer> {
  const { emit, signal, empty_retry, hooks, model } = options;
  return async (transcript, round) => {
    const lines = (await hooks?.beforeRequest({ round, model, messages: transcript.length })) ?? [];
    for (let attempt = 1; ; attempt++) {
      const answer = await askOnce(transcript, { ...options, round, lines });
      const code = answer.error?.code;
      if (code === "context_overflow" && options.framing.tighten()) {
        attempt--; // the request is another one now
        continue;
      }
      if (code !== "empty_response" || attempt > empty_retry.max_retries) return answer;
      const delay_ms = backoffMs(empty_retry.backoff_ms, attempt);
      emit({ type: "llm_retry_scheduled", attempt: attempt + 1, delay_ms, code });
      try {
        await sleep(delay_ms, signal);
      } catch (thrown) {
        return { message: null, error: toAgentError(thrown, "engine/ask"), cut: false }; // cancelled in the wait
      }
    }
  };
}

interface RoundOptions extends AskOptions {
  readonly round: number;
  /** Of hooks, for this request alone. */
  readonly lines: readonly string[];
}

async function askOnce(transcript: readonly Message[], options: RoundOptions): Promise<Answer> {
  const { chat, model, emit, now, signal, round } = options;
  let about = { round, model, provider: chat.provider };
  const started = now();
  const stream = createStream(options);
  let begun = false;
  try {
    const framed = withLines(await options.framing.frame(transcript), options.lines);
    checkCancelled(signal); // nothing begins after a cancel, not even by a tick
    emit({ type: "llm_request_started", ...about });
    begun = true;
    const { messages, edge } = framed;
    const request = { model, messages, tools: options.tools, cache_edge: edge, ...options.sampling };
    const reply = await chat.chat(request, {
      signal,
      loadBlob: options.loadBlob,
      onDelta: stream.onDelta,
      onRetry: ({ attempt, delay_ms, code }) => {
        stream.forget();
        emit({ type: "llm_retry_scheduled", attempt, delay_ms, code });
      },
      onSwitch: ({ from, to, model, code }) => {
        stream.forget();
        about = { round, model, provider: to };
        emit({ type: "provider_switched", from, to, code });
      },
    });
    if (stream.isSilent() && reply.content !== "") emit({ type: "llm_text_delta", text: reply.content });
    for (const call of reply.tool_calls) emit({ type: "llm_tool_call_detected", call_id: call.id, tool: call.name });
    options.onUsage(reply.usage);
    options.framing.learn(reply.usage);
    const { usage, finish_reason } = reply;
    emit({ type: "llm_request_completed", ...about, usage, finish_reason, duration_ms: now() - started });
    return wholeAnswer(reply, { turn_id: options.turn_id, round, ts: now() }, emit);
  } catch (thrown) {
    const error = toAgentError(thrown, "engine/ask");
    if (error.kind === "cancelled" && begun) emit({ type: "llm_request_cancelled", ...about });
    return { message: stream.cutMessage({ turn_id: options.turn_id, round, ts: now() }), error, cut: false };
  }
}

/** The lines stand behind the system message, as one of their own: what a provider keeps of the prompt stays whole. */
function withLines({ messages, edge }: Framed, lines: readonly string[]): Framed {
  if (lines.length === 0) return { messages, edge };
  const at = messages.findIndex(({ role }) => role !== "system");
  const added = messages.toSpliced(at < 0 ? messages.length : at, 0, { role: "system", content: lines.join("\n") });
  return { messages: added, edge: edge === 0 ? 0 : edge + 1 };
}

type Place = Pick<AssistantMessage, "turn_id" | "round" | "ts">;

function wholeAnswer(reply: ChatReply, place: Place, emit: AskOptions["emit"]): Answer {
  for (const text of reply.warnings) emit({ type: "notice", level: "warn", text });
  if (reply.content.trim() === "" && reply.tool_calls.length === 0)
    return { message: null, error: emptyError(reply), cut: false };
  const cut = reply.finish_reason === "length";
  if (cut && reply.tool_calls.length === 0) {
    emit({ type: "notice", level: "warn", text: "The answer was cut off by the output limit (max_tokens)." });
  }
  if (reply.finish_reason === "content_filter") {
    emit({ type: "notice", level: "warn", text: "The provider's content filter stopped the answer." });
  }
  const message: AssistantMessage = {
    role: "assistant",
    content: reply.content,
    ...(reply.tool_calls.length > 0 ? { tool_calls: [...reply.tool_calls] } : {}),
    ...(reply.reasoning === "" ? {} : { reasoning: reply.reasoning }),
    ...(reply.provider_data === undefined ? {} : { provider_data: reply.provider_data }),
    ...place,
  };
  return { message, error: null, cut: cut && reply.tool_calls.length > 0 };
}

const emptyError = (reply: ChatReply): AgentError =>
  new AgentError({
    kind: "protocol",
    code: "empty_response",
    retryable: true,
    origin: "engine/ask",
    data: { finish_reason: reply.finish_reason },
    message: `The model ${reply.model} answered with neither text nor a tool call. Ask again, or try another model.`,
  });

/** Gathers what streams, so that a broken answer leaves what was already shown. */
function createStream(options: AskOptions) {
  const text: string[] = [];
  const reasoning: string[] = [];
  let savedAt = options.now();
  const onDelta = (delta: ChatDelta) => {
    (delta.type === "text" ? text : reasoning).push(delta.text);
    options.emit(
      delta.type === "text"
        ? { type: "llm_text_delta", text: delta.text }
        : { type: "llm_reasoning_delta", text: delta.text },
    );
    if (delta.type !== "text" || options.now() - savedAt < PARTIAL_EVERY_MS) return;
    savedAt = options.now();
    options.onPartial(text.join(""));
  };
  const cutMessage = (place: Place): AssistantMessage | null => {
    const content = text.join("");
    if (content.trim() === "") return null;
    return { role: "assistant", content, is_error: true, ...place };
  };
  // Another try begins anew: what the one before had shown is not part of its answer.
  const forget = () => {
    text.length = 0;
    reasoning.length = 0;
  };
  return { onDelta, cutMessage, forget, isSilent: () => text.length === 0 };
}
