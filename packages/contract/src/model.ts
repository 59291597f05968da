import type { Message, ToolCall } from "./message.ts";
import type { ToolSpec } from "./tool.ts";

/** Token counts of one or more requests. `null` means the provider did not say, never 0. */
export interface Usage {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly cost_usd: number | null;
}

export const UNKNOWN_USAGE: Usage = Object.freeze({
  input_tokens: null,
  output_tokens: null,
  cached_tokens: null,
  reasoning_tokens: null,
  cost_usd: null,
});

export interface ChatRequest {
  readonly model: string;
  /** The system message first, then a transcript in which every tool call has exactly one result. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Position in `messages` up to which the prefix stands longest: where a provider's cache is worth a mark. 0: nowhere. */
  readonly cache_edge?: number;
  readonly temperature?: number;
  readonly max_tokens?: number;
  readonly effort?: "low" | "medium" | "high";
}

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "refusal";

/** One whole answer. Only ever returned when the provider said it was complete. */
export interface ChatReply {
  readonly content: string;
  readonly reasoning: string;
  readonly tool_calls: readonly ToolCall[];
  readonly finish_reason: FinishReason;
  readonly usage: Usage;
  /** Tokens of the input that went into the provider's cache, which it bills apart; absent: none, or it does not say. */
  readonly cache_write_tokens?: number;
  /** The model as the endpoint names it, which may differ from the one asked for. */
  readonly model: string;
  /** What the provider wants back with this answer's message (signed thoughts), as JSON; absent: nothing. */
  readonly provider_data?: Readonly<Record<string, unknown>>;
  /** What was mended or dropped on the way in, one sentence each. */
  readonly warnings: readonly string[];
}

export type ChatDelta =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string };

export interface RetryNotice {
  readonly provider: string;
  /** The attempt that is to come; 2 is the first retry. */
  readonly attempt: number;
  readonly delay_ms: number;
  readonly code: string;
}

export interface SwitchNotice {
  readonly from: string;
  readonly to: string;
  /** The model that `to` is asked for. */
  readonly model: string;
  readonly code: string;
}

export interface ChatOptions {
  readonly signal: AbortSignal;
  /** Called for each piece as it comes, in order; must not throw. Not called at all by a model that does not stream. */
  onDelta(delta: ChatDelta): void;
  /** Told before each wait of a model that tries again by itself; must not throw. */
  onRetry?(retry: RetryNotice): void;
  /** Told when a model of several providers goes on to the next. */
  onSwitch?(change: SwitchNotice): void;
  /** The bytes of a picture; null when they are not kept any more. Absent: pictures are told of, not shown. Never rejects. */
  loadBlob?(hash: string): Promise<Uint8Array | null>;
}

/** A model that answers one request. */
export interface ChatModel {
  /** The provider's configured name, as `default`. */
  readonly provider: string;
  /** True: the pictures of user messages are sent along. */
  readonly takes_images?: boolean;
  /** Tokens; absent: who asks it knows, or takes 128,000. */
  readonly context_window?: number;
  /**
   * @throws {AgentError} `transport`/`protocol` for a failed, cut or garbled answer (what was streamed before stays
   * with the caller, who saw the deltas); `cancelled` when the signal aborts. Never retries by itself.
   */
  chat(request: ChatRequest, options: ChatOptions): Promise<ChatReply>;
  /** Lets go of the connections that it keeps for the next request, which may come all the same. */
  close?(): void;
}
