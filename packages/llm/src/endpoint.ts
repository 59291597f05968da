import { AgentError } from "@smith/contract/error";
import type { FarEnd } from "./errors.ts";
import { type HttpProxy, proxyFor } from "./proxy.ts";
import { secretsOf } from "./secrets.ts";

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
  /** A whole answer, streamed or not; it wins over `timeout_s`. Default none. */
  readonly total_s?: number | undefined;
}

/** What every adapter over HTTP is told. */
export interface HttpModelOptions {
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
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A file to which each request and answer is added, keys masked; absent or null: none. */
  readonly wire_log?: string | null | undefined;
  /** Where the proxy variables are looked up; default the process's own. */
  readonly env?: Env | undefined;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Where a request goes, and how errors call it. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly far: FarEnd;
  readonly proxy: HttpProxy | null;
}

/** How one kind of endpoint is addressed. */
export interface Addressing {
  /** For errors, as `llm/openai-chat`. */
  readonly origin: string;
  /** Behind the base address, as `/chat/completions`. */
  readonly path: string;
  /** Ends of a base address that the path brings along itself. */
  readonly base_end?: RegExp;
  auth(key: string): Readonly<Record<string, string>>;
}

export const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` });

type Address = Pick<HttpModelOptions, "provider" | "api_url" | "api_key" | "api_key_env" | "headers" | "env">;

/** Hosts that answer nobody without a key; others may be open. */
const KEYED_HOSTS = new Set(["api.openai.com", "api.anthropic.com", "openrouter.ai"]);

/**
 * The endpoint of a provider.
 * @throws {AgentError} `auth` for a key that is missing where one is needed or that no header can carry, `bad_request`
 * for an unusable address, header or proxy. The key itself is never in the message.
 */
export function endpointOf(options: Address, { origin, path, base_end = /$/, auth }: Addressing): Endpoint {
  const url = parseUrl(options);
  const base = url.pathname.replace(/\/+$/, "").replace(base_end, "");
  const proxy = proxyFor(url, options.env ?? process.env);
  url.pathname = base + path;
  url.hash = "";
  const key = (options.api_key ?? "").trim();
  const far: FarEnd = Object.freeze({
    provider: options.provider,
    base: url.origin + base,
    url: url.origin + url.pathname,
    api_key: key === "" ? null : key,
    secrets: secretsOf({ api_key: key, headers: options.headers, url, proxy }),
    api_key_env: options.api_key_env,
    origin,
    via: proxy === null ? null : `${proxy.url.origin} (${proxy.variable})`,
  });
  const headers = { "user-agent": "smith", ...ownHeaders(far, auth), ...givenHeaders(options) };
  if (far.api_key === null && KEYED_HOSTS.has(url.hostname) && !carriesKey(headers)) {
    throw refuse("auth", `${far.provider} at ${far.base} needs a key: set ${far.api_key_env}.`);
  }
  return Object.freeze({ url, headers: Object.freeze(headers), far, proxy });
}

const carriesKey = (headers: Readonly<Record<string, string>>): boolean =>
  ["authorization", "x-api-key"].some((name) => headers[name] !== undefined);

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

function ownHeaders(far: FarEnd, auth: Addressing["auth"]): Readonly<Record<string, string>> {
  if (far.api_key === null) return {};
  if (HEADER_VALUE.test(far.api_key)) return auth(far.api_key);
  throw refuse(
    "auth",
    `The key in ${far.api_key_env} for ${far.provider} holds characters that no HTTP header can carry. Set ${far.api_key_env} to the bare key.`,
  );
}

function givenHeaders({ provider, headers = {} }: Address): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw refuse(
        "bad_request",
        `The header ${JSON.stringify(name)} of ${provider} can't be sent. Mend its name or value.`,
      );
    }
    given[name.toLowerCase()] = value;
  }
  return given;
}

const refuse = (code: string, message: string): AgentError =>
  new AgentError({ kind: code === "auth" ? "transport" : "protocol", code, message, origin: "llm/endpoint" });
