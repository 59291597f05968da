import { maskSecrets } from "./secret.ts";

export const ERROR_KINDS = [
  "transport",
  "protocol",
  "schema",
  "tool",
  "cancelled",
  "budget_exhausted",
  "policy",
  "persistence",
  "internal",
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** An error as data: what events, results and tool messages carry. Never holds a stack. */
export interface AgentErrorData {
  readonly kind: ErrorKind;
  /** A stable word for programs: `rate_limit`, `auth`, `stale_hash`, `unknown_tool`, … */
  readonly code: string;
  /** One sentence for people: what happened to what, and the mend. */
  readonly message: string;
  readonly retryable: boolean;
  /** The part that raised it, as `package/file`. */
  readonly origin: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly cause: string | null;
}

export interface AgentErrorInit {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly code?: string;
  readonly retryable?: boolean;
  readonly origin?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error class of the project. Everything below the turn throws this; turns and tools return it as data. */
export class AgentError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly retryable: boolean;
  readonly origin: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(init: AgentErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = "AgentError";
    this.kind = init.kind;
    this.code = init.code ?? init.kind;
    this.retryable = init.retryable ?? false;
    this.origin = init.origin ?? "unknown";
    this.data = init.data ?? {};
  }

  /** The error as JSON-safe data, without stack. */
  toJSON(): AgentErrorData {
    const { kind, code, message, retryable, origin } = this;
    return { kind, code, message, retryable, origin, data: jsonSafe(this.data), cause: causeText(this.cause) };
  }
}

const jsonSafe = (data: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  try {
    return JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
  } catch {
    return {}; // a cycle or a BigInt: the message already says what matters
  }
};

const causeText = (cause: unknown): string | null => {
  if (cause === undefined || cause === null) return null;
  return maskSecrets(cause instanceof Error ? cause.message : String(cause));
};

const isKind = (value: unknown): value is ErrorKind => ERROR_KINDS.includes(value as ErrorKind);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Turns anything thrown or returned as an error into an {@link AgentError}. The string `"cancelled"` and every abort
 * become kind `cancelled` (with the abort's own reason as message); an `AbortSignal.timeout` becomes a retryable
 * transport error; partial objects get defaults; what is unknown is `internal`.
 */
export function toAgentError(thrown: unknown, origin = "unknown"): AgentError {
  if (thrown instanceof AgentError) return thrown;
  if (thrown === "cancelled") return cancelledError("cancelled", origin);
  if (typeof thrown === "string") return new AgentError({ kind: "internal", message: thrown, origin });
  if (thrown instanceof Error) return fromError(thrown, origin);
  if (isRecord(thrown)) return fromPartial(thrown, origin);
  return new AgentError({
    kind: "internal",
    message: `Something that is no error was thrown: ${String(thrown)}`,
    origin,
  });
}

function fromError(error: Error, origin: string): AgentError {
  if (error.name === "AbortError") {
    // node:timers/promises and events.once hide the reason of the abort in `cause`.
    if (error.cause instanceof AgentError) return error.cause;
    const reason = typeof error.cause === "string" ? error.cause : "cancelled";
    return cancelledError(reason, origin);
  }
  if (error.name === "TimeoutError") {
    return new AgentError({
      kind: "transport",
      code: "timeout",
      message: error.message,
      retryable: true,
      origin,
      cause: error,
    });
  }
  // Whatever failed may have had a key at hand.
  const message = maskSecrets(error.message || error.name);
  return new AgentError({ kind: "internal", message, origin, cause: error });
}

function fromPartial(partial: Record<string, unknown>, origin: string): AgentError {
  const kind = isKind(partial["kind"]) ? partial["kind"] : "internal";
  const code = typeof partial["code"] === "string" ? partial["code"] : kind;
  const message =
    typeof partial["message"] === "string" ? partial["message"] : `An error of kind ${kind} without a message.`;
  return new AgentError({
    kind,
    code,
    message,
    retryable: partial["retryable"] === true,
    origin: typeof partial["origin"] === "string" ? partial["origin"] : origin,
    data: isRecord(partial["data"]) ? partial["data"] : {},
    cause: partial["cause"],
  });
}

/** The error of a cancel. `reason` is what the canceller said, as `ctrl-c`; it travels to the result unchanged. */
export const cancelledError = (reason: string, origin = "contract/cancel"): AgentError =>
  new AgentError({ kind: "cancelled", message: reason, origin });
