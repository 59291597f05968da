import { EventEmitter, once } from "node:events";
import { AgentError, ERROR_KINDS, toAgentError } from "@smith/contract/error";
import { deepFreeze, snapshot } from "@smith/contract/freeze";
import { expect, test } from "vitest";

test("E6 E17 an error is JSON-safe data without a stack", () => {
  const cause = new TypeError("socket hang up");
  const error = new AgentError({
    kind: "transport",
    code: "network",
    message: "m",
    retryable: true,
    origin: "llm/http",
    data: { status: 503 },
    cause,
  });
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    kind: "transport",
    code: "network",
    message: "m",
    retryable: true,
    origin: "llm/http",
    data: { status: 503 },
    cause: "socket hang up",
  });
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  expect(new AgentError({ kind: "tool", message: "m", data: cycle }).toJSON().data).toEqual({});
});

test("E7 there are nine kinds", () => {
  expect(ERROR_KINDS).toEqual([
    "transport",
    "protocol",
    "schema",
    "tool",
    "cancelled",
    "budget_exhausted",
    "policy",
    "persistence",
    "internal",
  ]);
});

test("E8 strings, the word cancelled, partial objects and what is no error are filled up with defaults", async () => {
  const seen = (thrown: unknown) => {
    const { kind, code, message } = toAgentError(thrown, "here");
    return [kind, code, message];
  };
  expect(seen("boom")).toEqual(["internal", "internal", "boom"]);
  expect(seen("cancelled")).toEqual(["cancelled", "cancelled", "cancelled"]);
  expect(seen({ kind: "tool", code: "x" })).toEqual(["tool", "x", "An error of kind tool without a message."]);
  expect(seen({ kind: "odd", message: "m" })).toEqual(["internal", "internal", "m"]);
  expect(seen(7)).toEqual(["internal", "internal", "Something that is no error was thrown: 7"]);
  const error = new AgentError({ kind: "policy", message: "m" });
  expect(toAgentError(error)).toBe(error);
});

test("E8 an abort keeps the canceller's reason, however it was wrapped; a timeout is a retryable transport error", async () => {
  const reason = new AgentError({ kind: "cancelled", message: "ctrl-c" });
  const thrown: unknown = await once(new EventEmitter(), "never", { signal: AbortSignal.abort(reason) }).catch(
    (e: unknown) => e,
  );
  expect(toAgentError(thrown)).toBe(reason);
  const bare: unknown = await once(new EventEmitter(), "never", { signal: AbortSignal.abort() }).catch(
    (e: unknown) => e,
  );
  expect(toAgentError(bare).kind).toBe("cancelled");
  const late = toAgentError(new DOMException("The operation timed out.", "TimeoutError"));
  expect([late.kind, late.code, late.retryable]).toEqual(["transport", "timeout", true]);
});

test("R4 fault 200 freezing goes all the way down plain data and leaves handles and the original alone", () => {
  const handle = new Map([["a", 1]]);
  const original = { deep: { list: [{ x: 1 }] } };
  const frozen = snapshot(original);
  expect(() => Object.assign(frozen.deep.list[0] ?? {}, { x: 2 })).toThrow(TypeError);
  original.deep.list.push({ x: 3 });
  expect([frozen.deep.list.length, Object.isFrozen(original)]).toEqual([1, false]);
  const mixed = deepFreeze({ handle });
  mixed.handle.set("b", 2);
  expect([Object.isFrozen(mixed), handle.size]).toEqual([true, 2]);
});
