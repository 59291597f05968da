import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createCancel } from "@smith/contract/cancel";
import { AgentError } from "@smith/contract/error";
import type { ChatDelta, ChatModel, ChatReply, ChatRequest } from "@smith/contract/model";
import { startScriptedLlm, type Wire } from "@smith/testkit";
import { createOpenAiChat, type HttpModelOptions } from "../src/index.ts";

export const KEY = "sk-test-0123456789";

export const hello: ChatRequest = {
  model: "asked-model",
  messages: [
    { role: "system", content: "You are Smith." },
    { role: "user", content: "hello", turn_id: "t1", round: 0, ts: 1 },
  ],
  tools: [],
};

export const place = { turn_id: "t1", round: 1, ts: 1 };

export const optionsFor = (api_url: string, more: Partial<HttpModelOptions> = {}): HttpModelOptions => ({
  provider: "default",
  api_url,
  api_key: KEY,
  api_key_env: "LLM_API_KEY",
  stream: true,
  timeouts: {},
  ...more,
});

export interface Asked {
  readonly reply: ChatReply | null;
  readonly error: AgentError | null;
  readonly shown: string;
  readonly thought: string;
}

interface Asking {
  readonly request?: Partial<ChatRequest>;
  readonly options?: Partial<HttpModelOptions>;
  readonly signal?: AbortSignal;
  /** The adapter; default chat completions. */
  readonly make?: (options: HttpModelOptions) => ChatModel;
  /** What the server of `askRaw` speaks. */
  readonly wire?: Wire;
}

/** One request to an address: what came of it, whichever way it went. */
export async function ask(
  api_url: string,
  { request, options, signal, make = createOpenAiChat }: Asking = {},
): Promise<Asked> {
  const deltas: ChatDelta[] = [];
  const told = (type: string) => deltas.flatMap((each) => (each.type === type ? [each.text] : [])).join("");
  using cancel = createCancel(signal);
  const asking = make(optionsFor(api_url, options)).chat(
    { ...hello, ...request },
    { signal: cancel.signal, onDelta: (delta) => deltas.push(delta) },
  );
  const [reply, error] = await asking.then(
    (reply) => [reply, null] as const,
    (error: unknown) => [null, error] as const,
  );
  if (error !== null && !(error instanceof AgentError)) throw error;
  return { reply, error, shown: told("text"), thought: told("reasoning") };
}

export type Bytes = string | Uint8Array;

/** The answer made of exactly these bytes, one write each. */
export async function askRaw(
  raw: Bytes | readonly Bytes[],
  asking: Asking & { headers?: Record<string, string> } = {},
) {
  const pieces = typeof raw === "string" || raw instanceof Uint8Array ? [raw] : [...raw];
  const wire = asking.wire === undefined ? {} : { wire: asking.wire };
  await using llm = await startScriptedLlm([{ raw: pieces, headers: asking.headers ?? {} }], wire);
  return await ask(llm.url, asking);
}

export const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** A chunk of the first choice. */
export const chunk = (delta: unknown, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }] });

export const DONE = "data: [DONE]\n\n";

export const stop = (finish = "stop"): string => chunk({}, finish) + DONE;

/** What a program sees of an error. */
export const seen = (error: AgentError | null) =>
  error === null ? null : { kind: error.kind, code: error.code, retryable: error.retryable };

export interface RawServer {
  readonly url: string;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server of bytes, for what no HTTP server would do. */
export async function rawServer(serve: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {}); // the client hangs up in the middle: that is what is tried
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    server,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
