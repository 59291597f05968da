import type { Evidence } from "@smith/contract/dispatch";
import type { ScriptedCall } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { bash, call } from "./delegation-scene.ts";
import { jobThat } from "./evidence-scene.ts";

const read = (more: object = {}) => call("c", "read", { path: "src/retry.ts", ...more });
const verdicts = async (calls: readonly ScriptedCall[], evidence: unknown, reports = 1) => {
  const told = { findings: ["waitBefore caps the delay"], evidence };
  const { evidence_check, evidence_counts, status } = await jobThat("explorer", calls, told, { reports });
  return { evidence_check, evidence_counts, status };
};
const QUOTE = "return list[Math.min(attempt, last)] ?? 0;";

type Lie = readonly [what: string, calls: readonly ScriptedCall[], evidence: Evidence | string, why: string];
const NOTHING = "the job read nothing: no output was shown to it";
const UNSUPPORTED: readonly Lie[] = [
  [
    "a receipt of another job",
    [read()],
    { receipt: "r9", path: "src/retry.ts", lines: "8" },
    "r9 is no receipt of this job",
  ],
  [
    "a receipt of another job, in words",
    [bash("c", "cat src/retry.ts")],
    `r7 says \`${QUOTE}\``,
    "r7 is no receipt of this job",
  ],
  [
    "a receipt of another call",
    [read(), bash("d", "ls src")],
    { receipt: "r2", quote: QUOTE },
    "the quote stands in no part of r2",
  ],
  [
    "lines never shown",
    [read({ limit: 5 })],
    { path: "src/retry.ts", lines: "30-32" },
    "lines 30-32 of src/retry.ts stand in nothing this job was shown",
  ],
  [
    "lines never shown, by sed, with an anchor",
    [bash("c", "sed -n 1,5p src/retry.ts")],
    "src/retry.ts#L40",
    "line 40 of src/retry.ts stand in nothing this job was shown",
  ],
  ["lines that are not there", [read()], "src/retry.ts:900-910", "src/retry.ts has only 50 lines"],
  [
    "a quote that is not there",
    [read()],
    { path: "src/retry.ts", quote: "return list[attempt % list.length];" },
    "the quote stands in nothing this job was shown",
  ],
  [
    "a quote that is not there, in ticks, by grep",
    [bash("c", "grep -rn waitBefore src")],
    "src/retry.ts:3 `export function waitForever(`",
    "the quote stands in nothing this job was shown",
  ],
  [
    "a number that is another",
    [read()],
    { quote: 'export const row11 = "value of 1' },
    "the quote stands in nothing this job was shown",
  ],
  [
    "nothing to check",
    [read()],
    { path: "src/retry.ts" },
    "nothing to check: it gives neither a quote nor lines of a file",
  ],
];

describe("what a lie comes to", () => {
  test.each(UNSUPPORTED)("D12 unsupported: %s", async (_what, calls, evidence, why) => {
    expect((await verdicts(calls, [evidence])).evidence_check).toEqual([{ index: 0, verdict: "unsupported", why }]);
  });

  test.each<[string, Evidence | string]>([
    ["lines", { path: "src/retry.ts", lines: "7-8" }],
    ["a quote in words", `src/retry.ts \`${QUOTE}\``],
  ])(
    "D12 fault 185 findings while nothing was read are refused once, then partial and unsupported: %s",
    async (_what, evidence) => {
      expect(await verdicts([], [evidence], 2)).toEqual({
        evidence_check: [{ index: 0, verdict: "unsupported", why: NOTHING }],
        evidence_counts: { verified: 0, stale: 0, unsupported: 1 },
        status: "partial",
      });
    },
  );

  test.each<[string, ScriptedCall, Evidence | string, string]>([
    ["lines, by read", read(), "src/retry.ts:7-8", "lines 7-8 of src/retry.ts read differently now than when shown"],
    [
      "lines, by cat",
      bash("c", "cat src/retry.ts"),
      "src/retry.ts (line 8)",
      "line 8 of src/retry.ts read differently now than when shown",
    ],
    [
      "a quote, by read",
      read(),
      { path: "src/retry.ts", quote: QUOTE },
      "it was shown, but src/retry.ts does not say so now",
    ],
    [
      "a quote, by grep",
      bash("c", "grep -n min src/retry.ts"),
      `src\\retry.ts \`${QUOTE}\``,
      "it was shown, but src/retry.ts does not say so now",
    ],
  ])("D12 stale: the file was changed since: %s", async (_what, shown, evidence, why) => {
    const change = bash("d", "sed -i '7,8s/.*/  other(words);/' src/retry.ts");
    expect((await verdicts([shown, change], [evidence])).evidence_check).toEqual([{ index: 0, verdict: "stale", why }]);
  });
});

