import type { RecordedRequest } from "./recorded.ts";

/** A tool call in the model's answer. `args` that are an object go out as JSON; a string goes out as it is. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** Token counts as they stand in the answer; extra fields (cached tokens, …) pass through. */
export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly [field: string]: unknown;
}

/** What every step may carry. */
export interface StepExtras {
  /** Looks at the request this step answers; a throw is kept and fails the test when the server is disposed. */
  readonly expect?: (request: RecordedRequest) => void;
  /** The answer waits for it. The request itself is recorded before. */
  readonly after?: Promise<unknown>;
}

/** How an answer ends, where it should end otherwise than a healthy one. */
export interface AnswerOptions {
  readonly reasoning?: string;
  /** Default `tool_calls` with calls, else `stop`; null: the answer never says why it ended. */
  readonly finish?: string | null;
  /** Default: counted from the bytes; null: not reported although asked for. */
  readonly usage?: WireUsage | null;
  /** False: the stream ends without its `[DONE]`. */
  readonly done?: boolean;
}

export type AnswerStep = AnswerOptions &
  (
    | { readonly say: string; readonly call?: readonly ScriptedCall[] }
    | { readonly call: readonly ScriptedCall[]; readonly say?: string }
  );

/** Any HTTP status. A `body` string goes out as it is, an object as JSON; without one an error body is made. */
export interface StatusStep {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A valid answer with neither text nor calls. */
export interface EmptyStep {
  readonly empty: true;
}

/** What is said goes out, then silence with the socket open until the client closes it. */
export interface StallStep {
  readonly stall: true;
  readonly say?: string;
  /** False: not even a status line. */
  readonly headers?: boolean;
}

/**
 * An answer that breaks off: `close` ends the response cleanly but without a finish reason (and calls without the last
 * piece of their arguments), `reset` destroys the socket at that point, `mid_event` ends inside the next JSON text.
 */
export interface CutStep {
  readonly cut: "close" | "reset" | "mid_event";
  readonly say?: string;
  readonly call?: readonly ScriptedCall[];
}

export type Bytes = string | Uint8Array;

/** The exact bytes of a 200 body, one write each. An async iterable keeps its own time; one that waits is a stall. */
export interface RawStep {
  readonly raw: Bytes | Iterable<Bytes> | AsyncIterable<Bytes>;
  /** Default: an event stream where one was asked for, else JSON. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One answer of the scripted model. */
export type Step = StepExtras & (AnswerStep | StatusStep | EmptyStep | StallStep | CutStep | RawStep);

/** Steps for whoever asks, or one list per role (`*`: every role without a list of its own). */
export type Script = readonly Step[] | Readonly<Record<string, readonly Step[]>>;
