import type { IncomingHttpHeaders } from "node:http";

/** One request as it came in. */
export interface RecordedRequest {
  readonly method: string;
  /** With the query, as `/v1/chat/completions`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; `undefined` when it is not JSON. */
  readonly body: unknown;
  /** The body as text. */
  readonly raw: string;
  /** The role its system prompt names (`role: worker`), `*` where it names none. */
  readonly role: string;
  /** `performance.now()` when it had come in whole, ms: only differences mean something. */
  readonly at: number;
  /** Resolves when the answer ended or the client closed the connection, whichever comes first. */
  readonly closed: Promise<void>;
}
