import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ErrorCode, ListRootsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { OpenProgram } from "@smith/contract/program";
import { z } from "zod";
import { BOUNDS } from "./bounds.ts";
import { Answer } from "./content.ts";
import { createHttpWire } from "./http.ts";
import type { Address } from "./settings.ts";
import { createStdioWire, type Wire } from "./stdio.ts";
import { within } from "./within.ts";
import { without } from "./words.ts";

export interface ConnectionParts {
  readonly address: Address;
  readonly open: OpenProgram;
  /** What is not told on, although the server should send it back. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly version: string;
  /** The folder that the user works in. */
  root(): string;
}

export interface Listed {
  /** As the server sent them, unchecked. */
  readonly tools: readonly unknown[];
  /** There were more pages than are read, or they went in a circle. */
  readonly cut: boolean;
}

/** A server that has answered the handshake. */
export interface Connection {
  /** What the server calls itself. */
  readonly server: string;
  list(signal: AbortSignal): Promise<Listed>;
  call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Answer>;
  /** The list, where the server has said that it changed; null where it has not, or could not be read: then again next time. */
  listChanged(signal: AbortSignal): Promise<Listed | null>;
  answersPing(ms: number): Promise<boolean>;
  isOpen(): boolean;
  why(): string | null;
  lastWords(): string;
  close(): Promise<void>;
}

const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** The caller keeps the time: the SDK's own limit is set beyond any of ours. */
const NO_LIMIT = { timeout: 0x7fff_ffff, maxTotalTimeout: 0x7fff_ffff };
/** How long a server may take to hear that its session is over, ms. */
const LEAVE_MS = 1000;

/** @throws {ConnectFault} */
export async function connect(parts: ConnectionParts, signal: AbortSignal): Promise<Connection> {
  const { address, keys, open, label, version, root } = parts;
  const wire = address.kind === "stdio" ? createStdioWire({ address, open, label }) : createHttpWire(address);
  const client = new Client(
    { name: "smith", version },
    // Nothing of the SDK's checks a server's schemas: they are compiled, and a server writes them.
    { capabilities: { roots: {} }, jsonSchemaValidator: { getValidator: () => passes } },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: pathToFileURL(root()).href, name: "the working directory" }],
  }));
  let [isOpen, changed] = [true, false];
  wire.onNotification = (method) => {
    changed ||= method === "notifications/tools/list_changed";
  };
  client.onclose = () => {
    isOpen = false;
  };
  client.onerror = () => {}; // what matters fails a request, or closes the connection
  try {
    await linked(signal, (own) => client.connect(wire, { signal: own, ...NO_LIMIT }));
  } catch (thrown) {
    await wire.close().catch(() => {});
    throw new ConnectFault(thrown, wire);
  }
  const known = client.getServerVersion();
  const list = async (stop: AbortSignal): Promise<Listed> => without(keys, await listAll(client, stop));
  return Object.freeze({
    server: known === undefined ? "" : without(keys, `${known.name} ${known.version}`),
    list,
    call: (name: string, args: Readonly<Record<string, unknown>>, stop: AbortSignal) =>
      linked(stop, async (own) => {
        const params = { name, arguments: args };
        const answer = await client.request({ method: "tools/call", params }, Answer, { signal: own, ...NO_LIMIT });
        return without(keys, answer);
      }),
    async listChanged(stop: AbortSignal) {
      if (!changed) return null;
      changed = false; // before the list is asked for: it may change again meanwhile
      return await list(stop).catch(() => {
        changed = true;
        return null;
      });
    },
    answersPing: (ms: number) =>
      client.request({ method: "ping" }, z.looseObject({}), { timeout: ms }).then(
        () => true,
        // A server that does not know the word has answered, too.
        (thrown: unknown) => isOpen && thrown instanceof McpError && thrown.code !== ErrorCode.RequestTimeout,
      ),
    isOpen: () => isOpen,
    why: wire.why,
    lastWords: wire.lastWords,
    close: () => close(client, wire),
  });
}

/**
 * A request under a signal of its own, which follows the given one only as long as the request waits: the SDK would tell the
 * server to cancel what it has answered long ago.
 */
async function linked<T>(signal: AbortSignal, request: (own: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController();
  const stop = () => own.abort("nobody waits for it any more");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await request(own.signal);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const passes = (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined });

/** What kept a server from connecting, with what is known of its end. */
export class ConnectFault extends Error {
  readonly why: string | null;
  readonly words: string;
  constructor(cause: unknown, wire: Wire) {
    super("no connection", { cause });
    this.why = wire.why();
    this.words = wire.lastWords();
  }
}

/** Page by page, as far as the bounds. */
async function listAll(client: Client, signal: AbortSignal): Promise<Listed> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], cut: false };
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < BOUNDS.pages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await linked(signal, (own) =>
      client.request({ method: "tools/list", params }, Page, { signal: own, ...NO_LIMIT }),
    );
    tools.push(...listed.tools.slice(0, BOUNDS.listed - tools.length));
    cursor = listed.nextCursor;
    if (cursor === undefined || cursor === "") return { tools, cut: false };
    if (seen.has(cursor) || tools.length >= BOUNDS.listed) return { tools, cut: true };
    seen.add(cursor);
  }
  return { tools, cut: true };
}

async function close(client: Client, wire: Wire): Promise<void> {
  await within(
    LEAVE_MS,
    wire.leave?.().catch(() => {}),
  );
  await client.close();
}
