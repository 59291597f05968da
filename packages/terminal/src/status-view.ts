export type Activity = "idle" | "thinking" | "streaming" | "tool" | "error" | "cancelled";

/** A call that runs now. */
export interface WorkCall {
  readonly call_id: string;
  readonly tool: string;
  /** What it is about: a command, path, pattern; one line, safe to draw, maybe empty. */
  readonly subject: string;
}

/** What one turn, the user's or a child's, is at. */
export interface Work {
  readonly activity: Activity;
  readonly calls: readonly WorkCall[];
  /** Milliseconds since the epoch; null: it has not begun. */
  readonly started_at: number | null;
  /** Tokens of the turn so far, as far as its provider says. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Characters of the answer that streams now, of which the provider said nothing yet. */
  readonly streamed_chars: number;
  readonly cancelling: boolean;
  /** Why it waits, as `rate_limit; trying again in 2 s`; empty: it does not. */
  readonly waiting: string;
}

/** A child that runs. */
export interface ChildStatus extends Work {
  readonly job_id: string;
  /** The job that dispatched it; null: the user's turn did. */
  readonly parent_job_id: string | null;
  readonly role: string;
  /** One line, safe to draw. */
  readonly task: string;
  /** Null until its turn has begun. */
  readonly turn_id: string | null;
}

/** All that the status rows and the prompt line tell of what goes on. */
export interface StatusView extends Work {
  readonly role: string;
  readonly turn_id: string | null;
  /** The error's message, of a turn that failed. */
  readonly error: string;
  /** Tokens of the user's conversation as of its last request; null before the first. */
  readonly context_tokens: number | null;
  /** Of all turns seen, children included. */
  readonly cost_usd: number;
  /** In the order they began. */
  readonly children: readonly ChildStatus[];
  /** Jobs of children whose own turn has not begun: their dispatch events carry the id of the job that sent them. */
  readonly expected: readonly { readonly turn_id: string; readonly role: string; readonly task: string }[];
}
