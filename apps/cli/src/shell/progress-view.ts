import type { AgentEvent } from "@smith/contract/event";
import { IDLE_STATUS, reduceStatus, type StatusView, startSpinner } from "@smith/terminal";

/** What goes on, kept for the status rows and the prompt. */
export interface ProgressView {
  onEvent(event: AgentEvent): void;
  /** @param asker who waits for the user's answer: a job's id, or null for the turn itself; undefined: nobody does. */
  shown(asker?: string | null): { readonly status: StatusView; readonly window: number | null };
  /** Tokens of the model's window; null: the last one known stays. */
  useWindow(tokens: number | null): void;
  /** Nothing goes on any more, also where a turn could not tell its end. */
  stop(): void;
}

/** What may go on for a while: a turn, or a summary that was asked for between turns. */
const BEGINNINGS: ReadonlySet<AgentEvent["type"]> = new Set(["turn_started", "compact_started"]);

/** @param draw called when what is shown changed, and ten times a second while a turn runs. */
export function createProgressView(draw: () => void): ProgressView {
  let status = IDLE_STATUS;
  let window: number | null = null;
  let spinner: { stop(): void } | null = null;
  return Object.freeze({
    onEvent(event: AgentEvent) {
      status = reduceStatus(status, event);
      if (event.source_role === undefined && BEGINNINGS.has(event.type)) spinner ??= startSpinner(draw);
      // What streams is drawn with the spinner: ten times a second is enough.
      if (event.type !== "llm_text_delta" && event.type !== "llm_reasoning_delta") draw();
    },
    shown: (asker?: string | null) => ({ status: whoWaits(status, asker), window }),
    useWindow(tokens: number | null) {
      window = tokens ?? window;
    },
    stop() {
      spinner?.stop();
      spinner = null;
      status = { ...status, activity: "idle", started_at: null, children: [] };
    },
  });
}

const WAITS = "waiting for your answer";

function whoWaits(status: StatusView, asker: string | null | undefined): StatusView {
  if (asker === undefined) return status;
  if (asker === null) return { ...status, waiting: WAITS };
  const children = status.children.map((child) => (child.job_id === asker ? { ...child, waiting: WAITS } : child));
  return { ...status, children };
}
