import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Asked, playStep, sendJson } from "./answer.ts";
import type { RecordedRequest } from "./recorded.ts";
import type { Script, Step } from "./script.ts";
import { readJsonBody } from "./strict.ts";
import { chatCompletions } from "./wires/chat-completions.ts";
import type { Wire } from "./wires/wire.ts";

export interface ScriptedLlmOptions {
  /** Bytes of a stream per write; default 7. Above about 64 KB pieces grow. */
  readonly piece_bytes?: number;
  /** What `GET …/models` lists: ids, or whole entries. Default one, `scripted`. */
  readonly models?: readonly (string | Readonly<Record<string, unknown>>)[];
  /** False: requests that a real endpoint would refuse are answered all the same. */
  readonly strict?: boolean;
  /** Default 0: the system picks one. */
  readonly port?: number;
  readonly wire?: Wire;
}

/** A model server that plays a script over real HTTP and checks each request it gets. */
export interface ScriptedLlm {
  /** `http://127.0.0.1:PORT/v1`. */
  readonly url: string;
  readonly port: number;
  /** The configuration of a client that speaks chat completions, the wire there is by default. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Every request but those for the model list, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** The requests for the model list. */
  readonly catalog_requests: readonly RecordedRequest[];
  /** The n-th of `requests` (1 is the first), as soon as it is there. Rejects when the server closes before. */
  received(n: number): Promise<RecordedRequest>;
  /** What broke so far, one sentence each. A test that sends bad requests on purpose empties it. */
  readonly violations: string[];
  /** Steps that nobody asked for yet. */
  leftover(): number;
  /** Closes the server and all its sockets; checks nothing. */
  close(): Promise<void>;
  /** @throws {Error} after closing, when a request broke a law, a step was left over, or a request came too many. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a scripted model server on 127.0.0.1. */
export async function startScriptedLlm(script: Script, options: ScriptedLlmOptions = {}): Promise<ScriptedLlm> {
  const desk = createDesk(script);
  const server = createServer({ noDelay: true }, (request, response) => {
    serve({ request, response }, desk, options).catch((error: unknown) => {
      desk.violations.push(`the server itself failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 120_000; // longer than any retry wait: an idle socket must not close under a client
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const close = () => closeServer(server, desk);
  const url = `http://127.0.0.1:${port}/v1`;
  return Object.freeze({
    url,
    port,
    config: { llm_config: { api_url: url }, default_model: "scripted" },
    requests: desk.requests,
    catalog_requests: desk.catalog_requests,
    received: desk.received,
    violations: desk.violations,
    leftover: desk.leftover,
    close,
    async [Symbol.asyncDispose]() {
      await close();
      const left = desk.leftover();
      const broken = [...desk.violations, ...(left === 0 ? [] : [`${left} scripted step(s) left over`])];
      if (broken.length > 0) throw new Error(`The scripted model was not used as scripted:\n- ${broken.join("\n- ")}`);
    },
  });
}

type Desk = ReturnType<typeof createDesk>;
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The script and what came in so far. */
function createDesk(script: Script) {
  const queues = new Map<string, Step[]>();
  for (const [role, steps] of Array.isArray(script) ? [["*", script] as const] : Object.entries(script)) {
    queues.set(role, [...(steps as readonly Step[])]);
  }
  const requests: RecordedRequest[] = [];
  const waiting = new Set<{ n: number; resolve(request: RecordedRequest): void; reject(error: Error): void }>();
  return {
    requests,
    catalog_requests: [] as RecordedRequest[],
    violations: [] as string[],
    leftover: () => [...queues.values()].reduce((sum, steps) => sum + steps.length, 0),
    take: (role: string): Step | undefined => (queues.get(role) ?? queues.get("*"))?.shift(),
    record(request: RecordedRequest) {
      requests.push(request);
      for (const each of waiting) {
        if (each.n !== requests.length) continue;
        waiting.delete(each);
        each.resolve(request);
      }
    },
    received(n: number): Promise<RecordedRequest> {
      const there = requests[n - 1];
      if (there !== undefined) return Promise.resolve(there);
      const promise = new Promise<RecordedRequest>((resolve, reject) => waiting.add({ n, resolve, reject }));
      promise.catch(() => {}); // whoever awaits it sees the rejection; a forgotten wait must not kill the process
      return promise;
    },
    stopWaiting() {
      for (const { n, reject } of waiting) reject(new Error(`Request ${n} never came: ${requests.length} did.`));
      waiting.clear();
    },
  };
}

async function serve({ request, response }: Exchange, desk: Desk, options: ScriptedLlmOptions): Promise<void> {
  const wire = options.wire ?? chatCompletions;
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  const bytes = await readAll(request);
  if (bytes === null) return; // the client left before it had asked
  const { body, faults } = readJsonBody(bytes, request.headers["content-type"]);
  const recorded = recordOf(request, { body, raw: bytes.toString(), closed, wire });
  const path = recorded.path.replace(/\?.*/, "");
  const list = request.method === "GET" ? listAt(path, wire, options) : null;
  if (list !== null) {
    desk.catalog_requests.push(recorded);
    return sendJson(response, 200, list);
  }
  desk.record(recorded);
  const place = `request ${desk.requests.length} (${recorded.role})`;
  const refuse = (status: number, message: string) => {
    desk.violations.push(`${place}: ${message}`);
    sendJson(response, status, wire.error(status, message));
  };
  if (request.method !== "POST" || !path.endsWith(wire.path) || path.includes("//")) {
    return refuse(404, `nothing is served at ${request.method} ${recorded.path}`);
  }
  const broken = options.strict === false ? [] : [...faults, ...lawsBroken(wire, recorded)];
  if (broken.length > 0) return refuse(400, broken.join("; "));
  const step = desk.take(recorded.role);
  if (step === undefined) return refuse(500, "script exhausted: there is no step left for this request");
  const fault = expectationFault(step, recorded);
  if (fault !== null) desk.violations.push(`${place}: ${fault}`);
  if (step.after !== undefined) await Promise.race([step.after, closed]);
  if (response.destroyed) return;
  const asked: Asked = { wire, body, raw_bytes: bytes.length, piece_bytes: options.piece_bytes ?? 7, closed };
  await playStep(step, response, asked);
}

const lawsBroken = (wire: Wire, { headers, body }: RecordedRequest): readonly string[] => [
  ...(wire.checkHeaders?.(headers) ?? []),
  ...(body === undefined ? [] : wire.check(body)),
];

/** The whole body; null when the client broke off while sending. */
async function readAll(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch {
    return null; // an aborted upload is the client's business, not a fault of the script
  }
}

function recordOf(
  request: IncomingMessage,
  { body, raw, closed, wire }: { body: unknown; raw: string; closed: Promise<void>; wire: Wire },
): RecordedRequest {
  const role = /\brole: (\w+)/.exec(wire.systemText(body))?.[1] ?? "*";
  return Object.freeze({
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    body,
    raw,
    role,
    at: performance.now(),
    closed,
  });
}

const expectationFault = (step: Step, request: RecordedRequest): string | null => {
  try {
    step.expect?.(request);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error); // shown to the test when the server is disposed
  }
};

/** The list that is served at a path; null: none. */
function listAt(path: string, wire: Wire, { models = ["scripted"] }: ScriptedLlmOptions): unknown {
  if (path.endsWith("/models")) return modelList(models);
  return wire.list !== undefined && path.endsWith(wire.list.path) ? wire.list.document(models.map(idOf)) : null;
}

const idOf = (model: string | Readonly<Record<string, unknown>>): string =>
  typeof model === "string" ? model : String(model["id"]);

const modelList = (models: readonly (string | Readonly<Record<string, unknown>>)[]) => ({
  object: "list",
  data: models.map((model) =>
    typeof model === "string" ? { id: model, object: "model", owned_by: "testkit" } : model,
  ),
});

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });

async function closeServer(server: Server, desk: Desk): Promise<void> {
  desk.stopWaiting();
  if (!server.listening) return;
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await done;
}
