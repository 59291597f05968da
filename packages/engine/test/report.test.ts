import { Report } from "@smith/contract/dispatch";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coerceEvidence, coerceReport, readReport, reportTool } from "../src/index.ts";
import { call, play, told, tool } from "./scene.ts";

const blank = { findings: [], evidence: [], changes: [], verification: [], limitations: [] };
const said = { status: "ok", summary: "It parses." } as const;

describe("what a child sends is read liberally", () => {
  const cited = { evidence: [{ path: "src/a.ts", lines: "10" }] };
  const twoFindings = { ...blank, ...said, findings: ["a", "b"], ...cited };

  test.each<[string, unknown, Partial<Report>]>([
    ["a bare string as findings", { ...said, findings: "one", ...cited }, { findings: ["one"], ...cited }],
    ["findings as JSON text", { ...said, findings: '["a","b"]', ...cited }, twoFindings],
    ["a sentence in brackets", { ...said, findings: "[sic] one", ...cited }, { findings: ["[sic] one"], ...cited }],
    ["numbers and objects as findings", { ...said, findings: [1, { a: 2 }], ...cited }, { findings: ["1", '{"a":2}'] }],
    ["nulls and blanks among findings", { ...said, findings: [null, " ", "a", "b"], ...cited }, twoFindings],
    ["one entry that is no list", { ...said, findings: ["a", "b"], evidence: cited.evidence[0] }, twoFindings],
    ["null for what is left out", { ...said, findings: null, evidence: null, limitations: null }, blank],
    ["nothing but status and summary", said, blank],
    ["blanks around the summary", { status: "ok", summary: "  It parses.\n" }, blank],
    ["a limitation that is no list", { ...said, limitations: "no tests" }, { limitations: ["no tests"] }],
    ["a worker's fields from an explorer", { ...said, changes: [{ path: "a", what: "b" }] }, blank],
    ["keys nobody asked for", { ...said, confidence: 0.9, notes: "x" }, blank],
  ])("D11 D14 TL44 an explorer sends %s", (_what, args, expected) => {
    expect(readReport(args, "explorer")).toEqual({ report: { ...blank, ...said, ...cited0(expected), ...expected } });
  });
  /** The evidence every one of these that has findings was given. */
  const cited0 = ({ findings = [] }: Partial<Report>) => (findings.length > 0 ? cited : {});

  test.each<[string, unknown, Partial<Report>]>([
    ["changes as text", { ...said, changes: "src/a.ts: renamed x" }, change("src/a.ts", "renamed x")],
    ["changes with an arrow", { ...said, changes: ["src/a.ts → renamed x"] }, change("src/a.ts", "renamed x")],
    ["changes with a dash", { ...said, changes: ["src/a.ts - renamed x"] }, change("src/a.ts", "renamed x")],
    ["a change that is only a path", { ...said, changes: ["src/a.ts"] }, change("src/a.ts", "")],
    ["a change without what", { ...said, changes: [{ path: "src/a.ts" }] }, change("src/a.ts", "")],
    ["other names of its keys", { ...said, changes: { file: "a.ts", description: "new" } }, change("a.ts", "new")],
    ["verification as text", { ...said, verification: "npm test: passed" }, ran("npm test", "passed")],
    ["a command without its outcome", { ...said, verification: ["npm run test:unit"] }, ran("npm run test:unit", "")],
    ["an outcome that is a number", { ...said, verification: [{ command: "x", outcome: 0 }] }, ran("x", "0")],
    ["an outcome called result", { ...said, verification: [{ cmd: "x", result: true }] }, ran("x", "true")],
    ["an explorer's fields", { ...said, findings: ["a"], evidence: [] }, blank],
    ["nothing but status and summary", said, blank],
  ])("D10 D14 TL44 a worker sends %s", (_what, args, expected) => {
    expect(readReport(args, "worker")).toEqual({ report: { ...blank, ...said, ...expected } });
  });

  test.each([
    ["ok", ["OK", " ok ", "done", "success", "Succeeded", "completed", "finished"]],
    ["partial", ["Partial", "incomplete", "partially_done", "partial success"]],
    ["blocked", ["BLOCKED", "failed", "failure", "error", "unable"]],
  ])("D9 D14 status %s is understood in other words", (status, words) => {
    const read = words.map((word) => readReport({ status: word, summary: "s" }, "worker"));
    expect(read).toEqual(words.map(() => ({ report: { ...blank, status, summary: "s" } })));
  });
});

const change = (path: string, what: string) => ({ changes: [{ path, what }] });
const ran = (command: string, outcome: string) => ({ verification: [{ command, outcome }] });

