import type { Provider } from "@smith/contract/config";
import { ANTHROPIC_ADDRESS, ANTHROPIC_HEADERS } from "./anthropic/address.ts";
import { limitMs } from "./clocks.ts";
import { complaintOf } from "./complaint.ts";
import { type Addressing, bearer, endpointOf, type HttpModelOptions } from "./endpoint.ts";
import { badAnswer, complaintError, cutError, type FarEnd } from "./errors.ts";
import { exchange, type Reader } from "./http.ts";
import { createRefusalReader, isSuccess } from "./refusal.ts";
import { openTransport } from "./transport.ts";
import { isObject, parseJson, textOf } from "./wire.ts";

const OPENAI: Addressing = Object.freeze({ origin: "llm/models", path: "/models", auth: bearer });
const ANTHROPIC: Addressing = Object.freeze({ ...ANTHROPIC_ADDRESS, origin: "llm/models", path: "/v1/models" });

export interface ListOptions
  extends Pick<HttpModelOptions, "provider" | "api_url" | "api_key" | "api_key_env" | "headers" | "env"> {
  /** Default `openai_chat`. */
  readonly kind?: Provider["kind"] | undefined;
}

/**
 * The ids of the models that `GET {api_url}/models` lists, sorted, each once.
 * @throws {AgentError} as a chat does; `bad_request` when the answer is no list of models.
 */
export async function listModels(
  options: ListOptions,
  { signal, timeout_s }: { readonly signal: AbortSignal; readonly timeout_s: number },
): Promise<readonly string[]> {
  const endpoint = endpointOf(options, options.kind === "anthropic" ? ANTHROPIC : OPENAI);
  const answer = limitMs(timeout_s);
  return await exchange<readonly string[]>({
    transport: await openTransport(endpoint, false),
    endpoint,
    headers: { accept: "application/json", ...(options.kind === "anthropic" ? ANTHROPIC_HEADERS : {}) },
    limits: { connect: answer, send: answer, stall: null, answer },
    signal,
    receive: (head) =>
      isSuccess(head) ? createListReader(endpoint.far, head.status) : createRefusalReader(endpoint.far, head),
  });
}

function createListReader(far: FarEnd, status: number): Reader<readonly string[]> {
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
      const list = listIn(body);
      if (list !== null) return Object.freeze([...new Set(list.map(idOf).filter((id) => id !== ""))].sort());
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

function listIn(body: unknown): readonly unknown[] | null {
  const list = isObject(body) ? (body["data"] ?? body["models"]) : body;
  return Array.isArray(list) ? list : null;
}

const idOf = (entry: unknown): string =>
  isObject(entry) ? textOf(entry["id"]) || textOf(entry["model"]) || textOf(entry["name"]) : textOf(entry);
