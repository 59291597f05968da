import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { cancelReason, checkCancelled } from "@smith/contract/cancel";
import { cancelledError } from "@smith/contract/error";
import { createClocks, type Limits, type Pulse } from "./clocks.ts";
import { decoded } from "./decode.ts";
import type { Endpoint } from "./endpoint.ts";
import { type FarEnd, networkError, thrownError, timeoutError, tooLarge } from "./errors.ts";
import type { Transport } from "./transport.ts";
import type { LogEntry, WireLog } from "./wire-log.ts";

const ORIGIN = "llm/http";

/** Bytes of a whole body, decompressed. */
const MAX_BODY = 64 * 2 ** 20;
/** Bytes and silence (ms) that a connection is given to end in good order after the answer is known. */
const DRAIN_BYTES = 64 * 2 ** 10;
const DRAIN_MS = 1000;

/** What a chunk was to the clock of silence, or `done`: nothing more is needed. */
export type Taken = Pulse | "done";
/** How a body ended: `done` by its own word, `eof` cleanly, `cut` by a broken connection, `quiet` by silence. */
export type Ending = "done" | "eof" | "cut" | "quiet";

/** Makes a value of a body. Both functions may throw an AgentError, which ends the exchange. */
export interface Reader<T> {
  take(chunk: Uint8Array): Taken;
  end(how: Ending, cause?: unknown): T;
}

export interface Head {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

export interface Exchange<T> {
  readonly transport: Transport;
  readonly endpoint: Endpoint;
  /** Absent: a GET. */
  readonly body?: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly log?: WireLog | null;
  receive(head: Head): Reader<T>;
}

/**
 * One request and its answer, with all clocks; never repeated, never redirected.
 * @throws {AgentError} `cancelled` on abort, `transport` for connection and time, and what the reader throws.
 */
export async function exchange<T>(call: Exchange<T>): Promise<T> {
  checkCancelled(call.signal);
  return await new Promise<T>((resolve, reject) => {
    try {
      converse(call, { resolve, reject });
    } catch (error) {
      reject(thrownError(call.endpoint.far, error)); // node refuses some options by a throw
    }
  });
}

interface Outcome<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

function converse<T>(call: Exchange<T>, outcome: Outcome<T>): void {
  const { endpoint, body } = call;
  const length = body === undefined ? {} : { "content-length": String(body.byteLength) };
  const method = body === undefined ? "GET" : "POST";
  const headers = { ...call.headers, ...length, ...endpoint.headers };
  const { request, abandon } = call.transport.request(endpoint, { method, headers });
  const entry = call.log?.begin({ method, url: endpoint.far.url, headers, body }) ?? null;
  const course = createCourse(call, { abandon, reused: () => request.reusedSocket, entry }, outcome);
  watchSending(request, course.clocks, endpoint.url.protocol);
  request.on("error", (cause) => course.finish("cut", cause));
  request.on("response", (response) => {
    try {
      const { statusCode: status = 0, headers } = response;
      course.clocks.answered(status);
      entry?.head(status, headers);
      const reader = course.begin({ status, headers });
      readBody(decoded(response, endpoint.far), { response, course, reader, far: endpoint.far, entry });
    } catch (error) {
      course.fail(error);
    }
  });
  request.end(body);
}

interface Line {
  /** Gives the connection up, also one that is still under way. */
  abandon(): void;
  /** Whether it had served a request before. */
  reused(): boolean;
  readonly entry: LogEntry | null;
}

/** The course of one exchange: settles once, by whatever comes first, and leaves no clock or listener behind. */
function createCourse<T>(call: Exchange<T>, { abandon, reused, entry }: Line, outcome: Outcome<T>) {
  const { signal, limits } = call;
  const { far } = call.endpoint;
  let reader: Reader<T> | null = null;
  let settled = false;
  const settle = (act: () => void) => {
    if (settled) return;
    settled = true;
    clocks.clear();
    signal.removeEventListener("abort", cancel);
    act();
  };
  const fail = (error: unknown) => {
    const told = thrownError(far, error);
    settle(() => outcome.reject(told));
    entry?.end(told.message);
    abandon();
  };
  const finish = (how: Ending, cause?: unknown) => {
    if (reader === null) return fail(how === "quiet" ? cause : networkError(far, cause, reused()));
    entry?.end(how);
    const { end } = reader;
    settle(() => {
      try {
        outcome.resolve(end(how, cause));
      } catch (error) {
        outcome.reject(thrownError(far, error)); // the caller of chat() is told, not the event loop
      }
    });
    if (how === "cut" || how === "quiet") abandon();
  };
  const cancel = () => fail(cancelledError(cancelReason(signal), ORIGIN));
  const clocks = createClocks(limits, {
    expire: (clock, ms) => fail(timeoutError(far, clock, ms)),
    quiet: (ms) => finish("quiet", timeoutError(far, "stall", ms)),
  });
  signal.addEventListener("abort", cancel, { once: true });
  return {
    clocks,
    fail,
    finish,
    isSettled: () => settled,
    begin(head: Head) {
      reader = call.receive(head);
      return reader;
    },
  };
}

type Course = ReturnType<typeof createCourse<unknown>>;

function watchSending(request: ClientRequest, clocks: Course["clocks"], protocol: string): void {
  clocks.start();
  request.once("socket", (socket) => {
    if (request.reusedSocket || !socket.connecting) clocks.connected();
    else socket.once(protocol === "https:" ? "secureConnect" : "connect", clocks.connected);
  });
  request.once("finish", clocks.sent);
}

interface Reading {
  readonly response: IncomingMessage;
  readonly course: Pick<Course, "clocks" | "fail" | "finish" | "isSettled">;
  readonly reader: Pick<Reader<unknown>, "take">;
  readonly far: FarEnd;
  readonly entry: LogEntry | null;
}

function readBody(content: Readable, { response, course, reader, far, entry }: Reading): void {
  let received = 0;
  const take = (chunk: Buffer) => {
    if (received > MAX_BODY) throw tooLarge(far, "an answer", MAX_BODY);
    entry?.take(chunk);
    const taken = reader.take(chunk);
    if (taken !== "done") return course.clocks.pulse(taken);
    course.finish("done");
    received = 0;
    release(response);
  };
  content.on("data", (chunk: Buffer) => {
    received += chunk.byteLength;
    try {
      if (!course.isSettled()) take(chunk);
      // What comes after the answer is let by, so that the connection can be used again; more than a little is not.
      else if (received > DRAIN_BYTES) for (const stream of [content, response]) stream.destroy();
    } catch (error) {
      course.fail(error);
    }
  });
  content.on("end", () => course.finish("eof"));
  content.on("error", (cause) => course.finish("cut", cause));
  if (content !== response) response.on("error", (cause) => course.finish("cut", cause));
}

/** Lets a connection end its answer by itself; it neither holds the process nor stays for long. */
function release(response: IncomingMessage): void {
  if (response.complete) return; // the agent has, or is about to take, the connection back
  const { socket } = response;
  const drop = () => response.destroy();
  socket.unref();
  socket.setTimeout(DRAIN_MS, drop);
  response.once("end", () => {
    socket.off("timeout", drop);
    socket.setTimeout(0);
  });
}
