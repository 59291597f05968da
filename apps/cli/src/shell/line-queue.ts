/** Lines that wait their turn, in the order they were typed. */
export interface LineQueue extends AsyncIterable<string> {
  add(line: string): void;
  /** No more lines come; those that wait are still handed out. */
  close(): void;
  waiting(): readonly string[];
  /** Takes back all that wait. */
  takeBack(): readonly string[];
}

export function createLineQueue(): LineQueue {
  const lines: string[] = [];
  let closed = false;
  /** Of whoever waits for a line: one that comes then is handed on at once, it never waits. */
  let hand: ((line: string | null) => void) | null = null;
  const give = (line: string | null) => {
    const to = hand;
    hand = null;
    to?.(line);
  };
  const next = (): Promise<string | null> =>
    new Promise((resolve) => {
      hand = resolve;
    });
  return Object.freeze({
    add(line: string) {
      if (hand === null) lines.push(line);
      else give(line);
    },
    close() {
      closed = true;
      give(null);
    },
    waiting: () => [...lines],
    takeBack: () => lines.splice(0),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const line = lines.shift() ?? (closed ? null : await next());
        if (line === null) return;
        yield line;
      }
    },
  });
}
