import { AgentError, type AgentErrorInit, toAgentError } from "@smith/contract/error";
import { cleanCause, cleanText } from "./clean.ts";
import { type Complaint, isOverflow, isQuota, statusOf } from "./complaint.ts";

/** Who was asked, as errors name it. */
export interface FarEnd {
  readonly provider: string;
  /** The base address, without credentials and query. */
  readonly base: string;
  /** The whole address, without credentials and query. */
  readonly url: string;
  readonly api_key: string | null;
  /** The key and whatever else a request carries that is nobody's business: masked wherever a provider's words repeat it. */
  readonly secrets: readonly string[];
  readonly api_key_env: string;
  /** The adapter, as `llm/openai-chat`. */
  readonly origin: string;
  /** The proxy on the way there and the variable that named it, or null. */
  readonly via: string | null;
}

/** Characters of a provider's words that a message shows. */
const WORDS = 500;
/** Characters of a page or stream that was not what it should be. */
const QUOTE = 200;

const fault = (far: FarEnd, init: Omit<AgentErrorInit, "origin">): AgentError =>
  new AgentError({ ...init, origin: far.origin, cause: cleanCause(far, init.cause) });

/** Whatever was thrown on the way. What is none of ours may hold the request it was about: its words are cleaned. */
export function thrownError(far: FarEnd, thrown: unknown): AgentError {
  const told = toAgentError(thrown, "llm/http");
  if (told.kind !== "internal" || told === thrown) return told;
  return new AgentError({ kind: told.kind, origin: told.origin, message: cleanText(far, told.message, WORDS) });
}

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

type Verdict = Pick<AgentErrorInit, "kind" | "code" | "retryable"> & { mend: string; reason?: string };

const BAD = { kind: "protocol", code: "bad_request", retryable: false } as const;
const BUSY = { kind: "transport", code: "rate_limit", retryable: true } as const;

/** What a status means, and the mend. `null`: the provider complained without one. */
function judge(far: FarEnd, status: number | null, complaint: Complaint): Verdict {
  if (isOverflow(status, complaint)) {
    return {
      ...BAD,
      code: "context_overflow",
      mend: "The conversation is too long for the model: start a new one or shorten it.",
    };
  }
  if (status === 401 || status === 403 || status === 407) return denied(far, status);
  if (status === 402) return { ...BAD, reason: "no_credit", mend: "Add credit at the provider, or use another one." };
  // Not the request is at fault but where it went.
  if (status === 404) return { ...BAD, kind: "transport", mend: "Check the model's name and llm_config.api_url." };
  if (status === 408 || status === 409 || status === 425) {
    return { kind: "transport", code: "network", retryable: true, mend: "Try again." };
  }
  if (isQuota(complaint)) {
    return {
      ...BUSY,
      retryable: false,
      reason: "insufficient_quota",
      mend: "Add credit at the provider, or use another one.",
    };
  }
  if (status === 429) return { ...BUSY, mend: "Wait a little, or use another model." };
  if (status !== null && status >= 500) return { ...BUSY, mend: "The provider has trouble: try again later." };
  return { ...BAD, mend: "The provider refused the request as it is: check the model and its settings." };
}

function denied({ api_key, api_key_env, via }: FarEnd, status: number): Verdict {
  const verdict = { kind: "transport", code: "auth", retryable: false } as const;
  if (status === 407) {
    const mend = `The proxy${via === null ? "" : ` ${via}`} wants credentials: put them into its address.`;
    return { ...verdict, reason: "proxy", mend };
  }
  if (api_key === null) return { ...verdict, mend: `No key was sent: set ${api_key_env}.` };
  return { ...verdict, mend: `Check the key in ${api_key_env} and what it may use.` };
}

export interface Refusal {
  /** The HTTP status. */
  readonly status: number;
  readonly complaint: Complaint;
  readonly retry_after_ms?: number | null;
}

/** A status other than 2xx, in the provider's words. */
export function statusError(far: FarEnd, { status, complaint, retry_after_ms }: Refusal): AgentError {
  const { mend, reason, ...init } = judge(far, status, complaint);
  const words = sentence(cleanText(far, complaint.words, WORDS) || "no reason given");
  return fault(far, {
    ...init,
    message: `${far.provider} at ${far.url} answered ${status}: ${words} ${mend}`,
    data: {
      status,
      ...(reason === undefined ? {} : { reason }),
      ...(complaint.code === "" ? {} : { provider_code: cleanText(far, complaint.code, QUOTE) }),
      ...(typeof retry_after_ms === "number" ? { retry_after_ms } : {}),
    },
  });
}

/** An error that came inside a 200 answer, as its body or in the middle of its stream. */
export function complaintError(far: FarEnd, complaint: Complaint): AgentError {
  const status = statusOf(complaint);
  const { mend, reason, ...init } = judge(far, status, complaint);
  const words = sentence(cleanText(far, complaint.words, WORDS) || "no reason given");
  return fault(far, {
    ...init,
    message: `${far.provider} at ${far.url} answered with an error: ${words} ${mend}`,
    data: {
      status: status ?? 200,
      in_body: true,
      ...(reason === undefined ? {} : { reason }),
      ...(complaint.code === "" ? {} : { provider_code: cleanText(far, complaint.code, QUOTE) }),
    },
  });
}

