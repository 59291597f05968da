import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { call, play, told, tool } from "./scene.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const SUITE = join(resolve(ROOT, process.env["SMITH_VECTORS"] ?? "../shared/vectors"), "json/test_parsing");
const files = existsSync(SUITE) ? readdirSync(SUITE).filter((name) => name.endsWith(".json")) : [];
if (files.length === 0) test.skip("JSONTestSuite is absent: set SMITH_VECTORS to try its texts as arguments", () => {});

/** Calls a tool that takes any object with these texts; what it got by call id, the answers, the notices. */
async function decoded(texts: readonly string[]) {
  const got = new Map<string, unknown>();
  const any = tool("any", {
    run: async (args, { call_id }) => {
      got.set(call_id, args);
      return { ok: true, content: "ran" };
    },
  });
  const calls = texts.map((text, at) => call(`c${at}`, "any", text));
  const { added, events } = await play({ answers: [calls, "ok"], tools: [any] });
  const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
  return { got: texts.map((_text, at) => got.get(`c${at}`) ?? null), told: told(added), notices };
}

const NOT_RUN = "The call was not run; send it again with valid JSON.";

test.skipIf(files.length === 0)(
  "TL13 fault 131 JSONTestSuite: valid objects run as they are, what is invalid never runs, what may be either never crashes",
  async () => {
    const texts = files.map((name) => readFileSync(join(SUITE, name), "utf8"));
    const { got, told } = await decoded(texts);
    const ran = files.filter((_name, at) => got[at] !== null);
    const expected = files.filter((name, at) => name.startsWith("y_") && /^\s*\{/.test(texts[at] ?? ""));
    const free = ran.filter((name) => name.startsWith("i_"));
    // A trailing comma leaves no doubt; nothing and blanks are legal for a tool without arguments.
    const commas = ["n_object_lone_continuation_byte_in_key_and_trailing_comma.json", "n_object_trailing_comma.json"];
    const lenient = [...commas, "n_single_space.json", "n_structure_no_data.json"];
    expect(ran.filter((name) => !free.includes(name)).sort()).toEqual([...expected, ...lenient].sort());
    for (const name of expected) {
      const at = files.indexOf(name);
      expect([name, got[at]]).toEqual([name, JSON.parse(texts[at] ?? "")]);
    }
    expect(lenient.map((name) => got[files.indexOf(name)])).toEqual([{ "\ufffd": "0" }, { id: 0 }, {}, {}]);
    const refused = told.filter((_line, at) => got[at] === null);
    expect(refused.filter((line) => !line.includes(NOT_RUN))).toEqual([]);
  },
);

test("TL13 B41 a comma before a closing bracket is left out and said, and only that one is ever mended", async () => {
  const texts = [
    '{"a":1,}',
    '{"a":[1,2 ,\n],"b":{"c":"d, }" , } }',
    '{"a":",}","b":"\\",]",}',
    '{"a":true,"b":null,"c":[[],],}',
    '{"a":1,,}',
    '{"a":[,]}',
    "{,}",
    '{"a":1,} x',
    '["a",]',
  ];
  const { got, notices } = await decoded(texts);
  expect(got).toEqual([
    { a: 1 },
    { a: [1, 2], b: { c: "d, }" } },
    { a: ",}", b: '",]' },
    { a: true, b: null, c: [[]] },
    ...Array(5).fill(null),
  ]);
  expect(notices).toEqual(
    Array(4).fill("The arguments of any had a comma too many before a closing bracket; it was left out."),
  );
});

test("TL13 B41 fault 131 broken arguments are told where they break and what is near, and are never run by guess", async () => {
  const { got, told } = await decoded([
    '{"command": "echo hi"',
    "{path:'x'}",
    '```json\n{"path":"x"}\n```',
    `{"text": "${"long ".repeat(100)}`,
    "",
    "{",
    "not at all",
    '"text"',
    "null",
  ]);
  const said = (why: string, near?: string) =>
    `The arguments are no JSON object: ${why}. ${NOT_RUN}${near === undefined ? "" : ` The nearest valid form would be: ${near}`}`;
  const where = expect.stringMatching(/position|after 1 characters/);
  expect(
    told
      .map((line) => line.replace(/^c\d: /, ""))
      .map((line) => line.replace(/: [^:]*?\. The call was/, ": WHY. The call was")),
  ).toEqual([
    said("WHY", '{"command": "echo hi"}'),
    said("WHY", '{"path":"x"}'),
    said("WHY", '{"path":"x"}'),
    said("WHY", `{"text": "${"long ".repeat(38)}…`),
    "ran",
    said("WHY", "{}"),
    said("WHY"),
    said("WHY"),
    said("WHY"),
  ]);
  expect([told[0], told[1], told[5]]).toEqual([where, where, where]);
  expect([told[7], told[8]]).toEqual([
    `c7: ${said("expected an object, got string")}`,
    `c8: ${said("expected an object, got null")}`,
  ]);
  expect(got.filter((each) => each !== null)).toEqual([{}]);
});

test("TL13 faults 128 132 133 134 nesting of 100,000, megabytes, doubled and dangerous keys: a result each, and nothing overflows", async () => {
  const deep = (levels: number, inner: string) => `${'{"a":'.repeat(levels)}${inner}${"}".repeat(levels)}`;
  const { got, told } = await decoded([
    deep(100, "1"),
    deep(101, "1"),
    deep(100_000, "1"),
    '{"a":'.repeat(100_000),
    `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    JSON.stringify({ a: "x".repeat(10_000_000) }),
    `${JSON.stringify({ a: "x".repeat(200_000) })}}`,
    '{"a":1,"a":2}',
    `{"a":"${'\\"'.repeat(40_000)}${" ".repeat(10_000)}`,
    `{"a":1${" ".repeat(90_000)}x`,
    '{"__proto__":{"polluted":true},"b":1e400}',
  ]);
  expect(got.map((each) => each !== null)).toEqual([
    true,
    false,
    false,
    false,
    false,
    true,
    false,
    true,
    false,
    false,
    true,
  ]);
  const tooDeep = `The arguments are no JSON object: nested deeper than 100 levels. ${NOT_RUN}`;
  expect([told[1], told[2], told[4]]).toEqual([`c1: ${tooDeep}`, `c2: ${tooDeep}`, `c4: ${tooDeep}`]);
  expect(got[7]).toEqual({ a: 2 });
  expect([Object.keys(got[10] as object).at(-1), ({} as { polluted?: boolean }).polluted]).toEqual(["b", undefined]);
});
