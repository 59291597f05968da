/** Milliseconds. */
export interface Limits {
  readonly connect: number;
  readonly send: number;
  /** Silence in a stream; null: this is no stream. */
  readonly stall: number | null;
  /** The whole answer; null: no such limit. */
  readonly answer: number | null;
}

/** Timers beyond this fire at once in Node. */
const LONGEST = 2 ** 31 - 1;
/** Comments keep a stream alive for so many stall times without data. */
const COMMENT_GRACE = 3;
/** What may follow a finish reason (usage, `[DONE]`) or an error status (its body) is waited for this long, ms. */
const GOODBYE_MS = 5000;

export const limitMs = (seconds: number): number => Math.min(LONGEST, Math.max(1, seconds * 1000));

interface Alarms {
  expire(clock: "connect" | "send" | "answer", ms: number): void;
  /** Nothing came for so long. */
  quiet(ms: number): void;
}

/**
 * The clocks of one exchange. Streams: connect runs until headers, silence is counted from the moment the request is
 * out. Else connect runs until the connection stands, and the whole answer has a limit.
 */
export function createClocks(limits: Limits, alarms: Alarms) {
  const running = new Map<string, NodeJS.Timeout>();
  const stop = (clock: string) => {
    clearTimeout(running.get(clock));
    running.delete(clock);
  };
  const run = (clock: "connect" | "send" | "answer", ms: number) => {
    running.set(
      clock,
      setTimeout(() => alarms.expire(clock, ms), ms),
    );
  };
  let stall = limits.stall === null ? null : createStall(limits.stall, alarms.quiet);
  return Object.freeze({
    start() {
      run("connect", limits.connect);
      if (limits.answer !== null) run("answer", limits.answer);
    },
    connected() {
      if (limits.stall === null) stop("connect");
      run("send", limits.send);
    },
    sent() {
      stop("send");
      stall?.pulse("data");
    },
    answered(status: number) {
      stop("connect");
      stop("send");
      if (status >= 200 && status < 300) return stall?.pulse("data");
      stall?.clear();
      stall = createStall(limits.stall ?? GOODBYE_MS, alarms.quiet);
      stall.pulse("ending");
    },
    pulse(kind: Pulse) {
      stall?.pulse(kind);
    },
    clear() {
      for (const clock of [...running.keys()]) stop(clock);
      stall?.clear();
    },
  });
}

/** What came: a part of an event counts as silence, `ending` gives the rest a short while. */
export type Pulse = "data" | "comment" | "part" | "ending";

/** Fires after `stallMs` of silence. Data starts it anew; comments too, but only three times that long without data. */
function createStall(stallMs: number, quiet: (ms: number) => void) {
  let timer: NodeJS.Timeout | undefined;
  let dataAt = 0;
  let pulses = 0;
  let state: "open" | "ending" | "cleared" = "open";
  const arm = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(expire, ms, pulses);
  };
  const expire = (seen: number) => {
    timer = undefined;
    // After a suspended process wakes, timers run before what has come meanwhile is read: read once more first.
    setImmediate(() => {
      if (state !== "cleared" && seen === pulses) quiet(stallMs);
    });
  };
  return Object.freeze({
    pulse(kind: Pulse) {
      if (state !== "open" || kind === "part") return;
      pulses++;
      if (kind === "ending") {
        state = "ending";
        return arm(Math.min(stallMs, GOODBYE_MS));
      }
      const now = performance.now();
      if (kind === "data") dataAt = now;
      arm(Math.min(stallMs, Math.max(0, dataAt + COMMENT_GRACE * stallMs - now)));
    },
    clear() {
      state = "cleared";
      clearTimeout(timer);
    },
  });
}
