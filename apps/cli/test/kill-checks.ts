import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DispatchResult } from "@smith/contract/dispatch";
import type { ToolCall, ToolMessage } from "@smith/contract/message";
import type { StoredSession } from "./database.ts";
import { textOf } from "./kill-model.ts";
import type { Place } from "./scene.ts";

/** A call with its results: a sound transcript has exactly one. */
interface Answered {
  readonly call: ToolCall;
  readonly results: readonly ToolMessage[];
}

/** What of a promise does not hold, one sentence each. */
export function faultsOf(sessions: readonly StoredSession[], here: Place): readonly string[] {
  const answered = sessions.flatMap(answeredIn);
  return [
    ...answered
      .filter(({ results }) => results.length !== 1)
      .map(({ call, results }) => `${call.id}: ${results.length} results`),
    ...dispatchFaults(answered, sessions),
    ...logFaults(answered, here),
    ...fileFaults(answered, here),
  ];
}

/** Ids are used again from turn to turn: a result belongs to the last call before it. */
function answeredIn({ messages }: StoredSession): readonly Answered[] {
  const found: { call: ToolCall; results: ToolMessage[] }[] = [];
  for (const message of messages) {
    if (message.role === "assistant") found.push(...(message.tool_calls ?? []).map((call) => ({ call, results: [] })));
    if (message.role === "tool") found.findLast(({ call }) => call.id === message.tool_call_id)?.results.push(message);
  }
  return found;
}

/** Each job has one result, whole, and the session of a job is there only with a call that made it. */
function dispatchFaults(answered: readonly Answered[], sessions: readonly StoredSession[]): readonly string[] {
  const results = answered
    .filter(({ call }) => call.name === "dispatch")
    .map(({ results: [result] }) => JSON.parse(untagged(result?.content ?? "null")) as DispatchResult | null);
  const ids = results.map((result) => result?.job_id ?? "none");
  const jobs = sessions.filter(({ parent }) => parent !== null).map(({ id }) => id.replace(/^job-/, ""));
  return [
    ...(new Set(ids).size === ids.length ? [] : [`a job has two results: ${ids.join(" ")}`]),
    ...results
      .filter((each) => !["ok", "partial", "blocked"].includes(each?.status ?? ""))
      .map(() => "a result without status"),
    ...results
      .filter(
        (each) => each?.target_role === "worker" && (each.changes_check === null || each.verification_check === null),
      )
      .map((each) => `the job ${each?.job_id} was not checked`),
    ...jobs.filter((id) => !ids.includes(id)).map((id) => `the job ${id} has no result`),
  ];
}

/** Without the line that names its receipt, which results in a job have. */
const untagged = (content: string): string => content.replace(/\n\[receipt r\d+\]$/, "");

const stateOf = (result: ToolMessage | undefined): string =>
  result === undefined
    ? "none"
    : (/\nmutation_state: (\w+)/.exec(result.content)?.[1] ?? (result.ok ? "done" : "none"));

/** A command that ended ran once; one that was cut off at most once. */
function logFaults(answered: readonly Answered[], here: Place): readonly string[] {
  const lines = existsSync(join(here.cwd, "log.txt")) ? here.read("log.txt").split("\n") : [];
  return answered
    .filter(({ call }) => call.name === "bash")
    .flatMap(({ call, results: [result] }) => {
      const times = lines.filter((line) => `log-${line}` === call.id).length;
      const allowed: Record<string, readonly number[]> = { done: [1], none: [0], unknown: [0, 1] };
      const state = stateOf(result);
      return allowed[state]?.includes(times) === true ? [] : [`${call.id} is ${state} and ran ${times} times`];
    });
}

/** A file is as the transcript says, or the result says that it may be otherwise; never half written. */
function fileFaults(answered: readonly Answered[], here: Place): readonly string[] {
  const edited = textOf("v1").replace("end of v1", "end of v2");
  const states = new Map<string, Record<string, string>>();
  for (const { call, results } of answered.filter(({ call }) => call.name === "write" || call.name === "edit")) {
    const { path } = JSON.parse(call.arguments) as { path: string };
    states.set(path, { ...states.get(path), [call.name]: stateOf(results[0]) });
  }
  return [...states].flatMap(([path, { write = "none", edit = "none" }]) => {
    const wanted = wasMade(edit) ? edited : wasMade(write) ? textOf("v1") : null;
    const file = join(here.cwd, path);
    const content = existsSync(file) ? readFileSync(file, "utf8") : null;
    return content === wanted
      ? []
      : [`${path}: write ${write}, edit ${edit}, but it has ${content?.length ?? "no"} characters`];
  });
}

const wasMade = (state: string): boolean => state === "done" || state === "attempted";
