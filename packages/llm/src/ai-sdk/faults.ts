import { AgentError } from "@smith/contract/error";
import { cleanText } from "../clean.ts";
import { complaintIn, retryAfterMs } from "../complaint.ts";
import { badAnswer, complaintError, cutError, type FarEnd, networkError, statusError } from "../errors.ts";
import { isObject, textOf } from "../wire.ts";

/** Characters of a package's own words. */
const WORDS = 500;

/**
 * What a package threw, as our own adapters would have told it.
 * @param begun an answer was under way: what breaks now breaks it off.
 */
export function faultOf(far: FarEnd, thrown: unknown, begun: boolean): AgentError {
  if (thrown instanceof AgentError) return thrown;
  const { statusCode, responseBody, responseHeaders, message } = fieldsOf(thrown);
  const body = textOf(responseBody);
  if (typeof statusCode === "number" && (statusCode < 200 || statusCode >= 300)) {
    const headers = isObject(responseHeaders) ? (responseHeaders as Record<string, string>) : {};
    const complaint = complaintIn(body === "" ? textOf(message) : body);
    return statusError(far, { status: statusCode, complaint, retry_after_ms: retryAfterMs(headers, Date.now()) });
  }
  if (typeof statusCode === "number")
    return badAnswer(far, "not_a_completion", {
      said: `answered with no answer of a model (${cleanText(far, textOf(message), WORDS)})`,
      quote: body,
    });
  if (begun) return cutError(far, textOf(message) || "the connection broke");
  if (/API key|load.?setting/i.test(textOf(message))) {
    return new AgentError({
      kind: "transport",
      code: "auth",
      origin: far.origin,
      message: `${far.provider}: ${cleanText(far, textOf(message), WORDS)}`,
    });
  }
  return networkError(far, causeOf(thrown));
}

/** An `error` part of a stream: the provider's words, or what a package makes of a line that it can't read. */
export function partFault(far: FarEnd, error: unknown): AgentError {
  if (error instanceof Error) return faultOf(far, error, true);
  const words = typeof error === "string" ? error : JSON.stringify(error);
  return complaintError(far, complaintIn(words));
}

const fieldsOf = (thrown: unknown): Readonly<Record<string, unknown>> =>
  thrown instanceof Error
    ? { ...(thrown as unknown as Record<string, unknown>), message: thrown.message }
    : { message: String(thrown) };

/** The system's own error lies at the end of a chain of causes. */
function causeOf(thrown: unknown): unknown {
  let at = thrown;
  for (let n = 0; n < 5 && at instanceof Error && at.cause instanceof Error; n++) at = at.cause;
  return at;
}
