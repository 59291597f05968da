import { createHash } from "node:crypto";
import type { Job } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";
import { deepFreeze } from "@smith/contract/freeze";
import type { ToolContext } from "@smith/contract/tool";
import { type RoleSpec, type Roles, targetBase } from "../roles/catalog.ts";

/** What a parent says of a job. */
export interface JobRequest {
  readonly target_role: string;
  readonly task: string;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  readonly files?: readonly string[] | undefined;
}

export interface JobRules {
  readonly roles: Roles;
  /** Lets `transcript` and `messages` through in the context; for callers of the API only. */
  readonly allow_raw_transcript?: boolean;
}

/**
 * The job a request makes, checked and frozen. The parent's role is only checked, not kept.
 * @throws {AgentError} `policy`/`dispatch_denied` for an edge that is none, `schema`/`bad_job` for what can't be a job.
 */
export function createJob(request: JobRequest, parent: ToolContext, rules: JobRules): Job {
  const target = checkedTarget(request.target_role, parent.role, rules.roles);
  const task = request.task.trim();
  if (task === "") throw badJob("task is empty. Say what the child shall find out or change.");
  return deepFreeze({
    job_id: jobId(parent),
    parent_conversation_id: parent.conversation_id,
    parent_turn_id: parent.turn_id,
    parent_job_id: parent.job_id,
    target_role: target.name,
    base_role: target.base,
    task,
    context: checkedContext(request.context ?? {}, rules.allow_raw_transcript === true),
    files: [...new Set(request.files ?? [])].sort(),
    mode: parent.mode,
    cwd: parent.cwd,
  });
}

/** The roles that jobs can be for, each with the built-in role that it is made of. */
export const jobRoles = ({ list }: Roles) =>
  list().flatMap((role: RoleSpec) => {
    const base = targetBase(role);
    return base === null ? [] : [{ ...role, base }];
  });

function checkedTarget(target: string, role: string, roles: Roles): ReturnType<typeof jobRoles>[number] {
  const known = jobRoles(roles);
  const found = known.find((each) => each.name === target);
  if (found !== undefined && roles.mayDispatch(role, target)) return found;
  const allowed = known.map(({ name }) => name).filter((name) => roles.mayDispatch(role, name));
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
