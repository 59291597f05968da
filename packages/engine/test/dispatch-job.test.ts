import { AgentError } from "@smith/contract/error";
import type { ToolContext } from "@smith/contract/tool";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRoles, jobId, jobMessage, createJob as makeJob } from "../src/index.ts";

const ROLES = createRoles();
const createJob = (request: Parameters<typeof makeJob>[0], from: ToolContext, allow_raw_transcript = false) =>
  makeJob(request, from, { roles: ROLES, allow_raw_transcript });

const parent: ToolContext = {
  ...{ role: "direct", conversation_id: "c1", turn_id: "t1", call_id: "call_1", project_id: "p", job_id: null },
  ...{ mode: "ask", cwd: "/work", project_root: null, signal: new AbortController().signal, isCancelled: () => false },
};
const task = { target_role: "explorer", task: "Find the parser." };

const refusal = (work: () => unknown): { kind: string; code: string; message: string } => {
  try {
    return { kind: "none", code: "none", message: JSON.stringify(work()) };
  } catch (thrown) {
    if (!(thrown instanceof AgentError)) throw thrown;
    return { kind: thrown.kind, code: thrown.code, message: thrown.message };
  }
};

describe("a job", () => {
  test("D1 D2 D4 it has its fields and nothing of the parent's role, is plain JSON and frozen all the way down", () => {
    const context = { user_request_summary: "parse it", role_instructions: "be quick" };
    const job = createJob({ ...task, context, files: ["b.ts", "a.ts", "b.ts"] }, { ...parent, job_id: "above" });
    expect(job).toEqual({
      job_id: jobId(parent),
      parent_conversation_id: "c1",
      parent_turn_id: "t1",
      parent_job_id: "above",
      target_role: "explorer",
      base_role: "explorer",
      task: "Find the parser.",
      context,
      files: ["a.ts", "b.ts"],
      mode: "ask",
      cwd: "/work",
    });
    expect(JSON.parse(JSON.stringify(job))).toEqual(job);
    expect(() => Object.assign(job, { task: "other" })).toThrow(TypeError);
    expect(() => Object.assign(job.context, { role_instructions: "other" })).toThrow(TypeError);
    expect(() => (job.files as string[]).push("c")).toThrow(TypeError);
  });

  const edges = ROLES.list().flatMap((from) => ROLES.list().map((to) => [from.name, to.name] as const));
  const allowed = new Set([
    "direct worker",
    "direct explorer",
    "orchestrator worker",
    "orchestrator explorer",
    "worker explorer",
  ]);
  const reach: Readonly<Record<string, string>> = {
    direct: "worker, explorer",
    orchestrator: "worker, explorer",
    worker: "explorer",
    explorer: "nobody",
  };
  test.each(edges)("D2 D7 fault 193 an edge from %s to %s", (role, target_role) => {
    const made = refusal(() => createJob({ ...task, target_role }, { ...parent, role }).target_role);
    if (allowed.has(`${role} ${target_role}`)) expect(made.message).toBe(JSON.stringify(target_role));
    else
      expect(made).toEqual({
        kind: "policy",
        code: "dispatch_denied",
        message: `${role} may not dispatch to "${target_role}". It may dispatch to: ${reach[role]}.`,
      });
  });

  test.each(["Explorer ", "Explorer", "explorer\n", "", "toString", "__proto__", "sub-agent"])(
    "D2 fault 194 a role called %j is none, and the refusal names those there are",
    (target_role) => {
      expect(refusal(() => createJob({ ...task, target_role }, parent))).toEqual({
        kind: "policy",
        code: "dispatch_denied",
        message: `direct may not dispatch to ${JSON.stringify(target_role)}. It may dispatch to: worker, explorer.`,
      });
    },
  );

  test("D2 a parent whose role nobody knows may hand out nothing", () => {
    const { kind, message } = refusal(() => createJob(task, { ...parent, role: "constructor" }));
    expect([kind, message]).toEqual([
      "policy",
      'constructor may not dispatch to "explorer". It may dispatch to: nobody.',
    ]);
  });

  test.each(["transcript", "messages"])("D3 a raw %s in the context is refused unless the API allows it", (key) => {
    const context = { user_request_summary: "s", [key]: [{ role: "user", content: "hi" }] };
    expect(refusal(() => createJob({ ...task, context }, parent))).toEqual({
      kind: "policy",
      code: "bad_job",
      message: `context.${key}: a raw transcript is not handed to a child. Summarise in user_request_summary.`,
    });
    const { context: kept } = createJob({ ...task, context }, parent, true);
    expect(kept).toEqual({ user_request_summary: "s", role_instructions: null });
  });

  test("D1 an unknown key in the context and an empty task are refused by name", () => {
    const stranger = refusal(() => createJob({ ...task, context: { history: "x" } }, parent));
    const empty = refusal(() => createJob({ ...task, task: " \n" }, parent));
    expect([stranger, empty]).toEqual([
      {
        kind: "schema",
        code: "bad_job",
        message: "context.history is unknown. It takes user_request_summary and role_instructions.",
      },
      { kind: "schema", code: "bad_job", message: "task is empty. Say what the child shall find out or change." },
    ]);
  });

  test("D4 its id is twelve characters of base 62 of the call's place: the same place the same id, another another", () => {
    const place = fc.record({ conversation_id: fc.string(), turn_id: fc.string(), call_id: fc.string() });
    const ids = new Map<string, string>();
    fc.assert(
      fc.property(place, (call) => {
        const id = jobId(call);
        expect(id).toMatch(/^[0-9A-Za-z]{12}$/);
        expect(jobId({ ...call })).toBe(id);
        const key = JSON.stringify([call.conversation_id, call.turn_id, call.call_id]);
        expect(ids.get(id) ?? key).toBe(key);
        ids.set(id, key);
      }),
      { numRuns: 1000 },
    );
    expect(jobId({ conversation_id: "c", turn_id: "t1", call_id: "2" })).not.toBe(
      jobId({ conversation_id: "c", turn_id: "t", call_id: "12" }),
    );
  });

  test("D5 what the child is told is the task, then the context, then the files, and only what there is of them", () => {
    const context = { user_request_summary: "make it parse", role_instructions: "read only" };
    const whole = jobMessage(createJob({ ...task, context, files: ["b.ts", "a.ts"] }, parent));
    expect(whole.split("\n")).toEqual([
      "Find the parser.",
      "",
      "Context:",
      "User request: make it parse",
      "Instructions: read only",
      "",
      "Files:",
      "- a.ts",
      "- b.ts",
    ]);
    expect(jobMessage(createJob(task, parent))).toBe("Find the parser.");
    expect(jobMessage(createJob({ ...task, context: { role_instructions: " " } }, parent))).toBe("Find the parser.");
  });
});
