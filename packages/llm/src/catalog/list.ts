import { checkCancelled } from "@smith/contract/cancel";
import type { CatalogModel } from "@smith/contract/catalog";
import type { Provider } from "@smith/contract/config";
import { ANTHROPIC_ADDRESS, ANTHROPIC_HEADERS } from "../anthropic/address.ts";
import { limitMs } from "../clocks.ts";
import { complaintOf } from "../complaint.ts";
import { type Addressing, bearer, endpointOf, type HttpModelOptions } from "../endpoint.ts";
import { badAnswer, complaintError, cutError, type FarEnd } from "../errors.ts";
import { exchange, type Reader } from "../http.ts";
import { OLLAMA_BASE_END } from "../ollama/address.ts";
import { isLoopback } from "../proxy.ts";
import { createRefusalReader, isSuccess } from "../refusal.ts";
import { openTransport } from "../transport.ts";
import { isObject, parseJson } from "../wire.ts";
import { detailed, makesOf } from "./details.ts";
import { cataloged, listIn } from "./entries.ts";

export interface ListOptions
  extends Pick<HttpModelOptions, "provider" | "api_url" | "api_key" | "api_key_env" | "headers" | "env"> {
  /** Default `openai_chat`. */
  readonly kind?: Provider["kind"] | undefined;
}

export interface Asking {
  readonly signal: AbortSignal;
  /** Of each request. */
  readonly timeout_s: number;
}

const ORIGIN = "llm/catalog";
const OPENAI: Addressing = Object.freeze({ origin: ORIGIN, path: "/models", auth: bearer });
const ANTHROPIC: Addressing = Object.freeze({ ...ANTHROPIC_ADDRESS, origin: ORIGIN, path: "/v1/models" });
const OLLAMA: Addressing = Object.freeze({
  origin: ORIGIN,
  path: "/api/tags",
  base_end: OLLAMA_BASE_END,
  auth: bearer,
});

/**
 * The ids of the models that an endpoint lists, sorted, each once.
 * @throws {AgentError} as a chat does; `bad_request` when the answer is no list of models.
 */
export const listModels = async (options: ListOptions, asking: Asking): Promise<readonly string[]> =>
  Object.freeze(cataloged(await listed(options, asking)).map(({ id }) => id));

/**
 * The models of an endpoint, sorted by id, with all that it tells of them: a server of Ollama, LM Studio or llama.cpp is
 * asked at further addresses, and what it does not answer stays unknown. `thorough`: on this machine also a server that
 * does not say whose it is.
 * @throws {AgentError} as `listModels`.
 */
export async function listCatalog(
  options: ListOptions,
  asking: Asking & { readonly thorough?: boolean },
): Promise<readonly CatalogModel[]> {
  const entries = await listed(options, asking);
  const ask = async (place: { readonly path: string; readonly body?: unknown }): Promise<unknown> => {
    checkCancelled(asking.signal);
    const address = { origin: ORIGIN, path: place.path, base_end: OLLAMA_BASE_END, auth: bearer };
    try {
      return await askJson(options, address, { ...asking, body: place.body });
    } catch {
      return undefined; // it is no server of that make, or an old one: what is known stays
    }
  };
  const { kind = "openai_chat", provider, api_url } = options;
  const told = makesOf(entries, kind, provider);
  const isOpen = asking.thorough === true && kind === "openai_chat" && told.length === 0 && isHere(api_url);
  return Object.freeze(await detailed(cataloged(entries), isOpen ? ["lmstudio", "llamacpp"] : told, ask));
}

const isHere = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);

/** Entries as they came. */
const listed = async (options: ListOptions, asking: Asking): Promise<readonly unknown[]> =>
  (await askJson(options, addressOf(options.kind), asking, listIn)) as readonly unknown[];

const addressOf = (kind: ListOptions["kind"]): Addressing =>
  kind === "anthropic" ? ANTHROPIC : kind === "ollama" ? OLLAMA : OPENAI;

interface JsonAsking extends Asking {
  /** Absent: a GET. */
  readonly body?: unknown;
}

/** @param pick what is wanted of the answer; null: it is not the answer that was asked for. */
async function askJson(
  options: ListOptions,
  address: Addressing,
  { signal, timeout_s, body }: JsonAsking,
  pick: (body: unknown) => unknown = (whole) => whole,
): Promise<unknown> {
  const endpoint = endpointOf(options, address);
  const answer = limitMs(timeout_s);
  return await exchange<unknown>({
    transport: await openTransport(endpoint, false),
    endpoint,
    headers: {
      accept: "application/json",
      ...(options.kind === "anthropic" ? ANTHROPIC_HEADERS : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    limits: { connect: answer, send: answer, stall: null, answer },
    signal,
    receive: (head) =>
      isSuccess(head) ? createJsonReader(endpoint.far, head.status, pick) : createRefusalReader(endpoint.far, head),
  });
}

function createJsonReader(far: FarEnd, status: number, pick: (body: unknown) => unknown): Reader<unknown> {
  const chunks: Uint8Array[] = [];
  return {
    take(chunk) {
      chunks.push(chunk);
      return "data";
    },
    end(how, cause) {
      if (how === "cut") throw cutError(far, "the connection broke", cause);
      const text = Buffer.concat(chunks).toString();
      const body = parseJson(text);
      const picked = body === undefined ? null : pick(body);
      if (picked !== null) return picked;
      const complaint = isObject(body) ? complaintOf(body) : null;
      if (complaint !== null) throw complaintError(far, complaint);
      throw badAnswer(far, "not_a_list", {
        said: "answered with something that is no list of models",
        quote: text,
        status,
      });
    },
  };
}
