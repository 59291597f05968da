import { getEventListeners } from "node:events";
import { cancelReason, checkCancelled, createCancel, isCancelled, withCancel } from "@smith/contract/cancel";
import { AgentError } from "@smith/contract/error";
import { expect, test } from "vitest";

test("E1 E2 fault 192 a request fans out to all descendants at once, and a child made later is born cancelled", () => {
  const root = createCancel();
  const child = root.child();
  const grandchild = child.child();
  root.request("ctrl-c");
  const late = grandchild.child();
  expect([root, child, grandchild, late].map(({ signal }) => cancelReason(signal))).toEqual(Array(4).fill("ctrl-c"));
});

test("E4 cancelling a child leaves its parent and its siblings alive", () => {
  const root = createCancel();
  const [a, b] = [root.child(), root.child()];
  a.request("enough");
  expect([root, a, b].map(({ signal }) => isCancelled(signal))).toEqual([false, true, false]);
});

test("E3 the first reason wins; check throws it as kind cancelled", () => {
  const root = createCancel();
  expect(() => checkCancelled(root.signal)).not.toThrow();
  root.request("ctrl-c");
  root.request("later");
  expect(root.signal.reason).toBeInstanceOf(AgentError);
  expect(() => checkCancelled(root.signal)).toThrow(expect.objectContaining({ kind: "cancelled", message: "ctrl-c" }));
  const merged = withCancel(root.signal, { signal: new AbortController().signal, depth: 1 });
  expect([merged.signal.aborted, merged.depth]).toEqual([true, 1]);
});

test("E2 fault 192 a disposed child no longer follows, and ten thousand of them leave nothing behind", () => {
  const outer = new AbortController();
  const root = createCancel(outer.signal);
  const child = root.child();
  child[Symbol.dispose]();
  for (let n = 0; n < 10_000; n++) {
    using _gone = root.child();
  }
  expect(getEventListeners(root.signal, "abort").length).toBe(0);
  outer.abort("outside");
  expect([cancelReason(root.signal), child.signal.aborted]).toEqual(["outside", false]);
  const other = createCancel(outer.signal);
  expect(cancelReason(other.signal)).toBe("outside");
  const third = new AbortController();
  createCancel(third.signal)[Symbol.dispose]();
  expect(getEventListeners(third.signal, "abort").length).toBe(0);
});
