/**
 * Waits for the work; once the signal has aborted only `ms` milliseconds more, then for what `late` returns or throws.
 * Whatever ignores its signal (a tool, a model, a store) can't hold its caller. Leaves neither timer nor listener.
 */
export async function orGiveUp<T, L>(
  work: Promise<T>,
  { signal, ms, late }: { readonly signal: AbortSignal; readonly ms: number; late(): L },
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  let wait = () => {};
  const over = new Promise<"over">((resolve) => {
    wait = () => {
      timer = setTimeout(() => resolve("over"), ms);
    };
  });
  if (signal.aborted) wait();
  else signal.addEventListener("abort", wait, { once: true });
  try {
    const first = await Promise.race([work.then((value) => ({ value })), over]);
    return first === "over" ? late() : first.value;
  } finally {
    // A signal made of others lives as long as it has a listener: one left here would be one for each call.
    signal.removeEventListener("abort", wait);
    clearTimeout(timer);
  }
}
