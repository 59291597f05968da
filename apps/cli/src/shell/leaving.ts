/** Ctrl-C and the way out. */
export interface Leaving {
  /** Ctrl-C: cancels the turn, or says how to leave; the second within two seconds leaves, a third does not wait. */
  interrupt(): void;
  /** Cancels the turn, if one runs. */
  cancel(reason: string): void;
  /** From here on nothing is read or drawn. The first code counts. */
  leave(code: number): void;
  /** The code to leave with; null: nobody leaves. */
  code(): number | null;
  /** What is said to the user just now; empty: nothing. */
  hint(): string;
}

export interface LeavingPorts {
  isBusy(): boolean;
  cancelTurn(reason: string): void;
  /** Lines typed ahead were meant for a turn that would go on. */
  takeBackLines(): void;
  /** The hint changed. */
  draw(): void;
  onLeave(): void;
  /** Leaves at once, the terminal as it was. */
  exitNow(code: number): void;
}

/** How long a second Ctrl-C counts as "leave", and the hint stands, ms. */
const TWICE_MS = 2000;

export function createLeaving(ports: LeavingPorts): Leaving {
  let code: number | null = null;
  let interruptedAt = Number.NEGATIVE_INFINITY;
  let hint = "";
  const show = (text: string) => {
    hint = text;
    ports.draw();
  };
  const cancel = (reason: string) => {
    if (!ports.isBusy()) return;
    ports.cancelTurn(reason);
    ports.takeBackLines();
  };
  const leave = (exit: number) => {
    if (code !== null) return;
    code = exit;
    ports.cancelTurn("leaving");
    ports.onLeave();
  };
  return Object.freeze({
    cancel,
    leave,
    interrupt() {
      if (code !== null) return ports.exitNow(code);
      const now = performance.now();
      if (now - interruptedAt < TWICE_MS) return leave(130);
      interruptedAt = now;
      if (ports.isBusy()) return cancel("ctrl-c");
      show("(Ctrl-C again leaves, or Ctrl-D)");
      setTimeout(() => show(""), TWICE_MS).unref();
    },
    code: () => code,
    hint: () => hint,
  });
}
