import { checkCancelled } from "@smith/contract/cancel";
import type { ChatModel, ChatOptions, ChatReply, ChatRequest } from "@smith/contract/model";
import { createAnswerReader } from "./answer.ts";
import { type Limits, limitMs } from "./clocks.ts";
import { createEncoder } from "./encode.ts";
import { type Endpoint, endpointOf, type OpenAiChatOptions, type Timeouts } from "./endpoint.ts";
import { createFold } from "./fold.ts";
import { exchange, openTransport, type Transport } from "./http.ts";
import { createRefusalReader, isSuccess } from "./refusal.ts";
import { callIds, checkTranscript } from "./transcript.ts";

/** Seconds. */
const TIMEOUT_S = 600;
const CONNECT_TIMEOUT_S = 120;
const SEND_TIMEOUT_S = 30;
const STREAM_STALL_TIMEOUT_S = 120;

/**
 * A model behind an OpenAI-compatible `…/chat/completions`. One request per `chat`: it never retries, never follows a
 * redirect. Nothing is loaded or connected before the first request; connections are kept between requests.
 */
export function createOpenAiChat(options: OpenAiChatOptions): ChatModel {
  const { encode } = createEncoder();
  const limits = limitsOf(options.timeouts, options.stream);
  const headers = {
    "content-type": "application/json",
    accept: options.stream ? "text/event-stream, application/json" : "application/json",
  };
  let transport: Promise<Transport> | undefined;
  let endpoint: Endpoint | undefined;
  return Object.freeze({
    provider: options.provider,
    async chat(request: ChatRequest, { signal, onDelta }: ChatOptions): Promise<ChatReply> {
      checkCancelled(signal);
      checkTranscript(request.messages);
      endpoint ??= endpointOf(options, "/chat/completions");
      transport ??= openTransport(endpoint.url.protocol, true);
      const { far } = endpoint;
      const fold = createFold({
        model: request.model,
        tool_names: new Set(request.tools.map((tool) => tool.name)),
        takenIds: () => callIds(request.messages),
        onDelta: options.stream ? onDelta : null,
      });
      return await exchange<ChatReply>({
        transport: await transport,
        endpoint,
        body: encode(request, options.stream),
        headers,
        limits,
        signal,
        receive: (head) =>
          isSuccess(head) ? createAnswerReader(far, fold, head.status) : createRefusalReader(far, head),
      });
    },
  });
}

function limitsOf(timeouts: Timeouts, stream: boolean): Limits {
  return Object.freeze({
    connect: limitMs(timeouts.connect_timeout_s ?? CONNECT_TIMEOUT_S),
    send: limitMs(timeouts.send_timeout_s ?? SEND_TIMEOUT_S),
    stall: stream ? limitMs(timeouts.stream_stall_timeout_s ?? STREAM_STALL_TIMEOUT_S) : null,
    answer: stream ? null : limitMs(timeouts.timeout_s ?? TIMEOUT_S),
  });
}