const HONEST: readonly [how: string, calls: readonly ScriptedCall[], evidence: Evidence | string][] = [
  ["path:line", [read()], "src/retry.ts:8"],
  ["an anchor", [read()], "src/retry.ts#L8"],
  ["a range with L", [read()], { path: "src/retry.ts", lines: "L3-L8" }],
  ["a range in words", [read()], "see lines 3 to 8 of src/retry.ts"],
  ["off by two lines", [read({ offset: 20, limit: 5 })], { path: "src/retry.ts", lines: "18-26" }],
  ["one line, two off", [read({ offset: 20, limit: 1 })], { path: "src/retry.ts", lines: "22" }],
  ["the indent trimmed", [read()], { path: "src/retry.ts", quote: "const last = list.length - 1;" }],
  [
    "re-wrapped",
    [read()],
    { path: "src/retry.ts", quote: "export function waitBefore(attempt: number, list: readonly number[]): number {" },
  ],
  [
    "a comment re-wrapped",
    [read()],
    { path: "src/retry.ts", quote: "The delay between two tries of a request grows, but never beyond the cap" },
  ],
  [
    "with the gutter",
    [read()],
    { path: "src/retry.ts", quote: " 7│\tconst last = list.length - 1;\n 8│\treturn list" },
  ],
  [
    "with an ellipsis",
    [read()],
    { path: "src/retry.ts", quote: "export function waitBefore( … Math.min(attempt, last)" },
  ],
  ["by grep in bash", [bash("c", "grep -rn 'Math.min' src")], "src/retry.ts:8"],
  ["by code_grep", [call("c", "code_grep", { pattern: "Math\\.min" })], { path: "src/retry.ts", lines: "8" }],
  ["by git show", [bash("c", "git show HEAD:src/retry.ts")], { path: "src/retry.ts", lines: "7-8" }],
  ["by cat -n", [bash("c", "cat -n src/retry.ts")], { path: "src/retry.ts", lines: "3-9" }],
  ["by git blame", [bash("c", "git blame src/retry.ts")], { path: "src/retry.ts", lines: "7-8" }],
  ["a Windows path", [read()], "src\\retry.ts:8"],
  ["back-ticks around the place", [read()], "In `src/retry.ts:8` it is capped"],
  ["a bare file name", [read()], "retry.ts line 8"],
  ["the path from a diff", [read()], { path: "b/src/retry.ts", lines: "8" }],
  ["the receipt beside it", [read()], { receipt: "[receipt r1]", path: "./src/retry.ts", lines: "8" }],
  ["the lines in the path", [read()], { path: "src/retry.ts:7-8" }],
  ["typographic quotes", [read()], { quote: "export const row11 = “value of 11”;" }],
  ["the quote in quotes", [read()], { quote: `"${QUOTE}"` }],
  [
    "what a failing command said",
    [bash("c", "echo 'Error: no cap is set' >&2; exit 3")],
    { quote: "Error: no cap is set" },
  ],
];

describe("what is honest and sloppy", () => {
  test.each(HONEST)("D12 verified: %s", async (_how, calls, evidence) => {
    expect(await verdicts(calls, [evidence])).toEqual({
      evidence_check: [{ index: 0, verdict: "verified", why: "" }],
      evidence_counts: { verified: 1, stale: 0, unsupported: 0 },
      status: "ok",
    });
  });
});
