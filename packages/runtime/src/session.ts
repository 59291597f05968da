import { AgentError } from "@smith/contract/error";

/** The seed's session of a runtime; in prose: the runtime state. */
export interface SessionState {
  readonly status: "created" | "running" | "stopped" | "failed";
  readonly started_at: number | null;
  readonly stopped_at: number | null;
  readonly stop_reason: string | null;
  readonly error: string | null;
}

export interface Session {
  state(): SessionState;
  /** @throws {AgentError} `internal`/`illegal_transition` unless the session was just created; likewise below. */
  start(): void;
  stop(reason: string): void;
  fail(error: AgentError): void;
}

/** created → running → stopped | failed, and nothing else. */
export function createSession(now: () => number): Session {
  let state: SessionState = { status: "created", started_at: null, stopped_at: null, stop_reason: null, error: null };
  const move = (from: readonly SessionState["status"][], to: Partial<SessionState> & Pick<SessionState, "status">) => {
    if (!from.includes(state.status)) {
      throw new AgentError({
        kind: "internal",
        code: "illegal_transition",
        origin: "runtime/session",
        message: `A ${state.status} session can't become ${to.status}.`,
      });
    }
    state = Object.freeze({ ...state, ...to });
  };
  return Object.freeze({
    state: () => state,
    start: () => move(["created"], { status: "running", started_at: now() }),
    stop: (reason: string) =>
      move(["created", "running"], { status: "stopped", stopped_at: now(), stop_reason: reason }),
    fail: (error: AgentError) =>
      move(["created", "running"], { status: "failed", stopped_at: now(), stop_reason: "error", error: error.message }),
  });
}
