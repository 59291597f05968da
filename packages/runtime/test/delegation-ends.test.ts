import type { Step } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import {
  asked,
  bash,
  bodyOf,
  call,
  dispatch,
  gist,
  given,
  RESULT,
  report,
  type SceneOptions,
  scene,
  untagged,
} from "./delegation-scene.ts";

/** What the embedding program fetches pages with, in the place of the network. */
const fetching = (fetch: () => Promise<unknown>): SceneOptions => ({ services: { tool: { fetch } } });
const FETCH = call("x", "web_fetch", { url: "https://page.test/" });

const PARENT = [{ call: [dispatch("d", "explorer")] }, { say: "Done." }];

/** Plays a parent whose one explorer answers like that; the parent always gets one valid result and goes on. */
async function childThat(steps: readonly Step[], options?: SceneOptions) {
  const { runtime, llm, events } = await scene({ direct: PARENT, explorer: steps }, options);
  const result = await runtime.run("go");
  const [one, ...more] = given(result);
  expect([result.stop_reason, result.text, more.length, asked(llm, "direct").length]).toEqual([
    "completed",
    "Done.",
    0,
    2,
  ]);
  expect(result.dispatches).toEqual([one]);
  const dispatched = RESULT.parse(one);
  const finished = events.filter(({ type }) => type === "dispatch_finished");
  const { job_id, status, cancelled, summary, evidence_counts } = dispatched;
  expect(finished).toMatchObject([{ job_id, status, cancelled, summary, evidence_counts }]);
  return { dispatched: gist(result.dispatches[0] ?? expect.fail()), result: dispatched, llm };
}

const ROLE = { target_role: "explorer" } as const;
const REPORTED = { ...ROLE, status: "ok", summary: "Found it.", synthetic: false, cancelled: false, code: null };
const made = (status: string, summary: string, code: string | null) => ({
  ...{ ...ROLE, status, summary, synthetic: true, cancelled: false, code },
});
const SAY = { say: "It is in a.ts." };
const NUDGED = "You have not reported. Call report now,";

describe("a child that does not report by itself", () => {
  test("D6 fault 184 one that only talks is nudged once, with nothing but report on offer, and then reports", async () => {
    const { dispatched, llm, result } = await childThat([SAY, { call: [report()] }]);
    expect([dispatched, result.rounds]).toEqual([REPORTED, 2]);
    const { tools, messages } = bodyOf(asked(llm, "explorer")[1]);
    expect(tools?.map((tool) => tool.function.name)).toEqual(["report"]);
    expect(messages.slice(2).map(({ role, content }) => `${role}: ${content?.slice(0, NUDGED.length)}`)).toEqual([
      "assistant: It is in a.ts.",
      `user: ${NUDGED}`,
    ]);
  });

  test.each<[string, readonly Step[], SceneOptions, object]>([
    ["that talks on when nudged", [SAY, { say: "As I said." }], {}, made("partial", "As I said.", "no_report")],
    [
      "that calls other tools when nudged",
      [SAY, { call: [bash("x", "echo hi")] }],
      {},
      made("partial", "It is in a.ts.", "no_report"),
    ],
    ["whose model fails when nudged", [SAY, { status: 400 }], {}, made("partial", "It is in a.ts.", "bad_request")],
    [
      "that is out of tool calls and reports when nudged",
      [{ call: [bash("x", "echo 1"), bash("y", "echo 2")] }, { call: [report()] }],
      { dispatch: { tool_step_budget: 1 } },
      REPORTED,
    ],
    [
      "that is out of tool calls and does not",
      [{ call: [bash("x", "echo 1"), bash("y", "echo 2")], say: "I look." }, SAY],
      { dispatch: { tool_step_budget: 1 } },
      made("partial", "It is in a.ts.", "no_report"),
    ],
    [
      "that is out of rounds and reports when nudged",
      [{ call: [bash("x", "echo 1")] }, { call: [report()] }],
      { dispatch: { max_rounds: 1 } },
      REPORTED,
    ],
    [
      "that is out of rounds and does not",
      [{ call: [bash("x", "echo 1")] }, { call: [bash("y", "echo 2")] }],
      { dispatch: { max_rounds: 1 } },
      made("partial", "its budget was spent.", "no_report"),
    ],
    [
      "that sends nonsense three times",
      [1, 2, 3].map((n) => ({ call: [call(`r${n}`, "report", { nonsense: n })] })),
      {},
      made("blocked", "it ended without report.", "invalid_report"),
    ],
    [
      "that has findings without evidence, and mends it",
      [
        { call: [bash("b", "true")] },
        { call: [report("r1", { findings: ["x"] })] },
        { call: [report("r2", { findings: ["x"], evidence: "a.ts:1" })] },
      ],
      {},
      REPORTED,
    ],
  ])("D6 D12 D14 faults 184 185 195 one %s", async (_what, steps, options, expected) => {
    expect((await childThat(steps, options)).dispatched).toEqual(expected);
  });
});

