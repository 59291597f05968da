/** Steps of output one after the other, though some of them take time. */
export interface Sequence {
  /** Runs the step at once when nothing is under way, else after what was asked before. */
  run(step: () => void | Promise<void>): void;
  /** When all that was asked so far is done. */
  idle(): Promise<void>;
}

export function createSequence(): Sequence {
  const waiting: (() => void | Promise<void>)[] = [];
  let last: Promise<void> = Promise.resolve();
  let busy = false;
  const work = async (first: Promise<void>): Promise<void> => {
    await first;
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await step();
    busy = false;
  };
  return Object.freeze({
    run(step: () => void | Promise<void>) {
      if (busy) {
        waiting.push(step);
        return;
      }
      const done = step();
      if (done === undefined) return;
      busy = true;
      last = work(done).catch(() => {
        busy = false; // a step that failed costs its own output, not what follows
      });
    },
    idle: () => last,
  });
}
