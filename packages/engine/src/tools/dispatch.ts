import type { ChildOutcome, DispatchResult, Job } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { AnyTool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { type CeilingPorts, runWithin } from "../dispatch/ceiling.ts";
import { type CheckGround, checkResult } from "../dispatch/check.ts";
import { createJob, jobRoles } from "../dispatch/job.ts";
import { LONGEST_TIMER_MS } from "../dispatch/job-time.ts";
import { createDispatchResult } from "../dispatch/result.ts";
import type { Roles } from "../roles/catalog.ts";

/** What the tool needs of the world. */
export interface DispatchPorts extends CeilingPorts {
  readonly roles: Roles;
  /** Tells of the job; `parent` is the call that made it. Must not throw; the job begins, or its result comes, when it resolves. */
  tell(parent: ToolContext, body: EventBody): Promise<void>;
  /** What the job was shown, what its calls did, and the files as they are now. */
  ground(job: Job, outcome: ChildOutcome): Promise<CheckGround>;
  /** Keeps the result under its key in the parent's scratchpad; may fail. */
  keep(parent: ToolContext, key: string, text: string): Promise<void>;
  /** Children of one turn that run at the same time: waits for a place, outside the job's own time. */
  slot<T>(parent: ToolContext, work: () => Promise<T>): Promise<T>;
}

const argumentsOf = (roles: Roles) =>
  z.strictObject({
    target_role: z.string().describe(targetsOf(roles)),
    task: z.string().describe("goal, limits, what to report"),
    context: z
      .looseObject({ user_request_summary: z.string().optional(), role_instructions: z.string().optional() })
      .optional(),
    files: z.array(z.string()).optional(),
  });
type Arguments = z.infer<ReturnType<typeof argumentsOf>>;

/** `worker | explorer | auditor (an explorer: looks for secrets)`. */
const targetsOf = (roles: Roles): string =>
  jobRoles(roles)
    .map(({ name, base, custom }) => (custom === null ? name : `${name} (${base}: ${custom.description})`))
    .join(" | ");

/** `dispatch`: hands a job to a child role and returns its checked result. Several in one message run side by side. */
export const createDispatchTool = (ports: DispatchPorts): AnyTool =>
  Object.freeze({
    name: "dispatch",
    description:
      "Hand a self-contained job to a child agent that sees only what you write here; returns its report as JSON.",
    schema: argumentsOf(ports.roles),
    side_effects: "none",
    max_chars: 200_000, // the child's report was already bounded by its own output limit
    grace_ms: 700, // the runner itself gives up on a child earlier; this is for a runner that does not
    deadlineS: () => Math.floor(LONGEST_TIMER_MS / 1000), // none: a job waits for its place and for the user, and its own time has its own alarm
    run: (args: Arguments, context: ToolContext) => dispatch(args, context, ports),
    result_renderer: (args: Arguments, { metadata }: ToolOutcome) =>
      summaryOf(args, metadata?.["dispatch"] as DispatchResult | undefined),
  } satisfies AnyTool);

async function dispatch(args: Arguments, context: ToolContext, ports: DispatchPorts): Promise<ToolOutcome> {
  let job: Job;
  try {
    job = createJob(args, context, ports);
  } catch (thrown) {
    if (!(thrown instanceof AgentError)) throw thrown;
    return { ok: false, content: "", error: { kind: thrown.kind, code: thrown.code, message: thrown.message } };
  }
  return runJob(job, context, ports);
}

/** Runs the job when it gets a place. One that is cancelled before then has a result like any other, but never began. */
async function runJob(job: Job, context: ToolContext, ports: DispatchPorts): Promise<ToolOutcome> {
  let began = false;
  const run = () => runWithin(job, context.signal, ports);
  try {
    return await ports.slot(context, async () => {
      began = true;
      return await finish(job, await tellOf(job, { context, ports, run }), { context, ports, told: true });
    });
  } catch (thrown) {
    if (began || !(thrown instanceof AgentError) || thrown.kind !== "cancelled") throw thrown;
    return finish(job, await run(), { context, ports, told: false });
  }
}

interface Telling {
  readonly context: ToolContext;
  readonly ports: DispatchPorts;
  run(): Promise<ChildOutcome>;
}

/** Tells that a job begins, and that its cancel was asked for. */
async function tellOf({ job_id, target_role, task }: Job, { context, ports, run }: Telling): Promise<ChildOutcome> {
  const about = { job_id, target_role, task };
  const onAbort = () => void ports.tell(context, { type: "dispatch_cancel_requested", ...about });
  const told = ports.tell(context, { type: "dispatch_started", ...about });
  context.signal.addEventListener("abort", onAbort, { once: true });
  try {
    await told;
    return await run();
  } finally {
    context.signal.removeEventListener("abort", onAbort);
  }
}

/** Makes the one result of an outcome, keeps it, and tells of it when the job was told of. */
async function finish(
  job: Job,
  outcome: ChildOutcome,
  { context, ports, told }: { context: ToolContext; ports: DispatchPorts; told: boolean },
): Promise<ToolOutcome> {
  const checked = await checkResult(
    createDispatchResult(job, outcome),
    job.base_role,
    await ports.ground(job, outcome),
  );
  const result = await keepResult(checked, context, ports);
  const { job_id, target_role, status, cancelled, summary, evidence_counts, recall_key } = result;
  if (told) {
    const end = { status, cancelled, summary, evidence_counts };
    await ports.tell(context, { type: "dispatch_finished", job_id, target_role, task: job.task, ...end });
  }
  const metadata = {
    dispatch: result,
    nested: outcome.dispatches,
    account: outcome.account,
    ...(recall_key === null ? {} : { recall_key }),
  };
  return { ok: true, content: JSON.stringify(result), metadata };
}

/** Best effort: a result that can't be kept is still the parent's, without a key. */
async function keepResult(result: DispatchResult, context: ToolContext, ports: DispatchPorts): Promise<DispatchResult> {
  const recall_key = `dispatch/${result.job_id}`;
  const kept = { ...result, recall_key };
  try {
    await ports.keep(context, recall_key, JSON.stringify(kept));
    return kept;
  } catch {
    return result; // a full disk must not cost the work that was done
  }
}

function summaryOf({ target_role }: Arguments, result: DispatchResult | undefined): string {
  if (result === undefined) return target_role;
  const what = result.cancelled ? "cancelled" : result.status;
  return `${target_role} ${what}${result.synthetic ? " (no report)" : ""}: ${result.summary}`;
}
