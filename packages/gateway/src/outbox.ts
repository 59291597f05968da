import { AgentError } from "@smith/contract/error";
import type { Wait } from "./reconnect.ts";

export interface Outbox {
  /** Resolves when the line is out. @throws {AgentError} when there was no connection for too long. */
  put(line: string): Promise<void>;
  /** Lines go out here from now on. */
  attach(send: (line: string) => void): void;
  detach(): void;
}

/** Twitch takes 20 lines in 30 s and is silent about those beyond. */
const LINES = 18;
const WINDOW_MS = 30_000;
/** Ms that a line waits for a connection. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 100;

/** Sends lines one after the other, no more of them than the platform takes, and keeps them over a lost connection. */
export function createOutbox(
  { sleep }: Pick<Wait, "sleep">,
  signal: AbortSignal,
  { lines = LINES, window_ms = WINDOW_MS, patience_ms = PATIENCE_MS } = {},
): Outbox {
  let send: ((line: string) => void) | null = null;
  let tail: Promise<void> = Promise.resolve();
  const sentAt: number[] = [];
  const now = () => performance.now();
  const out = async (line: string): Promise<void> => {
    const oldest = sentAt.length < lines ? undefined : sentAt[0];
    if (oldest !== undefined) await sleep(Math.max(0, oldest + window_ms - now()), signal);
    const until = now() + patience_ms;
    while (send === null) {
      if (now() > until) throw lost();
      await sleep(LOOK_MS, signal);
    }
    send(line);
    sentAt.push(now());
    if (sentAt.length > lines) sentAt.shift();
  };
  return Object.freeze({
    put(line: string) {
      const sent = tail.then(() => out(line));
      tail = sent.catch(() => {}); // the next one may have more luck
      return sent;
    },
    attach(to: (line: string) => void) {
      send = to;
    },
    detach() {
      send = null;
    },
  });
}

const lost = (): AgentError =>
  new AgentError({ kind: "transport", code: "network", origin: "gateway/outbox", message: "there was no connection" });
