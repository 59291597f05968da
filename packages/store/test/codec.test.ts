import { AgentError } from "@smith/contract/error";
import { transcript } from "@smith/testkit/suites";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decode, decodeMessage, encode, RECORDS, type RecordType } from "../src/codec.ts";
import { isSurelyMessage } from "../src/message-check.ts";
import { answers, closing, NOW, says, USAGE } from "./support/example.ts";

test("PS4 a record is JSON with sorted keys at every depth", () => {
  const value = { b: 1, a: { d: [{ z: 1, y: 2 }], c: null }, "10": true, "9": false };
  expect(encode("config", value)).toBe('{"10":true,"9":false,"a":{"c":null,"d":[{"y":2,"z":1}]},"b":1}');
});

test("PS4 any message and any patch is encoded to the same bytes again after decoding", () => {
  const json = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());
  fc.assert(
    fc.property(transcript("t1"), json, (messages, patch) => {
      for (const message of messages) {
        const text = encode("message", message);
        expect(encode("message", decode("message", text) ?? says("unreadable"))).toBe(text);
        expect(decode("message", text)).toEqual(message);
      }
      const text = encode("config", patch);
      expect(encode("config", decode("config", text) ?? {})).toBe(text);
    }),
  );
});

test("PS4 fault 36 half a surrogate pair survives, as text and as a key", () => {
  const text = encode("config", { "\udc00": "half \ud83d" });
  expect(text).toBe('{"\\udc00":"half \\ud83d"}');
  expect(decode("config", text)).toEqual({ "\udc00": "half \ud83d" });
});

test("PS4 a value that is no record of its type is refused on the way in, and names the fault", () => {
  const wrong: [RecordType, unknown][] = [
    ["message", { ...says("x"), round: -1 }],
    ["message", { ...answers("c1"), tool_call_id: "" }],
    ["message", { ...says("x"), extra: 1 }],
    ["usage", { ...USAGE, input_tokens: "10" }],
    ["turn_record", closing()],
    ["config", []],
    ["config", { size: 10n }],
  ];
  const codes = wrong.map(([type, value]) => {
    try {
      return encode(type, value as never); // what the types forbid
    } catch (error) {
      return error instanceof AgentError ? [error.kind, error.code, error.data] : error;
    }
  });
  expect(codes).toEqual(wrong.map(([type]) => ["persistence", "bad_record", { type }]));
});

test("B57 a damaged value of any type is null and never a throw", () => {
  const types = Object.keys(RECORDS) as RecordType[];
  const good = encode("message", says("a good message"));
  const damaged = ["", "{", good.slice(0, 20), "null", "[]", "17", '"\\'];
  for (const type of types) {
    const read = damaged.map((text) => decode(type, text));
    expect(read.filter((value) => value !== null)).toEqual([]);
  }
  expect(decode("message", '{"role":"assistant"}')).toBeNull();
  fc.assert(
    fc.property(fc.nat({ max: good.length - 1 }), (cut) => {
      expect(decode("message", good.slice(0, cut))).toBeNull();
    }),
  );
  expect(decode("message", good)).toEqual(says("a good message"));
});

test("an unknown number of tokens stays unknown, and is not 0", () => {
  const usage = { input_tokens: null, output_tokens: 0, cached_tokens: null, reasoning_tokens: null, cost_usd: null };
  const record = { ...usage, conversation_id: "c1", turn_id: "t1", model: "m", provider: "p", ts: NOW };
  expect(decode("usage", encode("usage", record))).toEqual(record);
});

test("PS4 the fast check of a message agrees with its schema, for whole messages and for spoilt ones", () => {
  const names = [
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "name",
    "ok",
    "turn_id",
    "round",
    "ts",
    "extra",
    "__proto__",
  ];
  const junk = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("user", "assistant", "tool", "", -1, 0.5, 2 ** 53, true),
    fc.constantFrom([{ type: "text", text: "x" }], [{ type: "text" }], [{ id: "", name: "n", arguments: "" }], [null]),
  );
  fc.assert(
    fc.property(transcript("t1"), fc.constantFrom(...names), junk, fc.boolean(), (messages, name, value, isRemoved) => {
      for (const message of messages) {
        expect(isSurelyMessage(message)).toBe(true);
        const entries = Object.entries(message).filter(([key]) => key !== name);
        const spoilt = JSON.stringify(Object.fromEntries(isRemoved ? entries : [...entries, [name, value]]));
        expect(decodeMessage(spoilt)).toEqual(decode("message", spoilt));
        expect(isSurelyMessage(JSON.parse(spoilt))).toBe(decode("message", spoilt) !== null);
      }
    }),
    { numRuns: 1_000 },
  );
});
