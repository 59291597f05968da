import type { ChildOutcome, DispatchResult, Job, Report } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";

/** The one result a parent gets of a job: the child's report, or one made for it. Whatever happened, it is valid. */
export function createDispatchResult(job: Job, outcome: ChildOutcome): DispatchResult {
  const report = outcome.report ?? synthesise(outcome);
  const { usage, rounds, duration_ms, cancelled } = outcome;
  return {
    job_id: job.job_id,
    target_role: job.target_role,
    status: report.status,
    summary: report.summary,
    findings: report.findings,
    evidence: report.evidence,
    evidence_check: [],
    evidence_counts: { verified: 0, stale: 0, unsupported: 0 },
    changes: report.changes,
    verification: report.verification,
    changes_check: null,
    verification_check: null,
    limitations: report.limitations,
    parent_job_id: job.parent_job_id,
    synthetic: outcome.report === null,
    cancelled,
    error: outcome.error ?? (outcome.report === null && !cancelled ? noReport(outcome) : null),
    ...{ usage, rounds, duration_ms },
    recall_key: null,
  };
}

const SUMMARY_CHARS = 2000;

/** A report for a child that sent none: blocked when nothing was done, else partial, resting on what it did. */
function synthesise(outcome: ChildOutcome): Report {
  const done = outcome.tool_calls > 0;
  const said = outcome.last_text.trim();
  return {
    status: done || (said !== "" && !outcome.cancelled) ? "partial" : "blocked",
    summary: said === "" ? causeOf(outcome) : said.slice(0, SUMMARY_CHARS).toWellFormed(),
    findings: [],
    evidence: [],
    changes: outcome.files_changed.map((path) => ({
      path,
      what: "changed (as its calls tell; the child did not report)",
    })),
    verification: [],
    limitations: [`The child sent no valid report: ${causeOf(outcome)}`],
  };
}

function causeOf(outcome: ChildOutcome): string {
  if (outcome.cancelled) return "the job was cancelled.";
  if (outcome.error !== null) return outcome.error.message.trim() || `it failed (${outcome.error.code}).`;
  if (outcome.stop_reason === "budget_exhausted") return "its budget was spent.";
  return "it ended without report.";
}

const noReport = (outcome: ChildOutcome) =>
  new AgentError({
    kind: outcome.stop_reason === "budget_exhausted" ? "budget_exhausted" : "protocol",
    code: outcome.invalid_reports > 0 ? "invalid_report" : "no_report",
    origin: "engine/dispatch",
    message: outcome.invalid_reports > 0 ? "child did not report: its reports did not fit" : "child did not report",
  }).toJSON();
