import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import type { ChildOutcome, ChildRunner, Job } from "@smith/contract/dispatch";
import type { AgentEvent } from "@smith/contract/event";
import type { Step } from "../script.ts";
import type { ScriptedLlm } from "../scripted-model.ts";

/** What a runner is made on. */
export interface RunnerGround {
  /** The model of every role; without retries, so that each failure counts. */
  readonly api_url: string;
  /** Seconds a job may take. */
  readonly timeout_s: number;
}

export interface RunnerUnderTest {
  /** Fresh: it has run no job yet. Its children have `bash` and `report`. */
  readonly runner: ChildRunner;
  /** A folder that children may work in. */
  readonly cwd: string;
  /** A second runner over the same kept data, beside the first, as another process would have it. */
  second(): Promise<ChildRunner>;
  dispose(): Promise<void>;
}

export type MakeChildRunner = (ground: RunnerGround) => Promise<RunnerUnderTest>;

export interface Scene extends RunnerUnderTest {
  readonly llm: ScriptedLlm;
  readonly job: Job;
  readonly events: readonly AgentEvent[];
  /** Resolves when the child has told of such an event. */
  told(type: AgentEvent["type"]): Promise<void>;
  /** Lets the answers go that wait for the gate. */
  open(): void;
  /** Runs the job; its events are gathered. */
  run(runner?: ChildRunner, signal?: AbortSignal): Promise<ChildOutcome>;
}

type Steps = readonly Step[] | ((gate: Promise<void>) => readonly Step[]);
export type Case = readonly [title: string, steps: Steps, work: (scene: Scene) => Promise<void>, timeout_s?: number];

const JOB: Omit<Job, "cwd"> = {
  ...{ job_id: "0123456789ab", parent_conversation_id: "above", parent_turn_id: "t7", parent_job_id: null },
  ...{
    target_role: "worker",
    base_role: "worker",
    task: "Look around.",
    context: { user_request_summary: null, role_instructions: null },
  },
  ...{ files: [], mode: "full" },
};
export const call = (name: string, args: object) => ({ call: [{ id: "call_1", name, args }] });
/** A whole job: it reports. */
export const REPORT = call("report", { status: "ok", summary: "Looked around." });
/** A call that only a cancel or the time limit ends. */
export const SLEEP = call("bash", { command: "touch begun; sleep 30" });

/** A promise, and what keeps it. */
export function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export function sceneOf(parts: RunnerUnderTest & Pick<Scene, "llm" | "open">): Scene {
  const events: AgentEvent[] = [];
  const waiting = new Set<() => void>();
  const job: Job = { ...JOB, cwd: parts.cwd };
  const onEvent = (event: AgentEvent) => {
    events.push(event);
    for (const look of waiting) look();
  };
  return {
    ...parts,
    job,
    events,
    told: (type) =>
      new Promise((resolve) => {
        const look = () => {
          if (events.some((event) => event.type === type)) resolve();
        };
        waiting.add(look);
        look();
      }),
    run: (runner = parts.runner, signal = new AbortController().signal) =>
      runner.run(JSON.parse(JSON.stringify(job)) as Job, { signal, onEvent }),
  };
}

/** What matters of an outcome. */
export const gist = ({ stop_reason, cancelled, report, error }: ChildOutcome) => ({
  ...{ stop_reason, cancelled, summary: report?.summary ?? null, code: error?.code ?? null },
});
export const REPORTED = { stop_reason: "completed", cancelled: false, summary: "Looked around.", code: null };
export const CANCELLED = { stop_reason: "cancelled", cancelled: true, summary: null, code: null };

/** Resolves when a file of this name is in the working folder. */
export async function made({ cwd }: Scene, name: string): Promise<void> {
  const watcher = watch(cwd);
  try {
    while (!existsSync(join(cwd, name))) await once(watcher, "change");
  } finally {
    watcher.close();
  }
}
