import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
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
  /** Tells the server that the session is over, where it would keep it. */
  leave?(): Promise<void>;
}

/** Messages as lines over the standard streams of a program. Lines that are no message are skipped. */
export function createStdioWire({ address, open, label }: StdioParts): Wire {
  const words = { errors: "", strays: "" };
  const decoder = new TextDecoder();
  let program: Program | null = null;
  let why: string | null = null;
  let unasked = 0;
  const fail = (reason: string): void => {
    why ??= reason;
    void program?.close();
  };
  const lines = createLineReader({
    max_bytes: BOUNDS.message,
    onTooLong: () => fail(`sent a message of more than ${BOUNDS.message >> 20} MB and was stopped`),
    onLine(line) {
      const message = readMessage(line);
      if (message === null) words.strays = `${words.strays}\n${line}`.slice(-BOUNDS.stderr);
      else {
        if (!("method" in message)) unasked = 0;
        wire.onmessage?.(message);
      }
    },
  });
  const wire: Wire = {
    async start() {
      program = await open({
        ...{ program: address.program, args: address.args, cwd: address.cwd, env: address.env, label },
        onOutput(bytes) {
          unasked += bytes.length;
          if (unasked > BOUNDS.unasked) fail("sends without end what nobody asked for, and was stopped");
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

const endText = ({ exit_code, exit_signal }: ProgramEnd): string =>
  exit_signal === null ? `ended with exit code ${exit_code}` : `was ended by ${exit_signal}`;

/** A line as a message; null when it is none. A broken answer becomes an error answer: who waits for it is to know. */
export function readMessage(line: string): JSONRPCMessage | null {
  const value = parsed(line);
  const message = JSONRPCMessageSchema.safeParse(value);
  if (message.success) return message.data;
  if (typeof value !== "object" || value === null || "method" in value || !("id" in value)) return null;
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
