import { AgentError, cancelledError } from "./error.ts";

/**
 * A node of the cancel tree. A request fans out to every descendant at once, never upwards; a child made under a
 * cancelled parent is born cancelled; a disposed child no longer follows its parent.
 */
export interface Cancel {
  /** What work is given. Its `reason` is an {@link AgentError} of kind `cancelled`, shared by the whole subtree. */
  readonly signal: AbortSignal;
  /** Cancels this node and all below it. The first reason wins; later requests change nothing. */
  request(reason?: string): void;
  child(): Cancel;
  [Symbol.dispose](): void;
}

/** The root of a cancel tree. With `outer`, a caller's own signal cancels it too (dispose detaches from it). */
export function createCancel(outer?: AbortSignal): Cancel {
  const root = createNode(() => {});
  if (outer === undefined) return root;
  const follow = () => root.request(reasonText(outer.reason));
  if (outer.aborted) follow();
  else outer.addEventListener("abort", follow, { once: true });
  return Object.freeze({
    ...root,
    [Symbol.dispose]() {
      outer.removeEventListener("abort", follow);
      root[Symbol.dispose]();
    },
  });
}

function createNode(detach: () => void): Cancel {
  const controller = new AbortController();
  // Children are kept in a set of our own: ten thousand listeners on one signal would warn and leak.
  const children = new Set<{ abort(error: AgentError): void }>();
  const abort = (error: AgentError) => {
    if (controller.signal.aborted) return;
    controller.abort(error);
    for (const each of [...children]) each.abort(error);
    children.clear();
  };
  return Object.freeze({
    signal: controller.signal,
    request: (reason = "cancelled") => abort(cancelledError(reason)),
    child() {
      const link = { abort: (_error: AgentError) => {} };
      const node = createNode(() => children.delete(link));
      // The node's own request makes a new error; a parent hands down the one it was cancelled with.
      link.abort = (error) => node.request(error.message);
      if (controller.signal.aborted) node.request(reasonText(controller.signal.reason));
      else children.add(link);
      return node;
    },
    [Symbol.dispose]: detach,
  });
}

const reasonText = (reason: unknown): string => {
  if (reason instanceof AgentError) return reason.message;
  if (typeof reason === "string") return reason;
  // A signal that timed out, or was aborted with an error, says why; one aborted without a reason has none to say.
  if (reason instanceof Error && reason.name !== "AbortError" && reason.message !== "") return reason.message;
  return "cancelled";
};

/** The reason a signal was aborted with, as text; `cancelled` where none was given. */
export const cancelReason = (signal: AbortSignal): string => reasonText(signal.reason);

export const isCancelled = (signal: AbortSignal): boolean => signal.aborted;

/** @throws {AgentError} kind `cancelled`, with the canceller's reason, when the signal is aborted. */
export function checkCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelledError(cancelReason(signal));
}

/** The same options with this signal merged in: whichever aborts first. */
export const withCancel = <T extends { readonly signal?: AbortSignal }>(
  signal: AbortSignal,
  options: T,
): T & { signal: AbortSignal } => ({
  ...options,
  signal: options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]),
});
