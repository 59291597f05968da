import { checkCancelled } from "@smith/contract/cancel";
import type { Message } from "@smith/contract/message";
import type { ChatDelta, ChatModel, ChatOptions, ChatReply, ChatRequest } from "@smith/contract/model";
import { createAnswerReader, type Fold } from "./answer.ts";
import { type Limits, limitMs } from "./clocks.ts";
import { type Addressing, type Endpoint, endpointOf, type HttpModelOptions, type Timeouts } from "./endpoint.ts";
import { exchange } from "./http.ts";
import { loadPictures, type Pictures } from "./pictures.ts";
import { createRefusalReader, isSuccess } from "./refusal.ts";
import { callIds, checkTranscript } from "./transcript.ts";
import { openTransport, type Transport } from "./transport.ts";
import type { WireLog } from "./wire-log.ts";

/** Makes the body of a request. */
export interface Encoder {
  encode(request: ChatRequest, options: { readonly stream: boolean; readonly pictures: Pictures }): Uint8Array;
  /** Whether it still has what it made of a message for a model: then it needs none of its pictures. */
  keeps(message: Message, model: string): boolean;
}

export interface FoldInput {
  /** The provider's configured name. */
  readonly provider: string;
  /** As it was asked for; told when the endpoint does not name its own. */
  readonly model: string;
  /** Names of the tools that were offered. */
  readonly tool_names: ReadonlySet<string>;
  /** Ids that calls of this request's transcript have; asked for only when the reply holds calls. */
  takenIds(): ReadonlySet<string>;
  /** null: nobody listens to pieces. */
  readonly onDelta: ((delta: ChatDelta) => void) | null;
}

/** One kind of endpoint: where it is asked, what it is sent, how its answers are read. */
export interface Dialect {
  readonly address: Addressing;
  /** Sent with every request, beside what every endpoint gets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What a stream is asked for as; default event streams. */
  readonly accept?: string;
  /** One per model, so that it can keep what it made of messages. */
  createEncoder(provider: string): Encoder;
  createFold(input: FoldInput): Fold;
  /** Reads a 2xx body; default: event streams and documents. */
  readonly createReader?: typeof createAnswerReader;
}

/** Seconds. */
const TIMEOUT_S = 600;
const CONNECT_TIMEOUT_S = 120;
const SEND_TIMEOUT_S = 30;
const STREAM_STALL_TIMEOUT_S = 120;

/**
 * A model behind an HTTP endpoint. One request per `chat`: it never retries, never follows a redirect. Nothing is loaded
 * or connected before the first request; connections are kept between requests.
 */
export function createHttpModel(options: HttpModelOptions, dialect: Dialect): ChatModel {
  const { provider, stream } = options;
  const encoder = dialect.createEncoder(provider);
  const limits = limitsOf(options.timeouts, stream);
  const headers = {
    "content-type": "application/json",
    accept: stream ? (dialect.accept ?? "text/event-stream, application/json") : "application/json",
    ...dialect.headers,
  };
  const readAnswer = dialect.createReader ?? createAnswerReader;
  let opened: Promise<Opened> | undefined;
  return Object.freeze({
    provider,
    takes_images: true,
    async chat(request: ChatRequest, { signal, onDelta, loadBlob }: ChatOptions): Promise<ChatReply> {
      checkCancelled(signal);
      checkTranscript(request.messages);
      opened ??= open(options, dialect.address);
      const { endpoint, transport, log } = await opened;
      const { far } = endpoint;
      const isKept = (message: Message) => encoder.keeps(message, request.model);
      const pictures = await loadPictures(request.messages, isKept, loadBlob);
      const fold = dialect.createFold({
        provider,
        model: request.model,
        tool_names: new Set(request.tools.map((tool) => tool.name)),
        takenIds: () => callIds(request.messages),
        onDelta: stream ? onDelta : null,
      });
      return await exchange<ChatReply>({
        ...{ transport, endpoint, headers, limits, signal, log },
        body: encoder.encode(request, { stream, pictures }),
        receive: (head) => (isSuccess(head) ? readAnswer(far, fold, head.status) : createRefusalReader(far, head)),
      });
    },
    close() {
      opened?.then(
        ({ transport }) => transport.close(),
        () => {}, // it never was open
      );
    },
  });
}

interface Opened {
  readonly endpoint: Endpoint;
  readonly transport: Transport;
  readonly log: WireLog | null;
}

async function open(options: HttpModelOptions, address: Addressing): Promise<Opened> {
  const endpoint = endpointOf(options, address);
  const transport = await openTransport(endpoint, true);
  const path = options.wire_log ?? null;
  const log = path === null ? null : (await import("./wire-log.ts")).openWireLog(path, endpoint.far);
  return { endpoint, transport, log };
}

function limitsOf(timeouts: Timeouts, stream: boolean): Limits {
  const total = timeouts.total_s ?? (stream ? null : (timeouts.timeout_s ?? TIMEOUT_S));
  return Object.freeze({
    connect: limitMs(timeouts.connect_timeout_s ?? CONNECT_TIMEOUT_S),
    send: limitMs(timeouts.send_timeout_s ?? SEND_TIMEOUT_S),
    stall: stream ? limitMs(timeouts.stream_stall_timeout_s ?? STREAM_STALL_TIMEOUT_S) : null,
    answer: total === null ? null : limitMs(total),
  });
}
