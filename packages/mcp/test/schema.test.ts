import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { repairSchema } from "../src/schema.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const repaired = (schema: unknown) => {
  const found = repairSchema(schema);
  return "schema" in found ? found.schema : found.refused;
};

/** What it is, what a server sends, what a model's endpoint is sent: a schema, or why the tool is left out. */
const CASES: readonly (readonly [string, unknown, unknown])[] = [
  ["no schema", undefined, object({})],
  ["an empty one", {}, object({})],
  ["one without a type", { properties: { a: { type: "string" } } }, object({ a: { type: "string" } })],
  ["a type among others", { type: ["object", "null"], properties: {} }, object({})],
  ["no object", { type: "array", items: {} }, 'its arguments are no object but "array"'],
  ["no schema at all", [1], "its schema is no object"],
  ["a list without items", object({ a: { type: "array" } }), object({ a: { type: "array", items: {} } })],
  [
    "types of other languages",
    object({ a: { type: "str" }, b: { type: ["int", "null"] }, c: { type: "any", description: "what you like" } }),
    object({ a: { type: "string" }, b: { type: ["integer", "null"] }, c: { description: "what you like" } }),
  ],
  [
    "a choice at the top",
    {
      type: "object",
      properties: { a: { type: "string" } },
      oneOf: [
        { properties: { b: { type: "string" } }, required: ["a", "b"] },
        { properties: { c: { type: "string" } }, required: ["a", "c"] },
      ],
    },
    object({ b: { type: "string" }, c: { type: "string" }, a: { type: "string" } }, { required: ["a"] }),
  ],
  [
    "parts put together at the top",
    { allOf: [object({ a: {} }, { required: ["a"] }), object({ b: {} }, { required: ["b"] })] },
    object({ a: {}, b: {} }, { required: ["a", "b"] }),
  ],
  [
    "a pointer to its own definition at the top",
    { $ref: "#/$defs/In", $defs: { In: object({ a: { $ref: "#/$defs/A" } }), A: { type: "string" } } },
    {
      $defs: { In: object({ a: { $ref: "#/$defs/A" } }), A: { type: "string" } },
      ...object({ a: { $ref: "#/$defs/A" } }),
    },
  ],
  [
    "pointers to nothing, and into other documents",
    object({ a: { $ref: "#/$defs/none", description: "a" }, b: { $ref: "https://example.org/b.json" } }),
    object({ a: { description: "a" }, b: {} }),
  ],
  [
    "required that names nothing, and that of an older dialect",
    object({ a: { type: "string", required: true } }, { required: ["a", "b", 3] }),
    object({ a: { type: "string" } }, { required: ["a"] }),
  ],
  ["a choice of nothing", object({ a: { enum: [] }, b: { anyOf: [] } }), object({ a: {}, b: {} })],
  ["a pattern of another dialect", object({ a: { pattern: "(?P<x>a)" } }), object({ a: {} })],
  ["the name of a dialect", { $schema: "http://json-schema.org/draft-03/schema#", id: "x", ...object({}) }, object({})],
  ["schemas that are true or false", object({ a: true, b: { items: false } }), object({ a: {}, b: { items: {} } })],
  ["an optional argument with an odd name", object({ "a b": {}, __proto__x: {} }), object({ __proto__x: {} })],
  [
    "a needed argument with an odd name",
    object({ "a b": {} }, { required: ["a b"] }),
    'an argument that must be given has a name that endpoints refuse: "a b"',
  ],
  [
    "a huge one that is mostly words",
    object({ a: { type: "string", description: "x".repeat(20_000) } }),
    object({ a: { type: "string" } }),
  ],
  [
    "a huge one",
    object(Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`a${at}`, {}]))),
    "its schema has more than 16000 characters",
  ],
];

describe("PL5 a schema is made one that endpoints take, or its tool is left out", () => {
  test.each(CASES)("%s", (_what, given, expected) => {
    expect(repaired(given)).toEqual(expected);
  });

  test("one that is nested without end is cut where nobody would read on", () => {
    const deep = (levels: number): object => (levels === 0 ? {} : { type: "array", items: deep(levels - 1) });
    const text = JSON.stringify(repaired(object({ a: deep(200) })));
    expect(text.length).toBeLessThan(1000);
    const endless = JSON.parse(`{"type":"object","x":${"[".repeat(50_000)}${"]".repeat(50_000)}}`) as unknown;
    expect(repaired(endless)).toBe("its schema is nested too deep");
  });
});

test("PL5 whatever a server sends, what comes out is an object with properties, and repairing it again changes nothing", () => {
  const keys =
    "type properties required items anyOf oneOf allOf $ref enum not description toString a b __proto__".split(" ");
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom("object", "array", "string", "int", "#/$defs/a", "constructor", "", null, true, 3),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie("json"), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(json, (given) => {
      const once = repairSchema(given);
      if ("refused" in once) return;
      expect([once.schema["type"], typeof once.schema["properties"]]).toEqual(["object", "object"]);
      expect(repairSchema(once.schema)).toEqual(once);
      expect(JSON.parse(JSON.stringify(once.schema))).toEqual(once.schema);
    }),
    { numRuns: 500 },
  );
});
