/**
 * How time passes. Handed in: were it imported by files that are loaded late, what a start of smith loads would come in one
 * file more.
 */
export type Wait = Pick<typeof import("@smith/contract/wait"), "sleep" | "backoffMs">;

/** Ms to wait after each failure in a row; the last repeats. */
export const RECONNECT_MS: readonly number[] = Object.freeze([2000, 4000, 8000, 16_000, 30_000]);

/** What trying again can't mend: a wrong token, a refused right. */
export class FatalClose extends Error {}

/** The platform has said itself when to come again. */
export class ComeAgain extends Error {
  readonly wait_ms: number;

  constructor(message: string, waitMs: number) {
    super(message);
    this.wait_ms = waitMs;
  }
}

export interface ReconnectPorts {
  readonly wait: Wait;
  readonly signal: AbortSignal;
  /** Told once an outage, and when it is over. */
  say(line: string): void;
  /** It has ended for good. */
  fail(reason: string): void;
  readonly backoff_ms?: readonly number[];
}

/** A connection from its beginning to its end; it calls `ready` whenever it is known to work. */
export type Session = (ready: () => void, signal: AbortSignal) => Promise<void>;

/** Runs a session again and again until the signal is aborted or it fails for good. Never rejects. */
export async function keepConnected(session: Session, ports: ReconnectPorts): Promise<void> {
  const { wait, signal, say, fail, backoff_ms = RECONNECT_MS } = ports;
  let failures = 0;
  const ready = () => {
    if (failures > 0) say("connected again.");
    failures = 0;
  };
  while (!signal.aborted) {
    const error = await session(ready, signal).then(
      () => new Error("the connection was closed"),
      (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
    );
    if (signal.aborted) return;
    if (error instanceof FatalClose) return fail(error.message);
    if (failures === 0) say(`${error.message}; trying again.`);
    failures++;
    const least = error instanceof ComeAgain ? error.wait_ms : 0;
    await wait.sleep(Math.max(least, wait.backoffMs(backoff_ms, failures)), signal).catch(() => {}); // it ends
  }
}
