import { AgentError } from "@smith/contract/error";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as keys from "../src/keys.ts";

const codeOf = (work: () => unknown): string => {
  try {
    return `accepted: ${String(work())}`;
  } catch (error) {
    return error instanceof AgentError ? `${error.kind}/${error.code}` : String(error);
  }
};

test("PS7 keys are ids joined by colons, with numbers padded to 8 digits", () => {
  expect([
    keys.conversationKey("c1"),
    keys.messageKey("c1", 7),
    keys.turnKey("c1", 12),
    keys.partialKey("c1", 12),
    keys.intentKey("c1", 12, 1),
    keys.usageKey("c1", "t12"),
    keys.childUsageKey("c1", "t12", "j1"),
    keys.turnRecordKey("c1", "t12"),
    keys.noteKey("c1", "scratchpad:k"),
    keys.memoryKey("p1", "m1"),
    keys.activeKey(null),
    keys.activeKey("p1"),
  ]).toEqual([
    "c1",
    "c1:00000007",
    "c1:00000012",
    "c1:00000012:partial",
    "c1:00000012:intent:00000001",
    "c1:t12:parent",
    "c1:t12:child:j1",
    "c1:turn_record-t12",
    "c1:scratchpad:k",
    "p1:m1",
    "active_conversation_id",
    "active_conversation_id:p1",
  ]);
});

test("PS8 an id inside a key holds no colon, is not empty and is well-formed text; a note's own id may hold colons", () => {
  const refused = ["", "a:b", ":", "half \ud83d"].flatMap((id) => [
    codeOf(() => keys.conversationKey(id)),
    codeOf(() => keys.messageKey(id, 1)),
    codeOf(() => keys.usageKey("c1", id)),
    codeOf(() => keys.activeKey(id)),
    codeOf(() => keys.childUsageKey("c1", "t1", id)),
    codeOf(() => keys.memoryKey(id, "m1")),
  ]);
  expect(new Set(refused)).toEqual(new Set(["persistence/bad_key"]));
  expect(keys.noteKey("c1", "scratchpad:dispatch/j1")).toBe("c1:scratchpad:dispatch/j1");
  expect(codeOf(() => keys.noteKey("c1", ""))).toBe("persistence/bad_key");
});

test("PS7 a number that does not fit 8 digits is refused rather than sorted wrongly", () => {
  const codes = [-1, 0.5, 100_000_000, Number.NaN, Number.POSITIVE_INFINITY].map((n) => codeOf(() => keys.padded(n)));
  expect(new Set(codes)).toEqual(new Set(["persistence/bad_key"]));
  expect([keys.padded(0), keys.padded(99_999_999)]).toEqual(["00000000", "99999999"]);
});

test("PS7 keys sort as their numbers do, and give the number back", () => {
  const id = fc.string({ minLength: 1 }).filter((text) => !text.includes(":"));
  const number = fc.integer({ min: 0, max: 99_999_999 });
  fc.assert(
    fc.property(id, number, number, (conversation, a, b) => {
      const [keyA, keyB] = [keys.messageKey(conversation, a), keys.messageKey(conversation, b)];
      expect(keyA < keyB).toBe(a < b);
      expect(keys.numberAfter(keys.scopeOf(conversation), keyA)).toBe(a);
    }),
  );
});
