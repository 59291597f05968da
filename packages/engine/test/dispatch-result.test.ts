import type { ChildOutcome, DispatchResult, Job, Report } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import { describe, expect, test } from "vitest";
import { createDispatchResult } from "../src/index.ts";

const job: Job = {
  ...{ job_id: "0123456789ab", parent_conversation_id: "c1", parent_turn_id: "t1", parent_job_id: null },
  ...{
    target_role: "explorer",
    base_role: "explorer",
    task: "Find the parser.",
    files: [],
    mode: "full",
    cwd: "/work",
  },
  context: { user_request_summary: null, role_instructions: null },
};
const bare: ChildOutcome = {
  ...{ report: null, invalid_reports: 0, stop_reason: "completed", cancelled: false, error: null, last_text: "" },
  ...{ rounds: 2, tool_calls: 0, files_changed: [], usage: UNKNOWN_USAGE, duration_ms: 5, dispatches: [], account: [] },
};
const transport = new AgentError({ kind: "transport", code: "auth", message: "The key was refused." }).toJSON();

describe("the result of a job", () => {
  const made = (more: Partial<ChildOutcome>) => createDispatchResult(job, { ...bare, ...more });
  const gist = ({ status, summary, limitations, error, synthetic, cancelled }: DispatchResult) => ({
    ...{ status, summary, limitations, code: error?.code ?? null, synthetic, cancelled },
  });
  const none = (cause: string) => [`The child sent no valid report: ${cause}`];

  test("D6 D13 it is the child's report, with what the runtime knows beside it", () => {
    const report: Report = {
      ...{ status: "ok", summary: "Found.", findings: ["a"], evidence: [{ path: "a.ts", lines: "1" }] },
      ...{ changes: [], verification: [], limitations: ["half"] },
    };
    const usage = { ...UNKNOWN_USAGE, input_tokens: 3 };
    expect(made({ report, usage })).toEqual({
      ...{ job_id: job.job_id, target_role: "explorer", ...report, parent_job_id: null, synthetic: false },
      ...{ evidence_check: [], evidence_counts: { verified: 0, stale: 0, unsupported: 0 } },
      ...{ changes_check: null, verification_check: null, cancelled: false, error: null, usage, rounds: 2 },
      ...{ duration_ms: 5, recall_key: null },
    });
  });

  test("D6 D9 a child that did nothing and said nothing is blocked, one that did something partial", () => {
    const cause = "it ended without report.";
    const shared = { summary: cause, limitations: none(cause), code: "no_report", synthetic: true, cancelled: false };
    expect(gist(made({}))).toEqual({ status: "blocked", ...shared });
    expect(gist(made({ tool_calls: 1 }))).toEqual({ status: "partial", ...shared });
    expect(gist(made({ last_text: "  It is in a.ts.  " }))).toEqual({
      ...{ status: "partial", ...shared, summary: "It is in a.ts." },
    });
  });

  test.each<[string, Partial<ChildOutcome>, object]>([
    [
      "ran out of budget",
      { stop_reason: "budget_exhausted", tool_calls: 3 },
      {
        status: "partial",
        summary: "its budget was spent.",
        limitations: none("its budget was spent."),
        code: "no_report",
      },
    ],
    [
      "sent nonsense three times",
      { invalid_reports: 3, tool_calls: 1 },
      {
        status: "partial",
        summary: "it ended without report.",
        limitations: none("it ended without report."),
        code: "invalid_report",
      },
    ],
    [
      "got a 401",
      { stop_reason: "error", error: transport },
      { status: "blocked", summary: transport.message, limitations: none(transport.message), code: "auth" },
    ],
    [
      "failed without words",
      { stop_reason: "error", error: { ...transport, message: " " } },
      { status: "blocked", summary: "it failed (auth).", limitations: none("it failed (auth)."), code: "auth" },
    ],
    [
      "was cancelled at once",
      { stop_reason: "cancelled", cancelled: true },
      {
        status: "blocked",
        summary: "the job was cancelled.",
        limitations: none("the job was cancelled."),
        code: null,
        cancelled: true,
      },
    ],
    [
      "was cancelled while it spoke",
      { stop_reason: "cancelled", cancelled: true, last_text: "I am" },
      { status: "blocked", summary: "I am", limitations: none("the job was cancelled."), code: null, cancelled: true },
    ],
    [
      "was cancelled in a tool",
      { stop_reason: "cancelled", cancelled: true, tool_calls: 1 },
      {
        status: "partial",
        summary: "the job was cancelled.",
        limitations: none("the job was cancelled."),
        code: null,
        cancelled: true,
      },
    ],
  ])("D6 D9 D13 of a child that %s", (_what, outcome, expected) => {
    expect(gist(made(outcome))).toEqual({ synthetic: true, cancelled: false, ...expected });
  });

  test("D6 what its calls changed stands in the changes, and a long last text is cut to whole characters", () => {
    const { changes, summary } = made({ files_changed: ["/w/a.ts"], last_text: `${"x".repeat(1999)}😀` });
    expect(changes).toEqual([{ path: "/w/a.ts", what: "changed (as its calls tell; the child did not report)" }]);
    expect([summary.length, summary.isWellFormed()]).toEqual([2000, true]);
  });
});
