/**
 * Waits for something, but not longer than `ms`, nor than until the signal. It leaves no timer. (The contract's `sleep` would
 * do, but what this package shared with the way to the first request would become one file more to read at every start.)
 */
export async function within(ms: number, something: Promise<unknown> | undefined, signal?: AbortSignal): Promise<void> {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const timer = setTimeout(end, ms);
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted === true) end();
  await Promise.race([something, over]);
  clearTimeout(timer);
  signal?.removeEventListener("abort", end);
}
