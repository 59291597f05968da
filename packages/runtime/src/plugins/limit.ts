/** It did not come in time. */
export class TooLate extends Error {
  constructor(ms: number) {
    super(`did not answer within ${ms / 1000} s`);
    this.name = "TooLate";
  }
}

/**
 * Waits for foreign work, not longer than that; after an abort of the signal a moment at most.
 * @throws {TooLate}, or what the work throws.
 */
export async function within<T>(work: Promise<T> | T, ms: number, signal?: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let hurry = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    const arm = (left: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => reject(new TooLate(left)), left);
    };
    hurry = () => arm(Math.min(ms, HURRY_MS));
    arm(signal?.aborted === true ? Math.min(ms, HURRY_MS) : ms);
    signal?.addEventListener("abort", hurry, { once: true });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", hurry);
  }
}

/** A cancelled turn has to end. */
const HURRY_MS = 200;
