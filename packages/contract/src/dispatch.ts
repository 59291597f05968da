import { z } from "zod";
import type { Mode } from "./config.ts";
import type { AgentErrorData } from "./error.ts";
import type { AgentEvent } from "./event.ts";
import type { Usage } from "./model.ts";
import type { Receipt } from "./receipt.ts";
import type { StopReason } from "./stop.ts";
import type { TargetRole } from "./target-role.ts";

/** A piece of work for a child role; plain JSON, so that it could run elsewhere. */
export interface Job {
  /** Derived from the call that made it; 12 characters of base 62. */
  readonly job_id: string;
  readonly parent_conversation_id: string;
  readonly parent_turn_id: string;
  readonly parent_job_id: string | null;
  readonly target_role: string;
  /** The built-in role that it is, or is made of; it decides what a report is. */
  readonly base_role: TargetRole;
  readonly task: string;
  readonly context: { readonly user_request_summary: string | null; readonly role_instructions: string | null };
  /** Sorted, each once. */
  readonly files: readonly string[];
  /** The ceiling of the parent's session; a child is never wider. */
  readonly mode: Mode;
  readonly cwd: string;
}

export const STATUSES = ["ok", "partial", "blocked"] as const;

export const Evidence = z.strictObject({
  receipt: z.string().optional(),
  path: z.string().optional(),
  /** "12" or "12-20". */
  lines: z.string().optional(),
  quote: z.string().optional(),
  note: z.string().optional(),
});
export type Evidence = z.infer<typeof Evidence>;

const Change = z.strictObject({ path: z.string(), what: z.string() });
const Verification = z.strictObject({ command: z.string(), outcome: z.string() });

/** What a child ends its turn with. One schema for the `report` tool and for what the parent is given. */
export const Report = z
  .strictObject({
    status: z.enum(STATUSES),
    summary: z.string().trim().min(1, "summary must not be empty: say in one or two sentences what came of the task"),
    findings: z.array(z.string()).default([]),
    evidence: z.array(Evidence).default([]),
    changes: z.array(Change).default([]),
    verification: z.array(Verification).default([]),
    limitations: z.array(z.string()).default([]),
  })
  .refine((report) => report.findings.length === 0 || report.evidence.length > 0, {
    path: ["evidence"],
    message: "findings need at least one evidence entry: give path and lines, or a quote, of what you were shown",
  });
export type Report = z.infer<typeof Report>;

/** What became of a child, whatever became of it; verdicts are the parent's. Plain JSON. */
export interface ChildOutcome {
  readonly report: Report | null;
  /** How often it sent a report that did not fit. */
  readonly invalid_reports: number;
  readonly stop_reason: StopReason;
  readonly cancelled: boolean;
  readonly error: AgentErrorData | null;
  /** The last text it wrote, for a synthesised summary. */
  readonly last_text: string;
  readonly rounds: number;
  /** Calls that reached a handler. */
  readonly tool_calls: number;
  /** Files its own calls changed, absolute. */
  readonly files_changed: readonly string[];
  /** Of its own calls; absent in outcomes that were stored before there were any. */
  readonly receipts?: readonly Receipt[];
  readonly usage: Usage;
  readonly duration_ms: number;
  /** Results of its own children, flat. */
  readonly dispatches: readonly DispatchResult[];
  readonly account: readonly CancelNode[];
}

export interface RunChildOptions {
  readonly signal: AbortSignal;
  onEvent(event: AgentEvent): void;
}

/** Runs jobs. Idempotent by `job_id`: running one again attaches to it, or returns its stored outcome. */
export interface ChildRunner {
  /** Never throws: whatever happens to the child is in its outcome. */
  run(job: Job, options: RunChildOptions): Promise<ChildOutcome>;
}

export interface EvidenceVerdict {
  readonly index: number;
  readonly verdict: "verified" | "stale" | "unsupported";
  /** Empty only when verified. */
  readonly why: string;
}

/** A worker's `changes` beside what its calls did; each path stands in one list. */
export interface ChangesCheck {
  /** As they were claimed, like the next. */
  readonly claimed_and_done: readonly string[];
  readonly claimed_not_done: readonly string[];
  /** Relative to the job's folder when inside it, like the next. */
  readonly done_not_claimed: readonly string[];
  /** Changed while calls of several jobs ran, and not claimed: it may be another's. */
  readonly shared: readonly string[];
}

/** Whether a command that a worker says it ran was part of one of its bash calls. */
export interface VerificationVerdict {
  readonly index: number;
  readonly ran: boolean;
  /** Of the last such call; null when there was none. */
  readonly receipt: string | null;
  readonly exit_code: number | null;
}

/** The single thing a parent gets of a job. */
export interface DispatchResult {
  readonly job_id: string;
  readonly target_role: string;
  readonly status: (typeof STATUSES)[number];
  readonly summary: string;
  readonly findings: readonly string[];
  readonly evidence: readonly Evidence[];
  readonly evidence_check: readonly EvidenceVerdict[];
  readonly evidence_counts: { readonly verified: number; readonly stale: number; readonly unsupported: number };
  readonly changes: Report["changes"];
  readonly verification: Report["verification"];
  /** Null for an explorer. */
  readonly changes_check: ChangesCheck | null;
  readonly verification_check: readonly VerificationVerdict[] | null;
  readonly limitations: readonly string[];
  readonly parent_job_id: string | null;
  /** True when the child sent no valid report and this one was made for it. */
  readonly synthetic: boolean;
  readonly cancelled: boolean;
  readonly error: AgentErrorData | null;
  readonly usage: Usage;
  readonly rounds: number;
  readonly duration_ms: number;
  /** Where the whole result is kept; null when it could not be. */
  readonly recall_key: string | null;
}

/** What one node of the tree was doing when the cancel came, and what it had changed by then. */
export interface CancelNode {
  readonly role: string;
  readonly job_id: string | null;
  readonly stopped_after_ms: number;
  /** Calls that were cut off. */
  readonly calls: readonly { readonly tool: string; readonly mutation_state: "none" | "attempted" | "unknown" }[];
  /** Files its finished calls changed in this turn, absolute. */
  readonly files_changed: readonly string[];
}

export interface CancelAccount {
  readonly reason: string;
  readonly nodes: readonly CancelNode[];
}
