import { createHash } from "node:crypto";
import type { Job } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";
import { deepFreeze } from "@smith/contract/freeze";
import { TARGET_ROLES, type TargetRole } from "@smith/contract/target-role";
import type { ToolContext } from "@smith/contract/tool";
import { mayDispatch } from "../roles/catalog.ts";

/** What a parent says of a job. */
export interface JobRequest {
  readonly target_role: string;
  readonly task: string;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  readonly files?: readonly string[] | undefined;
}

/**
 * The job a request makes, checked and frozen. The parent's role is only checked, not kept.
 * @param allowRawTranscript lets `transcript` and `messages` through in the context; for callers of the API only.
 * @throws {AgentError} `policy`/`dispatch_denied` for an edge that is none, `schema`/`bad_job` for what can't be a job.
 */
export function createJob(request: JobRequest, parent: ToolContext, allowRawTranscript = false): Job {
  const target_role = checkedTarget(request.target_role, parent.role);
  const task = request.task.trim();
  if (task === "") throw badJob("task is empty. Say what the child shall find out or change.");
  return deepFreeze({
    job_id: jobId(parent),
    parent_conversation_id: parent.conversation_id,
    parent_turn_id: parent.turn_id,
    parent_job_id: parent.job_id,
    target_role,
    task,
    context: checkedContext(request.context ?? {}, allowRawTranscript),
    files: [...new Set(request.files ?? [])].sort(),
    mode: parent.mode,
    cwd: parent.cwd,
  });
}

function checkedTarget(target: string, role: string): TargetRole {
  const known = TARGET_ROLES.find((each) => each === target);
  if (known !== undefined && mayDispatch(role, known)) return known;
  const allowed = TARGET_ROLES.filter((each) => mayDispatch(role, each));
  throw new AgentError({
    kind: "policy",
    code: "dispatch_denied",
    origin: "engine/job",
    message: `${role} may not dispatch to ${JSON.stringify(target)}. It may dispatch to: ${allowed.join(", ") || "nobody"}.`,
  });
}

const RAW = ["transcript", "messages"];
const CONTEXT_KEYS = ["user_request_summary", "role_instructions"];

function checkedContext(context: Readonly<Record<string, unknown>>, allowRaw: boolean): Job["context"] {
  for (const key of Object.keys(context)) {
    if (RAW.includes(key) && !allowRaw) {
      throw badJob(
        `context.${key}: a raw transcript is not handed to a child. Summarise in user_request_summary.`,
        "policy",
      );
    }
    if (!CONTEXT_KEYS.includes(key) && !RAW.includes(key)) {
      throw badJob(`context.${key} is unknown. It takes ${CONTEXT_KEYS.join(" and ")}.`);
    }
  }
  const text = (key: string) => {
    const value = context[key];
    return typeof value === "string" && value.trim() !== "" ? value : null;
  };
  return { user_request_summary: text("user_request_summary"), role_instructions: text("role_instructions") };
}

const badJob = (message: string, kind: "schema" | "policy" = "schema"): AgentError =>
  new AgentError({ kind, code: "bad_job", origin: "engine/job", message });

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Twelve characters of base 62 of a hash of the call's place. The same call names the same job, so an intent names the
 * child before it exists. The conversation is part of the place: turn and call ids repeat in others.
 */
export function jobId(call: Pick<ToolContext, "conversation_id" | "turn_id" | "call_id">): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([call.conversation_id, call.turn_id, call.call_id]))
    .digest();
  return Array.from(digest.subarray(0, 12), (byte) => BASE62[byte % 62]).join("");
}

/** The child's first message: the task, then what the parent gave with it. Nothing of the parent's transcript. */
export function jobMessage({ task, context, files }: Job): string {
  const lines = [
    ...(context.user_request_summary === null ? [] : [`User request: ${context.user_request_summary}`]),
    ...(context.role_instructions === null ? [] : [`Instructions: ${context.role_instructions}`]),
  ];
  const blocks = [task];
  if (lines.length > 0) blocks.push(["Context:", ...lines].join("\n"));
  if (files.length > 0) blocks.push(["Files:", ...files.map((file) => `- ${file}`)].join("\n"));
  return blocks.join("\n\n");
}
