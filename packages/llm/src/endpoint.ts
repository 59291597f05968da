import { AgentError } from "@smith/contract/error";
import type { FarEnd } from "./errors.ts";

/** Seconds; fractions allowed, down to a few milliseconds. */
export interface Timeouts {
  /** A whole answer that is not streamed. Default 600. */
  readonly timeout_s?: number | undefined;
  /** Connect, TLS and, when streaming, headers. Default 120. */
  readonly connect_timeout_s?: number | undefined;
  /** Handing the whole request to the network. Default 30. */
  readonly send_timeout_s?: number | undefined;
  /** Silence in a stream. Default 120. */
  readonly stream_stall_timeout_s?: number | undefined;
}

export interface OpenAiChatOptions {
  /** The provider's configured name, as `default`. */
  readonly provider: string;
  /** Base address; slashes at its end are ignored, a query is kept behind the path. */
  readonly api_url: string;
  readonly api_key: string | null;
  /** The variable that the key came from, for messages. */
  readonly api_key_env: string;
  readonly stream: boolean;
  readonly timeouts: Timeouts;
  /** Sent as they are; they win over the adapter's own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where a request goes, and how errors call it. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly far: FarEnd;
}

type Address = Pick<OpenAiChatOptions, "provider" | "api_url" | "api_key" | "api_key_env" | "headers">;

/**
 * The endpoint at `path` (as `/chat/completions`) of a provider.
 * @throws {AgentError} `auth` for a key that no header can carry, `bad_request` for an unusable address or header. The
 * key itself is never in the message.
 */
export function endpointOf(options: Address, path: string): Endpoint {
  const url = parseUrl(options);
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = base + path;
  url.hash = "";
  const key = (options.api_key ?? "").trim();
  const far: FarEnd = Object.freeze({
    provider: options.provider,
    base: url.origin + base,
    url: url.origin + url.pathname,
    api_key: key === "" ? null : key,
    api_key_env: options.api_key_env,
  });
  return Object.freeze({ url, headers: Object.freeze(headersOf(options, far)), far });
}

function parseUrl({ provider, api_url }: Address): URL {
  const text = api_url.trim();
  if (URL.canParse(text)) {
    const url = new URL(text);
    if (url.protocol === "http:" || url.protocol === "https:") return url;
  }
  // The address may hold credentials: only its beginning up to the host is safe to show, so none of it is.
  throw refuse(
    "bad_request",
    `The address of ${provider} is no http(s) address. Set llm_config.api_url to one like https://host/v1.`,
  );
}

/** Visible ASCII and blanks: what every HTTP stack lets through a header unharmed. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function headersOf({ provider, headers = {} }: Address, far: FarEnd): Record<string, string> {
  const own: Record<string, string> = { "user-agent": "smith" };
  if (far.api_key !== null) {
    if (!HEADER_VALUE.test(far.api_key)) {
      throw refuse(
        "auth",
        `The key in ${far.api_key_env} for ${provider} holds characters that no HTTP header can carry. Set ${far.api_key_env} to the bare key.`,
      );
    }
    own["authorization"] = `Bearer ${far.api_key}`;
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw refuse(
        "bad_request",
        `The header ${JSON.stringify(name)} of ${provider} can't be sent. Mend its name or value.`,
      );
    }
    own[name.toLowerCase()] = value;
  }
  return own;
}

const refuse = (code: string, message: string): AgentError =>
  new AgentError({ kind: code === "auth" ? "transport" : "protocol", code, message, origin: "llm/endpoint" });