describe("a citation", () => {
  test.each<[string, object]>([
    ["src/a.ts:10-14", { path: "src/a.ts", lines: "10-14" }],
    ["a.ts#L12", { path: "a.ts", lines: "12" }],
    ["a.ts#L12-L20", { path: "a.ts", lines: "12-20" }],
    ["src/a.ts:10:5 is the call", { path: "src/a.ts", lines: "10" }],
    ["src/a.ts lines 10 to 14", { path: "src/a.ts", lines: "10-14" }],
    ["src/a.ts, lines 10–14", { path: "src/a.ts", lines: "10-14" }],
    ["src/a.ts (L10)", { path: "src/a.ts", lines: "10" }],
    ["lines 3-4 of lib/b.py say so", { path: "lib/b.py", lines: "3-4" }],
    ["src\\win\\a.ts:7", { path: "src/win/a.ts", lines: "7" }],
    ["/abs/src/a.ts:7", { path: "/abs/src/a.ts", lines: "7" }],
    ["./a.ts:7", { path: "./a.ts", lines: "7" }],
    ["src/größe.ts:7", { path: "src/größe.ts", lines: "7" }],
    ["r7", { receipt: "r7" }],
    ["as r7 shows, src/a.ts:3", { receipt: "r7", path: "src/a.ts", lines: "3" }],
    ["`r7` shows it", { receipt: "r7" }],
    ["src/r7/r8.ts:3", { path: "src/r7/r8.ts", lines: "3" }],
    ["src/a.ts:3 `const one = obj.two`", { path: "src/a.ts", lines: "3", quote: "const one = obj.two" }],
    ["`const one = obj.two` in `src/a.ts:3`", { path: "src/a.ts", lines: "3", quote: "const one = obj.two" }],
    ["`src/a.ts` lines 3-4: `x.y = 1`", { path: "src/a.ts", lines: "3-4", quote: "x.y = 1" }],
    ["`foo.bar()` is never called", { quote: "foo.bar()" }],
    ["since 1.2.3, e.g. in package.json:5", { path: "package.json", lines: "5" }],
    ["node.js says so in docs/fs.md", { path: "docs/fs.md" }],
    ["https://example.org/a.html says so", {}],
    ["I looked at everything", {}],
  ])("D14 in words: %s", (text, expected) => {
    expect(coerceEvidence(text)).toEqual({ ...expected, note: text });
  });

  test.each<[string, object, object]>([
    ["a number as lines", { path: "a.ts", lines: 12 }, { path: "a.ts", lines: "12" }],
    ["a pair as lines", { path: "a.ts", lines: [12, 20] }, { path: "a.ts", lines: "12-20" }],
    ["lines in words", { path: "a.ts", lines: "L12–L20" }, { path: "a.ts", lines: "12-20" }],
    ["one line twice", { path: "a.ts", lines: [12, 12] }, { path: "a.ts", lines: "12" }],
    ["line, file and snippet", { file: "a.ts", line: 3, snippet: "x" }, { path: "a.ts", lines: "3", quote: "x" }],
    ["start and end", { path: "a.ts", start_line: 3, end_line: 5 }, { path: "a.ts", lines: "3-5" }],
    ["a receipt by its number", { receipt: 7 }, { receipt: "r7" }],
    ["nulls and strangers", { path: "a.ts", quote: null, confidence: 1 }, { path: "a.ts" }],
  ])("D14 as an object with %s", (_what, entry, expected) => {
    expect(coerceEvidence(entry)).toEqual(expected);
  });

  test("D14 a very long citation is read in no time and kept whole", () => {
    const text = "a".repeat(200_000);
    const before = process.cpuUsage().user;
    expect(coerceEvidence(text)).toEqual({ note: text });
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(500);
  });
});

describe("what can't be read is refused in words that tell the mend", () => {
  test.each<[string, unknown, string]>([
    [
      "findings without evidence",
      { ...said, findings: ["a"] },
      "✖ findings need at least one evidence entry: give path and lines, or a quote, of what you were shown   → at evidence",
    ],
    [
      "an empty summary",
      { status: "ok", summary: " " },
      "✖ summary must not be empty: say in one or two sentences what came of the task   → at summary",
    ],
    [
      "a status of its own",
      { status: "great", summary: "s" },
      '✖ Invalid option: expected one of "ok"|"partial"|"blocked"   → at status',
    ],
    ["no summary", { status: "ok" }, "✖ Invalid input: expected string, received undefined   → at summary"],
    [
      "evidence that is a number",
      { ...said, evidence: [5] },
      "✖ Invalid input: expected object, received number   → at evidence[0]",
    ],
    ["no object at all", "done", "✖ Invalid input: expected object, received string"],
  ])("D9 D12 TL44 %s", (_what, args, fault) => {
    expect(readReport(args, "explorer")).toEqual({ fault });
  });
});

