import { checkCancelled } from "@smith/contract/cancel";
import { AgentError, toAgentError } from "@smith/contract/error";
import type { ChatDelta, ChatModel, ChatOptions, ChatReply, ChatRequest } from "@smith/contract/model";
import { backoffMs, sleep } from "@smith/contract/wait";
import { allFailed, type Failure, tooLongToWait } from "./failures.ts";

/** A provider of the walk. */
export interface RoutedModel {
  readonly model: ChatModel;
  /** The model that this provider is asked for; null: the one of the request. */
  readonly model_id: string | null;
}

export interface RetrySettings {
  /** Retries of one provider. */
  readonly max_retries: number;
  /** Milliseconds before each retry; the last repeats. */
  readonly backoff_ms: readonly number[];
  /** Go on even after something was shown. */
  readonly stream_retry_after_output: boolean;
}

export interface RouterOptions {
  /** In the order they are asked; at least one. */
  readonly providers: readonly RoutedModel[];
  readonly retry: RetrySettings;
  /** For tests; default a real wait. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Milliseconds of a Retry-After that are still waited for; longer, and the next provider is asked. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Several models as one: each provider is asked up to `1 + max_retries` times, then the next. What another attempt can't
 * mend (a bad key, a refused request, an overflow) moves on at once; a cancel, and anything after output was shown, ends
 * the walk. Each `chat` begins with the first provider, whose name it bears; requests may run side by side.
 * @throws {AgentError} of `chat`: the first provider's error, naming what became of the others.
 */
export function createRouter(options: RouterOptions): ChatModel {
  const { providers } = options;
  return Object.freeze({
    provider: providers[0]?.model.provider ?? "none",
    takes_images: providers.every(({ model }) => model.takes_images === true),
    async chat(request: ChatRequest, chatOptions: ChatOptions): Promise<ChatReply> {
      const failures: Failure[] = [];
      for (const routed of providers) {
        const before = failures.at(-1);
        const to = routed.model.provider;
        const asked = routed.model_id === null ? request : { ...request, model: routed.model_id };
        if (before !== undefined) {
          const { provider: from, error } = before;
          chatOptions.onSwitch?.({ from, to, model: asked.model, code: error.code });
        }
        const outcome = await askOne(routed.model, asked, { ...options, chat: chatOptions });
        if ("reply" in outcome) return outcome.reply;
        if (outcome.final) throw outcome.error;
        failures.push({ ...outcome, provider: to });
      }
      throw allFailed(failures);
    },
    close() {
      for (const { model } of providers) model.close?.();
    },
  });
}

type Outcome =
  | { readonly reply: ChatReply }
  /** `final`: no other provider may be asked. */
  | { readonly error: AgentError; readonly attempts: number; readonly final: boolean };

interface Asking extends RouterOptions {
  readonly chat: ChatOptions;
}

async function askOne(model: ChatModel, request: ChatRequest, asking: Asking): Promise<Outcome> {
  const { signal, onDelta, loadBlob } = asking.chat;
  const state = { attempt: 1, shown: false, reconnected: false };
  const listen = (delta: ChatDelta) => {
    state.shown = true;
    onDelta(delta);
  };
  const options = { signal, onDelta: listen, ...(loadBlob === undefined ? {} : { loadBlob }) };
  for (;;) {
    checkCancelled(signal);
    const answer = await attemptOf(model, request, options);
    if (!(answer instanceof AgentError)) return { reply: answer };
    const next = nextAfter(answer, state, asking.retry);
    if (typeof next !== "number") return { ...next, attempts: state.attempt };
    if (isStale(answer, state)) {
      state.reconnected = true; // no failed attempt: a fresh connection is made at once
      continue;
    }
    state.attempt++;
    const { attempt } = state;
    asking.chat.onRetry?.({ provider: model.provider, attempt, delay_ms: next, code: answer.code });
    await (asking.sleep ?? sleep)(next, signal);
  }
}

interface State {
  readonly attempt: number;
  readonly shown: boolean;
  readonly reconnected: boolean;
}

/** The server had closed a kept connection, and that was not noticed before. */
const isStale = ({ data }: AgentError, { reconnected }: State): boolean =>
  data["reused_socket"] === true && !reconnected;

/** After a failure: milliseconds until the same provider is asked again, or what its part in the walk came to. */
function nextAfter(
  error: AgentError,
  state: State,
  retry: RetrySettings,
): number | { error: AgentError; final: boolean } {
  if (endsTheWalk(error, state.shown, retry)) return { error, final: true };
  if (isStale(error, state)) return 0;
  if (!error.retryable) return { error, final: false };
  const asked = typeof error.data["retry_after_ms"] === "number" ? error.data["retry_after_ms"] : 0;
  if (asked > LONGEST_WAIT_MS) return { error: tooLongToWait(error, LONGEST_WAIT_MS), final: false };
  if (state.attempt > retry.max_retries) return { error, final: false };
  return Math.max(asked, backoffMs(retry.backoff_ms, state.attempt));
}

/** One attempt: an answer, or why there is none. A cancel is thrown. */
async function attemptOf(
  model: ChatModel,
  request: ChatRequest,
  options: ChatOptions,
): Promise<ChatReply | AgentError> {
  try {
    return await model.chat(request, options);
  } catch (thrown) {
    const error = toAgentError(thrown, "llm/router"); // kept as a value: it decides what is tried next
    checkCancelled(options.signal);
    if (error.kind === "cancelled") throw error;
    return error;
  }
}

/** A fault of our own (a broken transcript, a bug) is the same everywhere; what was shown can't be taken back. */
const endsTheWalk = (error: AgentError, shown: boolean, retry: RetrySettings): boolean =>
  (shown && !retry.stream_retry_after_output) ||
  error.code === "bad_transcript" ||
  (error.kind !== "transport" && error.kind !== "protocol");
