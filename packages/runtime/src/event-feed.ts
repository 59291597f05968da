import type { AgentEvent } from "@smith/contract/event";
import type { Listener } from "@smith/engine";

/** Events for loops. */
export interface EventFeed {
  /** All that happens from now on. */
  open(): AsyncIterableIterator<AgentEvent>;
  /** Ends all loops, each once it has seen what happened before. */
  end(): void;
}

/** Events that wait for a slow loop; of more the oldest are dropped. */
const WAITING = 10_000;

export function createEventFeed(subscribe: (listener: Listener) => () => void): EventFeed {
  const open = new Set<Stream>();
  let isOver = false;
  return Object.freeze({
    open() {
      const stream = createStream((ended) => open.delete(ended));
      if (isOver) stream.end();
      else {
        open.add(stream);
        stream.follow(subscribe(stream.push));
      }
      return stream.iterator;
    },
    end() {
      isOver = true;
      for (const stream of [...open]) stream.end();
    },
  });
}

interface Stream {
  readonly iterator: AsyncIterableIterator<AgentEvent>;
  push(event: AgentEvent): void;
  /** What unsubscribes it. */
  follow(unsubscribe: () => void): void;
  end(): void;
}

type Next = IteratorResult<AgentEvent, undefined>;

function createStream(onEnd: (stream: Stream) => void): Stream {
  let events: AgentEvent[] = [];
  let dropped = 0;
  let isOver = false;
  let unsubscribe = () => {};
  const readers: ((next: Next) => void)[] = [];

  const take = (): AgentEvent | undefined => {
    const [first] = events;
    if (first === undefined || dropped === 0) return events.shift();
    const text = `${dropped} events were dropped: they came faster than they were read.`;
    dropped = 0;
    return { type: "notice", level: "warn", text, ts: first.ts, turn_id: first.turn_id };
  };
  const stop = () => {
    isOver = true;
    unsubscribe();
    onEnd(stream);
    for (const reader of readers.splice(0)) reader({ done: true, value: undefined });
  };
  const stream: Stream = Object.freeze({
    push(event: AgentEvent) {
      const reader = readers.shift();
      if (reader !== undefined) return reader({ done: false, value: event });
      events.push(event);
      if (events.length < 2 * WAITING) return; // in one go: a shift for each event would cost its whole length
      dropped += events.length - WAITING;
      events = events.slice(-WAITING);
    },
    follow(leave: () => void) {
      unsubscribe = leave;
    },
    end: stop,
    iterator: {
      next(): Promise<Next> {
        const event = take();
        if (event !== undefined) return Promise.resolve({ done: false, value: event });
        if (isOver) return Promise.resolve({ done: true, value: undefined });
        return new Promise((resolve) => readers.push(resolve));
      },
      return(): Promise<Next> {
        events = [];
        stop();
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    },
  });
  return stream;
}
