import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema, type RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { OpenProgram, Program, ProgramEnd } from "@smith/contract/program";
import { BOUNDS } from "./bounds.ts";
import { createLineReader } from "./lines.ts";
import type { Address } from "./settings.ts";

export interface StdioParts {
  readonly address: Extract<Address, { kind: "stdio" }>;
  readonly open: OpenProgram;
  readonly label: string;
}

/** A transport that knows why it ended. */
export interface Wire extends Transport {
  /** What ended it, as the end of a sentence that begins with the server; null while nothing did. */
  why(): string | null;
  /** The last words of its standard error, or what it printed where only messages belong; may be empty. */
  lastWords(): string;
  /** A notification of the server's, by its method. Those of standard streams come only here. */
  onNotification?: (method: string) => void;
  /** Tells the server that the session is over, where it would keep it. */
  leave?(): Promise<void>;
}

/** Messages as lines over the standard streams of a program. Lines that are no message are skipped. */
export function createStdioWire({ address, open, label }: StdioParts): Wire {
  const decoder = new TextDecoder();
  let errors = "";
  let program: Program | null = null;
  let why: string | null = null;
  const fail = (reason: string): void => {
    why ??= reason;
    void program?.close();
  };
  const inbox = createInbox({
    fail,
    onMessage: (message) => wire.onmessage?.(message),
    onNotification: (method) => wire.onNotification?.(method),
  });
  const wire: Wire = {
    async start() {
      program = await open({
        ...{ program: address.program, args: address.args, cwd: address.cwd, env: address.env, label },
        onOutput: (bytes) => (why === null ? inbox.add(bytes) : undefined),
        onErrors(bytes) {
          errors = (errors + decoder.decode(bytes, { stream: true })).slice(-BOUNDS.stderr);
        },
      });
      void program.ended.then((end) => {
        why ??= endText(end);
        wire.onclose?.();
      });
    },
    async send(message) {
      if (program === null || why !== null) throw new Error("the program has ended");
      if ("method" in message && "id" in message) inbox.expect(message.id);
      if (program.unsent() > BOUNDS.unread) fail("does not read what it is sent, and was stopped");
      else program.send(`${JSON.stringify(message)}\n`);
    },
    async close() {
      why ??= "was closed";
      await program?.close();
    },
    why: () => why,
    lastWords: () => errors.trim() || inbox.strays().trim(),
  };
  return wire;
}

interface Inbox {
  add(bytes: Uint8Array): void;
  /** A request went out: its answer is asked for. */
  expect(id: RequestId): void;
  /** The last lines that were no message. */
  strays(): string;
}

interface InboxParts {
  fail(reason: string): void;
  onMessage(message: JSONRPCMessage): void;
  onNotification(method: string): void;
}

/** What a program sends, as far as somebody waits for it: answers that were asked for, its own requests, notifications. */
function createInbox({ fail, onMessage, onNotification }: InboxParts): Inbox {
  const pending = new Set<RequestId>();
  let strays = "";
  let unasked = { bytes: 0, requests: 0 };
  const lines = createLineReader({
    max_bytes: BOUNDS.message,
    onTooLong: () => fail(`sent a message of more than ${BOUNDS.message >> 20} MB and was stopped`),
    onLine(line) {
      const message = readMessage(line);
      if (message === null) strays = `${strays}\n${line}`.slice(-BOUNDS.stderr);
      else if (!("method" in message)) {
        if (message.id === undefined || !pending.delete(message.id)) return;
        unasked = { bytes: 0, requests: 0 };
        onMessage(message);
      } else if (!("id" in message)) onNotification(message.method);
      // A request of its own is answered, so each costs more than its bytes do.
      else if (++unasked.requests > BOUNDS.requests) fail(FLOODS);
      else onMessage(message);
    },
  });
  return {
    add(bytes) {
      unasked.bytes += bytes.length;
      if (unasked.bytes > BOUNDS.unasked) fail(FLOODS);
      else lines.add(bytes);
    },
    expect: (id) => void pending.add(id),
    strays: () => strays,
  };
}

const FLOODS = "sends without end what nobody asked for, and was stopped";

const endText = ({ exit_code, exit_signal }: ProgramEnd): string =>
  exit_signal === null ? `ended with exit code ${exit_code}` : `was ended by ${exit_signal}`;

/**
 * A line as a message; null when it is none. A broken answer becomes an error answer: who waits for it is to know.
 * A notification is not looked at closely: a server may send very many.
 */
export function readMessage(line: string): JSONRPCMessage | null {
  const value = parsed(line);
  if (typeof value !== "object" || value === null) return null;
  if ("method" in value && typeof value.method === "string" && !("id" in value)) {
    return { jsonrpc: "2.0", method: value.method };
  }
  const message = JSONRPCMessageSchema.safeParse(value);
  if (message.success) return message.data;
  if ("method" in value || !("id" in value)) return null;
  const { id } = value;
  if (typeof id !== "number" && typeof id !== "string") return null;
  return { jsonrpc: "2.0", id, error: { code: -32_603, message: "its answer is no valid JSON-RPC message" } };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // a banner, a log line, half a message
  }
}
