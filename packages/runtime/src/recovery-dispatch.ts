import type { ChildOutcome, DispatchResult, Job } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";
import type { ToolCall, TranscriptMessage } from "@smith/contract/message";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import { SCRATCHPAD } from "@smith/contract/note";
import type { Receipt } from "@smith/contract/receipt";
import type { InterruptedTurn, Store } from "@smith/contract/store";
import { checkResult, createDispatchResult, createJob, readReport } from "@smith/engine";
import { checkGround } from "./job-ground.ts";
import { jobConversation, jobIn, OUTCOME } from "./job-places.ts";
import { changedFiles, completionOf, type RecoveryPorts, type ResolvedCall } from "./recovery-probe.ts";

export interface DispatchPorts extends RecoveryPorts {
  /** The ends of the open calls of the job itself. */
  resolve(child: InterruptedTurn): Promise<readonly ResolvedCall[]>;
}

/**
 * The result of a job that was still out: made of its stored outcome, else of what the child left. Kept under its key
 * like any other. Null for a call that never made a job.
 */
export async function endDispatch(
  call: ToolCall,
  left: InterruptedTurn,
  ports: DispatchPorts,
): Promise<ResolvedCall | null> {
  const job = jobOf(call, left, ports);
  if (job === null) return null;
  const result = await checkedResult(job, await outcomeOf(job, ports), ports.store);
  const recall_key = `dispatch/${job.job_id}`;
  const text = JSON.stringify({ ...result, recall_key });
  const end = { tool: "dispatch", state: `${job.target_role} ${result.status}`, ok: true };
  try {
    await ports.store.note.put(left.conversation_id, SCRATCHPAD + recall_key, text);
    return { ...end, content: text, recall_key };
  } catch {
    return { ...end, content: JSON.stringify(result) }; // a full disk must not cost the work that was done
  }
}

/** What was found of its claims stands in it as in any other; without receipts nothing can be said of what it did. */
async function checkedResult(job: Job, outcome: ChildOutcome, store: Store): Promise<DispatchResult> {
  const ground = await checkGround(job, outcome, { transcripts: new Map(), services: { persistence: store } });
  const checked = await checkResult(createDispatchResult(job, outcome), job.base_role, ground);
  return outcome.receipts === undefined ? { ...checked, changes_check: null, verification_check: null } : checked;
}

/** The job that the call had made, or would have; null when its arguments make none. */
function jobOf(call: ToolCall, left: InterruptedTurn, ports: DispatchPorts): Job | null {
  try {
    const { conversation_id, turn_id, role } = left;
    const job_id = jobIn(conversation_id);
    const place = { role, conversation_id, turn_id, job_id, call_id: call.id, cwd: ports.cwd(), mode: "full" as const };
    const never = new AbortController().signal;
    const parent = { ...place, project_id: "", project_root: null, signal: never, isCancelled: () => false };
    return createJob(JSON.parse(call.arguments), parent, { roles: ports.roles });
  } catch {
    return null; // it would have been refused
  }
}

async function outcomeOf(job: Job, ports: DispatchPorts): Promise<ChildOutcome> {
  const { store } = ports;
  const child = jobConversation(job.job_id);
  const stored = async () => storedOutcome(await store.note.get(child, OUTCOME));
  // The child may have been killed in the middle of its own turn.
  await store.turn.recover(child, async (left) => {
    const calls = await ports.resolve(left);
    const completion = completionOf(calls);
    const receipts = [...left.receipts, ...completion.receipts];
    const changed = (await changedFiles(left.intents, ports)).map(({ path }) => path);
    const made = madeOutcome({ job, messages: left.messages, changed, receipts });
    if ((await stored()) === null) await store.note.put(child, OUTCOME, JSON.stringify(made));
    return completion;
  });
  const outcome = await stored();
  if (outcome !== null) return outcome;
  // It had closed its turn, and was killed before it could store what it came to.
  const receipts = await store.receipt.list(child, "t1");
  return madeOutcome({ job, messages: await transcript(child, store), changed: filesIn(receipts), receipts });
}

/** Written by the runner, or above; a damaged note is none. */
function storedOutcome(text: string | null): ChildOutcome | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as ChildOutcome;
  } catch {
    return null;
  }
}

const transcript = async (id: string, store: Store): Promise<readonly TranscriptMessage[]> =>
  (await store.conversation.messages(id)).messages;

interface Left {
  readonly job: Job;
  readonly messages: readonly TranscriptMessage[];
  /** Files that are not as they were when the child began to change them. */
  readonly changed: readonly string[];
  readonly receipts: readonly Receipt[];
}

const filesIn = (receipts: readonly Receipt[]): readonly string[] => {
  const changed = receipts.flatMap(({ files }) => files).filter((file) => file.hash_before !== file.hash_after);
  return [...new Set(changed.map(({ path }) => path))];
};

/** What a child that was killed had come to, as its transcript tells. What it used is not known. */
function madeOutcome({ job, messages, changed, receipts }: Left): ChildOutcome {
  const said = messages.findLast((message) => message.role === "assistant" && message.content.trim() !== "");
  const results = messages.filter((message) => message.role === "tool");
  const report = reportIn(messages, job);
  return {
    report,
    invalid_reports: results.filter(({ name, ok }) => name === "report" && !ok).length,
    stop_reason: report === null ? "error" : "completed",
    cancelled: false,
    error: report === null ? interrupted().toJSON() : null,
    last_text: said?.role === "assistant" ? said.content : "",
    rounds: messages.at(-1)?.round ?? 0,
    tool_calls: results.filter(({ name }) => name !== "report").length,
    files_changed: changed,
    receipts,
    usage: UNKNOWN_USAGE,
    duration_ms: (messages.at(-1)?.ts ?? 0) - (messages[0]?.ts ?? 0),
    dispatches: [],
    account: [],
  };
}

/** The report that the child had handed in before the end came. */
function reportIn(messages: readonly TranscriptMessage[], job: Job): ChildOutcome["report"] {
  const taken = messages.findLast((message) => message.role === "tool" && message.name === "report" && message.ok);
  if (taken?.role !== "tool") return null;
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
  const call = calls.findLast(({ id, name }) => id === taken.tool_call_id && name === "report");
  const read = readReport(parsed(call?.arguments ?? ""), job.base_role);
  return "report" in read ? read.report : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a report that had to be mended to be read: what it came to is in its transcript
  }
}

const interrupted = (): AgentError =>
  new AgentError({
    kind: "internal",
    code: "interrupted",
    origin: "runtime/recovery",
    message: "interrupted: the process ended before the job was done",
  });
