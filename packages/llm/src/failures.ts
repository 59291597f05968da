import { AgentError } from "@smith/contract/error";

/** What became of a provider that gave no answer. */
export interface Failure {
  readonly provider: string;
  readonly error: AgentError;
  readonly attempts: number;
}

const ORIGIN = "llm/router";

/** The same error with more said: kind, code and data stay, it becomes the cause. */
const retold = (error: AgentError, more: string, data: Readonly<Record<string, unknown>>): AgentError =>
  new AgentError({
    kind: error.kind,
    code: error.code,
    retryable: error.retryable,
    origin: error.origin,
    message: `${error.message}${more}`,
    data: { ...error.data, ...data },
    cause: error,
  });

/** A provider that wants us to wait for longer than we do. */
export function tooLongToWait(error: AgentError, limitMs: number): AgentError {
  const asked = Number(error.data["retry_after_ms"]);
  return retold(
    error,
    ` It wants ${span(asked)} to pass first, more than the ${limitMs / 1000} s that are waited for.`,
    {},
  );
}

function span(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}

/** The first provider's error: what the user set up to answer is what must be mended. The others are named behind it. */
export function allFailed(failures: readonly Failure[]): AgentError {
  const [first, ...others] = failures;
  if (first === undefined) {
    return new AgentError({
      kind: "schema",
      code: "no_model",
      origin: ORIGIN,
      message: "No model provider is configured. Set llm_config.api_url or providers.",
    });
  }
  const tries = first.attempts > 1 ? ` Asked ${first.attempts} times.` : "";
  if (others.length === 0) return tries === "" ? first.error : retold(first.error, tries, { attempts: first.attempts });
  const told = others.map(({ provider, error }) => ` Then ${provider} failed too: ${error.message}`).join("");
  const data = failures.map(({ provider, error, attempts }) => ({ provider, code: error.code, attempts }));
  return retold(first.error, tries + told, { attempts: first.attempts, failures: data });
}
