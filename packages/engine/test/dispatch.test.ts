import type { ChildOutcome, ChildRunner, DispatchResult, Job, Report } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import type { ToolContext } from "@smith/contract/tool";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDispatchResult, createDispatchTool, createJob, jobId, jobMessage, listRoles } from "../src/index.ts";
import { call, play, told, tool } from "./scene.ts";

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

  const edges = listRoles().flatMap((from) => listRoles().map((to) => [from.name, to.name] as const));
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
  test.each(edges)("D2 D7 an edge from %s to %s", (role, target_role) => {
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
    "D2 a role called %j is none, and the refusal names those there are",
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

const job = createJob(task, parent);
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

describe("the dispatch tool", () => {
  interface Told {
    readonly events: EventBody[];
    readonly kept: [string, string][];
    readonly jobs: Job[];
  }
  const dispatchTool = (run: ChildRunner["run"], more: { keep?: () => Promise<void> } = {}) => {
    const seen: Told = { events: [], kept: [], jobs: [] };
    const made = createDispatchTool({
      runner: {
        run: (job, options) => {
          seen.jobs.push(job);
          return run(job, options);
        },
      },
      timeoutS: () => 900,
      emit: (_parent, body) => void seen.events.push(body),
      keep: more.keep ?? (async (_parent, key, text) => void seen.kept.push([key, text])),
      slot: (_parent, work) => work(),
    });
    return { made, seen };
  };
  const hand = (id: string, args: object = {}) => call(id, "dispatch", { ...task, ...args });
  const results = (added: readonly { role: string; content: unknown }[]) =>
    added.filter(({ role }) => role === "tool").map(({ content }) => JSON.parse(String(content)) as DispatchResult);

  test("D4 D16 D17 TL47 its content is the result as JSON, kept word for word under the key it carries", async () => {
    const { made, seen } = dispatchTool(async () => ({ ...bare, last_text: "It is in a.ts." }));
    const { added, end } = await play({ answers: [[hand("a")], "ok"], tools: [made] });
    const message = added.find(({ role }) => role === "tool");
    const key = `dispatch/${seen.jobs[0]?.job_id}`;
    expect(message).toEqual({
      ...{
        role: "tool",
        tool_call_id: "a",
        name: "dispatch",
        ok: true,
        recall_key: key,
        turn_id: "t1",
        round: 1,
        ts: 0,
      },
      content: seen.kept[0]?.[1],
    });
    const [result] = results(added);
    expect([seen.kept.map(([each]) => each), result?.recall_key, result?.job_id]).toEqual([
      [key],
      key,
      seen.jobs[0]?.job_id,
    ]);
    expect([end.stop_reason, end.rounds]).toEqual(["completed", 2]); // it does not end the parent's turn
  });

  test("D16 D17 a result that can't be kept is the parent's all the same, without a key", async () => {
    const { made } = dispatchTool(async () => bare, { keep: () => Promise.reject(new Error("disk full")) });
    const { added } = await play({ answers: [[hand("a")], "ok"], tools: [made] });
    const message = added.find(({ role }) => role === "tool");
    expect([message?.role === "tool" && message.ok, "recall_key" in (message ?? {})]).toEqual([true, false]);
    expect(results(added).map(({ recall_key }) => recall_key)).toEqual([null]);
  });

  test("D21 several of one message run side by side and answer in call order", async () => {
    const release: (() => void)[] = [];
    const { made, seen } = dispatchTool(
      ({ task }) =>
        new Promise((resolve) => {
          release.push(() => resolve({ ...bare, last_text: task }));
          if (release.length === 3) setImmediate(() => release.toReversed().map((each) => each()));
        }),
    );
    const { added } = await play({
      answers: [["one", "two", "three"].map((each) => hand(each, { task: each })), "ok"],
      tools: [made],
    });
    expect(results(added).map(({ summary }) => summary)).toEqual(["one", "two", "three"]);
    const kinds = seen.events.map((event) => ("task" in event ? `${event.type} ${event.task}` : event.type));
    expect(kinds).toEqual([
      ...["dispatch_started one", "dispatch_started two", "dispatch_started three"],
      ...["dispatch_finished three", "dispatch_finished two", "dispatch_finished one"],
    ]);
  });

  test("D2 D3 TL47 a job that is none is refused with the reason, and no child runs", async () => {
    const { made, seen } = dispatchTool(async () => bare);
    const { added } = await play({
      answers: [
        [
          hand("a", { target_role: "direct" }),
          hand("b", { context: { messages: [] } }),
          hand("c", { task: "" }),
          hand("d", { files: "a.ts" }),
          hand("e", { timeout: 5 }),
        ],
        "ok",
      ],
      tools: [made],
    });
    expect(told(added)).toEqual([
      'a: direct may not dispatch to "direct". It may dispatch to: worker, explorer.',
      "b: context.messages: a raw transcript is not handed to a child. Summarise in user_request_summary.",
      "c: task is empty. Say what the child shall find out or change.",
      "d: The arguments of dispatch don't fit: ✖ Invalid input: expected array, received string   → at files",
      'e: The arguments of dispatch don\'t fit: ✖ Unrecognized key: "timeout"',
    ]);
    expect(seen).toEqual({ events: [], kept: [], jobs: [] });
  });

  test("D8 B48 a cancel is told once for each running child, and each still answers with its result", async () => {
    const { made, seen } = dispatchTool(
      (_job, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve({ ...bare, cancelled: true, stop_reason: "cancelled" }));
        }),
    );
    const started = tool("started", {
      run: async () => ({ ok: true, content: "both run" }),
    });
    const { added, end } = await play({
      answers: [[hand("a"), hand("b"), call("c", "started")], "never asked"],
      tools: [made, started],
      onEvent: (event, cancel) =>
        void (event.type === "tool_execution_finished" && event.tool === "started" && cancel("ctrl-c")),
    });
    expect(end.stop_reason).toBe("cancelled");
    expect(results(added.slice(0, 3)).map(({ status, cancelled }) => [status, cancelled])).toEqual([
      ["blocked", true],
      ["blocked", true],
    ]);
    expect(seen.events.map(({ type }) => type).sort()).toEqual([
      ...["dispatch_cancel_requested", "dispatch_cancel_requested"],
      ...["dispatch_finished", "dispatch_finished", "dispatch_started", "dispatch_started"],
    ]);
  });

  test("D21 a job limit of years is no limit of a moment", async () => {
    const { made } = dispatchTool(async () => bare);
    expect(made.deadlineS?.({})).toBe(900 + 30 + 3600);
    const long = createDispatchTool({
      ...{ runner: { run: async () => bare }, emit: () => {}, keep: async () => {}, slot: (_parent, work) => work() },
      timeoutS: () => 1e12,
    });
    expect((long.deadlineS?.({}) ?? 0) * 1000).toBeLessThan(2 ** 31);
  });
});
