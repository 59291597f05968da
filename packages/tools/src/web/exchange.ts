import type { ClientRequest, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { checkCancelled } from "@smith/contract/cancel";
import { AgentError } from "@smith/contract/error";
import { errnoOf, printable, refusal } from "../fault.ts";
import type { Guard } from "./guard.ts";

/** Hops after the first request, at most. */
export const MAX_REDIRECTS = 5;
/** Headers that speak of the user: not sent on to another origin. */
const OF_THE_USER = new Set(["authorization", "cookie", "proxy-authorization"]);

export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Redirects are followed, each checked anew; else a redirect is the answer. */
  readonly follow: boolean;
  /** Bytes of the body that are read, after decompression. */
  readonly max_bytes: number;
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** The final address, without credentials. */
  readonly url: string;
  readonly body: Buffer;
  /** Why the body is only a part; null when it is whole. */
  readonly cut: string | null;
}

/** The address of a request. @throws {AgentError} `invalid_url` for anything but http and https. */
export function parseUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : null;
  if (url !== null && ["http:", "https:"].includes(url.protocol)) return url;
  const what = url === null ? "is no address" : `has the scheme ${url.protocol}`;
  const shown =
    url === null
      ? `"${printable(text)
          .replace(/\/\/[^/@]*@/, "//")
          .slice(0, 200)}"`
      : shownUrl(url);
  throw refusal("invalid_url", `invalid_url: ${shown} ${what}; give a whole http:// or https:// address.`);
}

/** An address for people, the model and logs: without user name and password. */
export function shownUrl(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href;
}

/**
 * One HTTP exchange with its redirects; the body is read as a stream and given up at the ceiling.
 * @throws {AgentError} `private_address`, `unreachable`, `timeout`, `too_many_redirects`, `invalid_url`, or the cancel.
 */
export async function exchange(given: Exchange, guard: Guard): Promise<Answer> {
  const late = AbortSignal.timeout(given.timeout_ms);
  const signal = AbortSignal.any([given.signal, late]);
  let { url, headers } = given;
  for (let hop = 0; ; hop++) {
    const answer = await send({ ...given, url, headers, signal }, guard).catch((thrown: unknown) => {
      throw unreachable(thrown, { url, given, late });
    });
    const next = given.follow ? redirectOf(answer, url) : null;
    if (next === null) return await receive(answer, { given, url, late });
    answer.destroy();
    if (hop === MAX_REDIRECTS) {
      throw refusal("too_many_redirects", `${shownUrl(given.url)} redirects more than ${MAX_REDIRECTS} times.`);
    }
    if (next.origin !== url.origin) headers = withoutUser(headers);
    url = next;
  }
}

async function send({ url, method, headers, body, signal }: Exchange, guard: Guard): Promise<IncomingMessage> {
  checkCancelled(signal);
  guard.requireLiteral(url);
  const { request: make } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return await new Promise((resolve, reject) => {
    const all = { "accept-encoding": "gzip, br", ...headers };
    const request: ClientRequest = make(url, { method, headers: all, signal, lookup: guard.lookup, agent: false });
    request.on("response", resolve).on("error", reject);
    request.end(body ?? undefined);
  });
}

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | null {
  return [301, 302, 303, 307, 308].includes(statusCode) && location !== undefined ? parseUrl(location, from) : null;
}

const withoutUser = (headers: Exchange["headers"]): Exchange["headers"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_USER.has(name.toLowerCase())));

interface Receiving {
  readonly given: Exchange;
  readonly url: URL;
  readonly late: AbortSignal;
}

async function receive(message: IncomingMessage, { given, url, late }: Receiving): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let cut: string | null = null;
  const body = await decompressed(message);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, given.max_bytes - size));
      size += chunk.length;
      if (size <= given.max_bytes) continue;
      cut = `the body is longer than ${given.max_bytes} bytes; the rest was not read`;
      break;
    }
  } catch (thrown) {
    // What came before the end is worth showing; without it, and on cancel, the failure is the answer.
    checkCancelled(given.signal);
    if (size === 0) throw unreachable(thrown, { url, given, late });
    cut = late.aborted
      ? `the body did not end within ${given.timeout_ms / 1000} s; this is what came`
      : "the connection broke or the compressed body is damaged; this is what came";
  } finally {
    body.destroy();
    message.destroy();
  }
  const { statusCode: status = 0, headers } = message;
  return { status, headers, url: shownUrl(url), body: Buffer.concat(chunks), cut };
}

async function decompressed(message: IncomingMessage): Promise<Readable> {
  const coding = (message.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (coding === "identity" || coding === "") return message;
  const decoder = await decoderOf(coding);
  if (decoder === null) {
    message.destroy();
    throw refusal("unsupported_encoding", `The answer is compressed as ${printable(coding)}, which can't be read.`);
  }
  message.on("error", (error) => decoder.destroy(error));
  message.pipe(decoder);
  return decoder;
}

async function decoderOf(coding: string) {
  const { createBrotliDecompress, createGunzip, createInflate } = await import("node:zlib");
  if (coding === "gzip" || coding === "x-gzip") return createGunzip();
  if (coding === "br") return createBrotliDecompress();
  return coding === "deflate" ? createInflate() : null;
}

function unreachable(thrown: unknown, { url, given, late }: Receiving): AgentError {
  checkCancelled(given.signal);
  if (late.aborted) {
    const waited = `within ${given.timeout_ms / 1000} s`;
    return refusal("timeout", `timeout: ${shownUrl(url)} did not answer ${waited}. Try again, or another address.`);
  }
  if (thrown instanceof AgentError) return thrown;
  const why = errnoOf(thrown) ?? (thrown instanceof Error ? thrown.message : String(thrown));
  if (/^ERR_(HTTP|INVALID)/.test(why))
    return refusal("bad_request", `The request can't be sent: ${why}. Look at its headers.`);
  return refusal("unreachable", `${shownUrl(url)} can't be reached: ${why}. Check the address.`);
}
