import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { BOUNDS } from "./bounds.ts";
import type { Address } from "./settings.ts";
import type { Wire } from "./stdio.ts";

type Id = string | number;

/** A request that waits for its answer, and what carries that. */
interface Asked {
  readonly stop: AbortController;
  /** The stream has named its events: when it ends early, the transport takes it up again. */
  resumable: boolean;
  /** The stream has ended. */
  over: boolean;
}

/** How long an answer that has arrived whole may take to be read, ms. */
const SETTLE_MS = 200;

/**
 * The SDK's transport over streamable HTTP, with what it leaves open closed: bodies are bounded, a stream that ends without
 * the answer it was opened for answers with an error at once, and a request that is cancelled does not stay connected.
 */
export function createHttpWire({ url, headers }: Extract<Address, { kind: "http" }>): Wire {
  const asked = new Map<Id, Asked>();
  const answerError = (id: Id, message: string): void => {
    if (!asked.delete(id)) return;
    wire.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_000, message } });
  };
  const inner = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch: async (target, init = {}) => {
      const id = idIn(init);
      const one = id === null ? undefined : asked.get(id);
      const signal =
        one === undefined ? init.signal : AbortSignal.any([one.stop.signal, ...(init.signal ? [init.signal] : [])]);
      const response = await fetch(target, { ...init, signal: signal ?? null });
      return bounded(response, {
        onNamed() {
          if (one !== undefined) one.resumable = true;
        },
        onEnd() {
          if (one === undefined || id === null) return;
          one.over = true;
          if (!one.resumable) {
            setTimeout(() => answerError(id, "its answer ended before it was whole"), SETTLE_MS).unref();
          }
        },
      });
    },
  });
  const wire: Wire = {
    start: () => inner.start(),
    async send(message) {
      const id = "method" in message && "id" in message ? message.id : null;
      if (id !== null) asked.set(id, { stop: new AbortController(), resumable: false, over: false });
      try {
        await inner.send(message);
      } catch (thrown) {
        if (id !== null) asked.delete(id);
        throw thrown;
      }
      const cancelled = cancelledBy(message);
      if (cancelled === null) return;
      asked.get(cancelled)?.stop.abort();
      asked.delete(cancelled);
    },
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion(version),
    leave: () => inner.terminateSession(),
    why: () => null,
    lastWords: () => "",
  };
  inner.onmessage = (message: JSONRPCMessage) => {
    if ("method" in message && !("id" in message)) return wire.onNotification?.(message.method);
    if (!("method" in message) && message.id !== undefined) asked.delete(message.id);
    wire.onmessage?.(message);
  };
  inner.onclose = () => wire.onclose?.();
  inner.onerror = (error) => {
    wire.onerror?.(error);
    if (!/^Maximum reconnection attempts/.test(error.message)) return;
    for (const [id, { over }] of [...asked]) if (over) answerError(id, "the connection to it was lost");
  };
  return wire;
}

function idIn({ method, body }: RequestInit): Id | null {
  if (method !== "POST" || typeof body !== "string") return null;
  const message = JSON.parse(body) as { readonly id?: Id; readonly method?: string }; // written by the transport
  return message.method === undefined ? null : (message.id ?? null);
}

function cancelledBy(message: JSONRPCMessage): Id | null {
  if (!("method" in message) || message.method !== "notifications/cancelled") return null;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : null;
}

interface Watch {
  /** An event with an id came. */
  onNamed(): void;
  /** The body has ended, or broken off. */
  onEnd(): void;
}

/** The response, its body read no further than the bounds. */
function bounded(response: Response, watch: Watch): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  return new Response(ReadableStream.from(metered(body, isStream, watch)), { status, statusText, headers });
}

async function* metered(body: ReadableStream<Uint8Array>, isStream: boolean, watch: Watch): AsyncGenerator<Uint8Array> {
  const max = isStream ? BOUNDS.unasked : BOUNDS.message;
  let [whole, event] = [0, 0];
  try {
    for await (const chunk of body) {
      const text = isStream ? Buffer.from(chunk).toString("latin1") : "";
      if (/^id:/m.test(text)) watch.onNamed();
      whole += chunk.length;
      const gap = Math.max(text.lastIndexOf("\n\n"), text.lastIndexOf("\r\n\r\n"), text.lastIndexOf("\r\r"));
      event = gap === -1 ? event + chunk.length : chunk.length - gap;
      if (whole > max || event > BOUNDS.message) throw new Error(`the answer has more than ${BOUNDS.message >> 20} MB`);
      yield chunk;
    }
  } finally {
    watch.onEnd();
  }
}