/** A redirect is never followed: it would carry the key and the conversation to a place nobody configured. */
export function redirectError(far: FarEnd, status: number, location: string | undefined): AgentError {
  const target = location !== undefined && URL.canParse(location, far.url) ? new URL(location, far.url) : null;
  const shown = target === null ? "nowhere" : cleanText(far, target.origin + target.pathname, QUOTE);
  return fault(far, {
    ...BAD,
    message: `${far.provider} at ${far.url} answered ${status}: it redirects to ${shown}, which is not followed. Set llm_config.api_url to the final address.`,
    data: { status, reason: "redirect" },
  });
}

/** A 2xx answer that is none of a model. `reason`: html, empty, malformed, not_a_completion, no_event, encoding. */
export function badAnswer(
  far: FarEnd,
  reason: string,
  what: { said: string; quote?: string; status?: number },
): AgentError {
  const quote = cleanText(far, what.quote ?? "", QUOTE);
  return fault(far, {
    ...BAD,
    message: `${far.provider} at ${far.url} ${what.said}${quote === "" ? "." : `: ${sentence(quote)}`} Check llm_config.api_url and the model.`,
    data: { status: what.status ?? 200, reason },
  });
}

export const tooLarge = (far: FarEnd, what: string, bytes: number): AgentError =>
  fault(far, {
    kind: "protocol",
    code: "too_large",
    message: `${far.provider} at ${far.url} sent ${what} of more than ${bytes / 2 ** 20} MB, the limit. Nothing of it is used.`,
    data: { limit_bytes: bytes },
  });

/** A complete answer was never seen. What was streamed before stays with the caller, who saw the deltas. */
export const cutError = (far: FarEnd, why: string, cause?: unknown): AgentError =>
  fault(far, {
    kind: "transport",
    code: "stream_cut",
    retryable: true,
    message: `The answer of ${far.provider} was cut off before it ended (${cleanText(far, why, QUOTE)}). Ask again.`,
    data: { url: far.base },
    cause,
  });

const SETTING = { connect: "connect_timeout", send: "send_timeout", answer: "timeout", stall: "stream_stall_timeout" };
const WAITED = {
  connect: "did not answer within",
  send: "did not take the request within",
  answer: "did not finish its answer within",
  stall: "sent nothing for",
};
const TIMEOUT_CODE = { connect: "network", send: "network", answer: "timeout", stall: "stream_stalled" };

/** One of the four clocks ran out. */
export const timeoutError = (far: FarEnd, clock: keyof typeof SETTING, ms: number): AgentError =>
  fault(far, {
    kind: "transport",
    code: TIMEOUT_CODE[clock],
    retryable: true,
    message: `${far.provider} at ${far.base} ${WAITED[clock]} ${ms / 1000} s. llm_config.${SETTING[clock]} sets the limit.`,
    data: { reason: SETTING[clock], timeout_s: ms / 1000 },
  });

const CONNECT: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there. Start the server or check llm_config.api_url.",
  ENOTFOUND: "the host name is not known. Check llm_config.api_url and the network.",
  EAI_AGAIN: "the host name could not be looked up just now. Check the network.",
  ECONNRESET: "the connection was closed before an answer came. Try again.",
  EPIPE: "the connection was closed before an answer came. Try again.",
  ETIMEDOUT: "the connection timed out. Check the network.",
  EHOSTUNREACH: "there is no route to the host. Check the network.",
  ENETUNREACH: "there is no route to the host. Check the network.",
};

const isTls = (code: string): boolean =>
  /^(ERR_SSL_|ERR_TLS_|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH|EPROTO$)/.test(code);

/** The request failed before a status line came. */
export function networkError(far: FarEnd, cause: unknown, reusedSocket = false): AgentError {
  const code = textCode(cause);
  const where = `${far.provider} at ${far.base}`;
  const through = far.via === null ? "" : ` through the proxy ${far.via}`;
  if (isTls(code)) {
    return fault(far, {
      kind: "transport",
      code: "network",
      message: `${where} could not be reached safely (${code}). Check that the address should begin with https, the machine's clock, and NODE_EXTRA_CA_CERTS for a certificate of your own.`,
      data: { reason: "tls", errno: code },
      cause,
    });
  }
  if (code.startsWith("PROXY_")) return proxyError(far, Number(code.slice(6)), cause);
  if (code.startsWith("HPE_")) {
    return fault(far, {
      ...BAD,
      message: `${where} does not speak HTTP (${code}). Check the port, and whether the address should begin with https.`,
      data: { reason: "not_http", errno: code },
      cause,
    });
  }
  const said = CONNECT[code] ?? "the connection failed. Try again.";
  return fault(far, {
    kind: "transport",
    code: "network",
    retryable: true,
    message: `${where} could not be reached${through} (${code || "no reason given"}): ${said}`,
    // A kept connection that the server had closed meanwhile: a fresh one at once is worth a try.
    data: { errno: code, ...(reusedSocket ? { reused_socket: true } : {}) },
    cause,
  });
}

/** The proxy itself refused to make the connection. */
function proxyError(far: FarEnd, status: number, cause: unknown): AgentError {
  const wants =
    status === 407 ? "wants credentials: put them into its address" : "refused: check that it lets you there";
  return fault(far, {
    kind: "transport",
    code: status === 407 ? "auth" : "network",
    retryable: status >= 500,
    message: `${far.provider} at ${far.base} could not be reached: the proxy ${far.via} answered ${status}. It ${wants}.`,
    data: { status, reason: "proxy" },
    cause,
  });
}

const textCode = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
