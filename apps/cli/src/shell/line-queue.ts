/** Lines that wait their turn, in the order they were typed. */
export interface LineQueue extends AsyncIterable<string> {
  add(line: string): void;
  /** No more lines come; those that wait are still handed out. */
  close(): void;
  waiting(): readonly string[];
}

export function createLineQueue(): LineQueue {
  const lines: string[] = [];
  let closed = false;
  let wake = (): void => {};
  return Object.freeze({
    add(line: string) {
      lines.push(line);
      wake();
    },
    close() {
      closed = true;
      wake();
    },
    waiting: () => [...lines],
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const line = lines.shift();
        if (line !== undefined) yield line;
        else if (closed) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  });
}
