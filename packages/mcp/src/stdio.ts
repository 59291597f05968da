import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCResponse,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
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
  const words = { errors: "", strays: "" };
  const decoder = new TextDecoder();
  const pending = new Set<RequestId>();
  const unasked = { bytes: 0, messages: 0 };
  let program: Program | null = null;
  let why: string | null = null;
  const fail = (reason: string): void => {
    why ??= reason;
    void program?.close();
  };
  const lines = createLineReader({
    max_bytes: BOUNDS.message,
    onTooLong: () => fail(`sent a message of more than ${BOUNDS.message >> 20} MB and was stopped`),
    onLine(line) {
      if (why !== null) return;
      const message = readMessage(line);
      if (message === null) words.strays = `${words.strays}\n${line}`.slice(-BOUNDS.stderr);
      else if (isAnswer(message) && message.id !== undefined && pending.delete(message.id)) {
        [unasked.bytes, unasked.messages] = [0, 0];
        wire.onmessage?.(message);
      } else if ("method" in message && "id" in message) {
        // A request of its own: each is answered, so each costs more than the bytes do.
        if (++unasked.messages > BOUNDS.requests) fail(FLOODS);
        else wire.onmessage?.(message);
      } else if ("method" in message) wire.onNotification?.(message.method);
    },
  });
  const wire: Wire = {
    async start() {
      program = await open({
        ...{ program: address.program, args: address.args, cwd: address.cwd, env: address.env, label },
        onOutput(bytes) {
          unasked.bytes += bytes.length;
          if (unasked.bytes > BOUNDS.unasked) fail(FLOODS);
          else lines.add(bytes);
        },
        onErrors(bytes) {
          words.errors = (words.errors + decoder.decode(bytes, { stream: true })).slice(-BOUNDS.stderr);
        },
      });
      void program.ended.then((end) => {
        why ??= endText(end);
        wire.onclose?.();
      });
    },
    async send(message) {
      if (program === null || why !== null) throw new Error("the program has ended");
      if (program.unsent() > BOUNDS.unread) fail("does not read what it is sent, and was stopped");
      else program.send(`${JSON.stringify(message)}\n`);
      if ("method" in message && "id" in message) pending.add(message.id);
    },
    async close() {
      why ??= "was closed";
      await program?.close();
    },
    why: () => why,
    lastWords: () => words.errors.trim() || words.strays.trim(),
  };
  return wire;
}

const FLOODS = "sends without end what nobody asked for, and was stopped";

const isAnswer = (message: JSONRPCMessage): message is JSONRPCResponse => !("method" in message);

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
