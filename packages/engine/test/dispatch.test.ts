import { cancelReason } from "@smith/contract/cancel";
import type { ChildOutcome, ChildRunner, DispatchResult, Job } from "@smith/contract/dispatch";
import type { EventBody } from "@smith/contract/event";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createDispatchTool, createRoles, type DispatchPorts } from "../src/index.ts";
import { call, play, told, tool } from "./scene.ts";

const task = { target_role: "explorer", task: "Find the parser." };
const bare: ChildOutcome = {
  ...{ report: null, invalid_reports: 0, stop_reason: "completed", cancelled: false, error: null, last_text: "" },
  ...{ rounds: 2, tool_calls: 0, files_changed: [], usage: UNKNOWN_USAGE, duration_ms: 5, dispatches: [], account: [] },
};
const ground = async () => ({
  ...{ shown: [], receipts: [], cwd: "/work", project_root: null },
  ...{ readFile: async () => null, changedAt: async () => null },
});

describe("the dispatch tool", () => {
  interface Told {
    readonly events: EventBody[];
    readonly kept: [string, string][];
    readonly jobs: Job[];
  }
  const dispatchTool = (run: ChildRunner["run"], more: Partial<DispatchPorts> = {}) => {
    const seen: Told = { events: [], kept: [], jobs: [] };
    const made = createDispatchTool({
      roles: createRoles(),
      runner: {
        run: (job, options) => {
          seen.jobs.push(job);
          return run(job, options);
        },
      },
      timeoutS: () => 900,
      askedMs: () => 0,
      tell: async (_parent, body) => void seen.events.push(body),
      keep: async (_parent, key, text) => void seen.kept.push([key, text]),
      slot: (_parent, work) => work(),
      ground,
      ...more,
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

  const HOUR_MS = 3_600_000;

  test("D21 a job limit of years is no limit of a moment, and the call itself has none", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const slow = () => new Promise<ChildOutcome>((resolve) => setTimeout(() => resolve(bare), 24 * HOUR_MS));
    const { made } = dispatchTool(slow, { timeoutS: () => 1e12 });
    expect((made.deadlineS?.({}) ?? 0) * 1000).toBeLessThan(2 ** 31);
    const playing = play({ answers: [[hand("a")], "ok"], tools: [made] });
    await vi.advanceTimersByTimeAsync(24 * HOUR_MS);
    expect(results((await playing).added)[0]).toMatchObject({ error: { code: "no_report" } });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("promise P5 a runner that does not keep the job's time is given up on, but not while the user is being asked", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const begun = Date.now();
    const aborted: string[] = [];
    const deaf: ChildRunner["run"] = (_job, { signal }) =>
      new Promise(() => signal.addEventListener("abort", () => aborted.push(cancelReason(signal))));
    const asked = () => Math.min(Date.now() - begun, 3 * HOUR_MS); // a question that stands for three hours
    const { made, seen } = dispatchTool(deaf, { askedMs: asked });
    const playing = play({ answers: [[hand("a")], "ok"], tools: [made] });
    await vi.advanceTimersByTimeAsync(3 * HOUR_MS + 900_000);
    expect([aborted, seen.events.map(({ type }) => type)]).toEqual([[], ["dispatch_started"]]);
    await vi.advanceTimersByTimeAsync(30_100);
    const { added, end } = await playing;
    expect(end.stop_reason).toBe("completed");
    expect(results(added)[0]).toMatchObject({ status: "blocked", synthetic: true, error: { code: "timeout" } });
    expect([aborted, vi.getTimerCount()]).toEqual([["the job's time is up (900 s)"], 0]);
  });
});
