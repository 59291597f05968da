import { type Cancel, createCancel } from "@smith/contract/cancel";
import type { CancelAccount } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";
import type { TurnResult } from "@smith/contract/turn";
import type { ExecutionContext } from "./context.ts";

export interface ActiveTurn {
  context: ExecutionContext | null;
  readonly cancel: Cancel;
  /** Steering lines that wait for the next round. */
  readonly lines: string[];
  /** Null when it could not begin, or is no turn. */
  readonly ended: Promise<TurnResult | null>;
  settle(result: TurnResult | null): void;
}

/** The place of the one thing that may ask the model in a session's name. */
export interface OneTurn {
  /** @throws {AgentError} `policy`/`turn_active` while something runs. */
  occupy<T>(signal: AbortSignal | undefined, work: (turn: ActiveTurn) => Promise<T>): Promise<T>;
  active(): ActiveTurn | null;
  steer(text: string): boolean;
  cancel(reason: string): Promise<CancelAccount | null>;
}

/** At most one thing at a time, and a cancel of the root or of itself ends it. */
export function createOneTurn(root: Cancel): OneTurn {
  let active: ActiveTurn | null = null;
  return Object.freeze({
    async occupy<T>(signal: AbortSignal | undefined, work: (turn: ActiveTurn) => Promise<T>): Promise<T> {
      if (active !== null) throw turnActive();
      using cancel = signal === undefined ? root.child() : createCancel(signal);
      let settle = (_result: TurnResult | null): void => {};
      const ended = new Promise<TurnResult | null>((resolve) => {
        settle = resolve;
      });
      const turn: ActiveTurn = { context: null, cancel, lines: [], ended, settle };
      active = turn;
      try {
        return await work(turn);
      } finally {
        active = null;
        settle(null); // it never began, or was no turn: nothing to account for
      }
    },
    active: () => active,
    steer(text: string) {
      active?.lines.push(text);
      return active !== null;
    },
    async cancel(reason: string) {
      const turn = active;
      turn?.cancel.request(reason);
      return (await turn?.ended)?.cancel ?? null;
    },
  });
}

const turnActive = (): AgentError =>
  new AgentError({
    kind: "policy",
    code: "turn_active",
    origin: "runtime/run",
    message: "A turn is running already. Wait for it, or cancel it first.",
  });