describe("a child that fails", () => {
  test.each<[string, readonly Step[], SceneOptions, object]>([
    ["is refused its key", [{ status: 401 }], {}, { status: "blocked", code: "auth" }],
    ["is told to wait", [{ status: 429 }], {}, { status: "blocked", code: "rate_limit" }],
    ["meets a broken server", [{ status: 500 }], {}, { status: "blocked", code: expect.any(String) }],
    ["is cut off in a stream", [{ cut: "close", say: "It is" }], {}, { status: "partial", code: "stream_cut" }],
    [
      "is cut off by a reset",
      [{ cut: "reset", say: "It is" }],
      {},
      { status: "partial", code: expect.stringMatching(/network|stream_cut/) },
    ],
    [
      "hears nothing any more",
      [{ stall: true, say: "It is" }],
      { llm_config: { stream_stall_timeout: 0.2 } },
      { status: "partial", code: "stream_stalled" },
    ],
    ["gets an empty answer", [{ empty: true }], {}, { status: "blocked", code: "empty_response" }],
    ["takes too long", [{ stall: true }], { dispatch: { timeout_s: 0.3 } }, { status: "blocked", code: "timeout" }],
    [
      "takes too long in a tool",
      [{ call: [bash("x", "sleep 30")] }],
      { dispatch: { timeout_s: 0.3 } },
      { status: "partial", code: "timeout" },
    ],
  ])(
    "D6 D9 fault 188 one that %s is not asked again, and its parent is told why",
    async (_what, steps, options, expected) => {
      const { dispatched, llm } = await childThat(steps, options);
      const { status, code, synthetic, cancelled } = dispatched;
      expect({ status, code }).toEqual(expected);
      expect([synthetic, cancelled, asked(llm, "explorer").length]).toEqual([true, false, 1]);
    },
  );

  test("D6 fault 188 one whose model can't be had at all is blocked with the reason, and no request is made for it", async () => {
    const { runtime, llm } = await scene({ direct: PARENT });
    const { model } = (await runtime.start()).services;
    const select: typeof model.select = (role, override) =>
      role.name === "explorer" ? Promise.reject(new Error("no such model")) : model.select(role, override);
    const { runtime: other } = await scene({}, { service_handles: { model: { ...model, select } } });
    const result = await other.run("go");
    expect([result.text, llm.requests.length]).toEqual(["Done.", 2]);
    expect(given(result).map((each) => [RESULT.safeParse(each).success, gist(each)])).toEqual([
      [true, made("blocked", "no such model", "internal")],
    ]);
  });

  test("D6 a tool that throws is a failed call, and the child goes on to report", async () => {
    const { dispatched, llm } = await childThat(
      [{ call: [FETCH] }, { call: [report()] }],
      fetching(() => Promise.reject(new TypeError("x is not a function"))),
    );
    expect(dispatched).toEqual(REPORTED);
    const failed = bodyOf(asked(llm, "explorer")[1]).messages.at(-1);
    expect(JSON.parse(untagged(failed?.content))).toEqual({
      ok: false,
      output: "",
      error: { kind: "tool", code: "internal", message: "x is not a function" },
    });
  });

  test("D6 a tool that never comes back does not hold a job beyond its time", async () => {
    const { dispatched, result } = await childThat([{ call: [FETCH] }], {
      ...fetching(() => new Promise(() => {})),
      dispatch: { timeout_s: 0.2 },
    });
    expect([dispatched.status, dispatched.code]).toEqual(["partial", "timeout"]);
    expect(result.duration_ms).toBeLessThan(2_000);
  });
});

test("T5 fault 195 a job counts as one call of its parent's budget, whatever the child calls", async () => {
  const looks = [1, 2, 3].map((n) => ({ call: [bash(`x${n}`, `echo ${n}`)] }));
  const script = {
    direct: [{ call: [dispatch("d", "explorer")] }, { say: "Done." }],
    explorer: [...looks, { call: [report()] }],
  };
  const { runtime } = await scene(script, { config: { tool_step_budget: 1 } });
  const result = await runtime.run("go");
  expect([result.stop_reason, result.text, result.tool_calls]).toEqual(["completed", "Done.", 1]);
  expect(result.dispatches.map(({ status }) => status)).toEqual(["ok"]);
});
