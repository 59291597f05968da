/** Exit code of each signal that ends a run. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const REASONS = { SIGINT: "ctrl-c", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP" } as const;
type EndSignal = keyof typeof CODES;

export interface Signals {
  /** From now on the first signal calls this instead of leaving at once. */
  onCancel(cancel: (reason: string) => void): void;
  /** The code of the signal that came; null when none did. */
  exitCode(): number | null;
}

/** Ctrl-C, SIGTERM, SIGHUP: the first cancels the turn, a second one leaves at once. */
export function watchSignals(): Signals {
  let cancel: ((reason: string) => void) | null = null;
  let first: EndSignal | null = null;
  const handle = (signal: EndSignal) => {
    if (cancel === null || first !== null) process.exit(CODES[first ?? signal]);
    first = signal;
    cancel(REASONS[signal]);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => handle(signal));
  return Object.freeze({
    onCancel(request: (reason: string) => void) {
      cancel = request;
    },
    exitCode: () => (first === null ? null : CODES[first]),
  });
}