/** Reports of every degree of sloppiness. */
const sloppy = (): fc.Arbitrary<unknown> => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("src/a.ts:10-14", "a.ts#L12", "r7", "`x`", "[1]", '["a"]', "a: b"),
  );
  const leaf = fc.oneof(
    text,
    fc.integer(),
    fc.constant(null),
    fc.boolean(),
    fc.array(text),
    fc.array(fc.nat(), { maxLength: 3 }),
  );
  const keys = ["path", "file", "lines", "line", "quote", "receipt", "note", "what", "command", "outcome", "x"];
  const entry = fc.dictionary(fc.constantFrom(...keys), leaf);
  const field = fc.oneof(leaf, entry, fc.array(fc.oneof(leaf, entry), { maxLength: 4 }));
  const status = fc.oneof(fc.constantFrom("ok", "Partial", "done", "failed"), leaf);
  const rest = fc.dictionary(
    fc.constantFrom("findings", "evidence", "changes", "verification", "limitations", "y"),
    field,
  );
  return fc.oneof(
    {
      weight: 9,
      arbitrary: fc.tuple(status, leaf, rest).map(([s, summary, more]) => ({ status: s, summary, ...more })),
    },
    { weight: 1, arbitrary: fc.anything() },
  );
};

test("D14 fault 185 reading is idempotent, never throws, and what was accepted stays accepted", () => {
  fc.assert(
    fc.property(sloppy(), fc.constantFrom("worker" as const, "explorer" as const), (args, role) => {
      const once = coerceReport(args, role);
      expect(coerceReport(once, role)).toEqual(once);
      const read = readReport(args, role);
      if (!("report" in read)) return;
      expect(Report.parse(read.report)).toEqual(read.report);
      expect(readReport(read.report, role)).toEqual(read);
    }),
    { numRuns: 1000 },
  );
});

test("D9 D12 whatever fits the strict schema is accepted as it is", () => {
  const word = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "");
  const evidence = fc.array(fc.record({ path: fc.constant("a.ts"), lines: fc.nat().map(String) }), { minLength: 1 });
  const strict = fc.record({
    status: fc.constantFrom("ok" as const, "partial" as const, "blocked" as const),
    summary: word.map((text) => text.trim()),
    findings: fc.array(word),
    evidence,
    limitations: fc.array(word),
  });
  fc.assert(
    fc.property(strict, (report) => {
      expect(readReport(report, "explorer")).toEqual({ report: { ...blank, ...report } });
    }),
  );
});

describe("report in a turn", () => {
  const report = (id: string, args: unknown = said) => call(id, "report", args);
  const child = (answers: Parameters<typeof play>[0]["answers"]) =>
    play({ answers, role: "explorer", tools: [tool("read"), reportTool] });

  test("TL44 the model is shown a status and a summary it has to give", async () => {
    const { requests } = await child([[report("a")]]);
    const { parameters } = requests[0]?.tools.find((spec) => spec.name === "report") ?? {};
    expect([parameters?.["type"], parameters?.["required"]]).toEqual(["object", ["status", "summary"]]);
  });

  test("TL44 T4 faults 186 187 it ends the turn on success only; what stood before it ran, what stood after it did not", async () => {
    const { added, end } = await child([[call("a", "read"), report("b"), call("c", "read"), report("d")]]);
    expect(told(added)).toEqual([
      "a: read done",
      "b: reported",
      "c: not run: the report before it ended this turn",
      "d: not run: the report before it ended this turn",
    ]);
    expect([end.stop_reason, end.rounds]).toEqual(["completed", 1]);
  });

  test("TL44 D12 fault 185 a report that does not fit is answered with the mend, and the calls after it run", async () => {
    const { added, end } = await child([[report("a", { ...said, findings: ["x"] }), call("b", "read")], [report("c")]]);
    expect(told(added)).toEqual([
      "a: The report does not fit: ✖ findings need at least one evidence entry: give path and lines, or a quote, of what you were shown   → at evidence. Mend it and send it again.",
      "b: read done",
      "c: reported",
    ]);
    expect([end.stop_reason, end.rounds]).toEqual(["completed", 2]);
  });

  test("D12 the third report that does not fit ends the turn: no fourth is asked for", async () => {
    const bad = [{ foo: 1 }, { status: "great" }, { status: "ok", summary: 5 }];
    const { end, requests } = await child(bad.map((args, index) => [report(`c${index}`, args)]));
    expect([end.stop_reason, end.rounds, requests.length]).toEqual(["completed", 3, 3]);
  });
});
