import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "@smith/contract/event";
import { expect, test } from "vitest";
import { asked, bash, bodyOf, dispatch, gist, given, report, scene, untagged } from "./delegation-scene.ts";

const ids = ["a", "b", "c", "d"];
const four = ids.map((id) => dispatch(id, "explorer"));

/** The most that were open at once, by events that open and close. */
function mostAtOnce(events: readonly AgentEvent[], opens: AgentEvent["type"], closes: AgentEvent["type"]): number {
  let [now, most] = [0, 0];
  for (const { type } of events) {
    if (type === opens) now++;
    if (type === closes) now--;
    most = Math.max(most, now);
  }
  return most;
}

/** Ends when four of them run at once. */
const RENDEZVOUS = "echo here >> here; while [ $(wc -l < here) -lt 4 ]; do sleep 0.1; done";

test("D21 B50 four explorers whose commands wait for one another work side by side, answered in call order", async ({
  annotate,
}) => {
  const { runtime, llm } = await scene({
    direct: [{ call: four }, { say: "Done." }],
    explorer: [...ids.map((id) => ({ call: [bash(id, RENDEZVOUS)] })), ...ids.map((id) => ({ call: [report(id)] }))],
  });
  await runtime.start();
  const result = await runtime.run("go");
  expect([result.text, result.rounds, result.tool_calls]).toEqual(["Done.", 2, 4]);
  expect(llm.requests.map(({ role }) => role)).toEqual(["direct", ...Array(8).fill("explorer"), "direct"]);
  const calls = result.messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
  expect(calls).toEqual(ids);
  expect(result.dispatches).toEqual(given(result));
  const [first, second] = asked(llm, "direct");
  const ms = Math.round((second?.at ?? 0) - (first?.at ?? 0));
  await annotate(`dispatch to results: ${ms} ms`);
});

test("D21 with max_parallel 2 never more than two jobs of a message run, and all of them do", async () => {
  const { runtime, events } = await scene(
    {
      direct: [{ call: four }, { say: "Done." }],
      explorer: ids.flatMap((id) => [
        { call: [bash(id, "sleep 0.05")] },
        { call: [bash(`${id}2`, "true"), report(id)] },
      ]),
    },
    { dispatch: { max_parallel: 2 } },
  );
  const result = await runtime.run("go");
  expect(result.dispatches.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok"]);
  expect(mostAtOnce(events, "dispatch_started", "dispatch_finished")).toBe(2);
});

test("D21 with max_processes 2 never more than two commands of the whole tree run", async () => {
  const log = "echo + >> log; sleep 0.1; echo - >> log";
  const { runtime, cwd } = await scene(
    {
      direct: [
        { call: [dispatch("w1", "worker"), dispatch("w2", "worker"), dispatch("e", "explorer")] },
        { say: "Done." },
      ],
      worker: [
        { call: [dispatch("x", "explorer")] },
        { call: [dispatch("y", "explorer")] },
        ...["1", "2"].map((id) => ({ call: [bash(id, log), report(id)] })),
      ],
      explorer: ["1", "2", "3"].map((id) => ({ call: [bash(id, log), bash(`${id}b`, log), report(id)] })),
    },
    { dispatch: { max_processes: 2 } },
  );
  const result = await runtime.run("go");
  expect(result.dispatches.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  const marks = readFileSync(join(cwd, "log"), "utf8").trim().split("\n");
  let [now, most] = [0, 0];
  for (const mark of marks) {
    now += mark === "+" ? 1 : -1;
    most = Math.max(most, now);
  }
  expect([marks.length, most, now]).toEqual([16, 2, 0]);
});

test("D21 B50 a child that dies does not hold the other: both results come, in call order, and the parent goes on", async () => {
  const { runtime } = await scene({
    direct: [
      { call: [dispatch("a", "worker"), dispatch("b", "explorer")] },
      { say: "One of two." },
      { say: "Still here." },
    ],
    worker: [{ status: 500 }],
    explorer: [{ call: [report()] }],
  });
  const result = await runtime.run("go");
  expect(given(result).map((each) => [each.target_role, each.status, each.synthetic])).toEqual([
    ["worker", "blocked", true],
    ["explorer", "ok", false],
  ]);
  expect(given(result)[0]?.error?.message).toContain("500");
  expect(result.text).toBe("One of two.");
  expect((await runtime.run("and?")).text).toBe("Still here.");
  expect(await runtime.cancel("late")).toBe(null);
});

test("D7 D8 D20 faults 194 201 a worker may ask an explorer: results flat with the job above, events each with their source", async () => {
  const { runtime, events, llm } = await scene({
    direct: [{ call: [dispatch("a", "worker")] }, { say: "Done." }],
    worker: [
      { call: [dispatch("x", "explorer"), dispatch("y", "worker")] },
      { call: [report("r", { summary: "Changed it." })] },
    ],
    explorer: [{ call: [report()] }],
  });
  const result = await runtime.run("go");
  const [worker, explorer, ...more] = result.dispatches;
  expect([gist(worker ?? expect.fail()), gist(explorer ?? expect.fail()), more]).toEqual([
    { target_role: "worker", status: "ok", summary: "Changed it.", synthetic: false, cancelled: false, code: null },
    { target_role: "explorer", status: "ok", summary: "Found it.", synthetic: false, cancelled: false, code: null },
    [],
  ]);
  expect([worker?.parent_job_id, explorer?.parent_job_id]).toEqual([null, worker?.job_id]);
  const refused = bodyOf(asked(llm, "worker")[1]).messages.at(-1)?.content;
  expect(JSON.parse(untagged(refused))).toEqual({
    ok: false,
    output: "",
    error: {
      ...{ kind: "policy", code: "dispatch_denied" },
      message: 'worker may not dispatch to "worker". It may dispatch to: explorer.',
    },
  });
  const sources = new Set(events.map((event) => `${event.source_role ?? "root"} ${event.job_id ?? ""}`.trim()));
  expect([...sources]).toEqual([
    "root",
    `root ${worker?.job_id}`, // dispatch_started: told by the root, about the job
    `worker ${worker?.job_id}`,
    `worker ${explorer?.job_id}`,
    `explorer ${explorer?.job_id}`,
  ]);
  const starts = events.filter(({ type }) => type === "llm_request_started");
  expect(starts.map(({ source_role }) => source_role ?? "root")).toEqual([
    "root",
    "worker",
    "explorer",
    "worker",
    "root",
  ]);
  const told = events.flatMap((event) =>
    event.type === "dispatch_started" || event.type === "dispatch_finished"
      ? [`${event.type} ${event.target_role}`]
      : [],
  );
  expect(told).toEqual([
    ...[
      "dispatch_started worker",
      "dispatch_started explorer",
      "dispatch_finished explorer",
      "dispatch_finished worker",
    ],
  ]);
});

test("D7 fault 193 an explorer is not even offered dispatch, and a call of it is refused", async () => {
  const { runtime, llm } = await scene({
    direct: [{ call: [dispatch("a", "explorer")] }, { say: "Done." }],
    explorer: [{ call: [dispatch("x", "explorer")] }, { call: [report()] }],
  });
  expect((await runtime.run("go")).dispatches.length).toBe(1);
  const [first, second] = asked(llm, "explorer").map(bodyOf);
  expect(first?.tools?.map((tool) => tool.function.name)).not.toContain("dispatch");
  const { error } = JSON.parse(second?.messages.at(-1)?.content ?? "") as { error: { kind: string; code: string } };
  expect([error.kind, error.code]).toEqual(["policy", "tool_denied"]);
});

test("D15 usage is told per role and per job: in the result, in the events, in the session", async () => {
  const usage = (prompt_tokens: number) => ({
    usage: { prompt_tokens, completion_tokens: 1, total_tokens: prompt_tokens + 1 },
  });
  const { runtime, events } = await scene({
    direct: [
      { call: [dispatch("a", "worker"), dispatch("b", "explorer")], ...usage(1) },
      { say: "Done.", ...usage(2) },
    ],
    worker: [
      { call: [dispatch("x", "explorer")], ...usage(10) },
      { call: [report()], ...usage(20) },
    ],
    explorer: [
      { call: [report()], ...usage(100) },
      { call: [report()], ...usage(100) },
    ],
  });
  const result = await runtime.run("go");
  const known = (used: { input_tokens: number | null; output_tokens: number | null }) => [
    used.input_tokens,
    used.output_tokens,
  ];
  expect(known(result.usage)).toEqual([3, 2]);
  const byJob = result.dispatches.map((each) => [each.target_role, ...known(each.usage)]);
  expect(byJob).toEqual([
    ["worker", 30, 2],
    ["explorer", 100, 1],
    ["explorer", 100, 1],
  ]);
  const children = { worker: { jobs: 1, input_tokens: 30 }, explorer: { jobs: 2, input_tokens: 200 } };
  expect([result.usage.children, runtime.usage().children()]).toMatchObject([children, children]);
  expect(known(runtime.usage().total())).toEqual([3, 2]);
  for (const { job_id, usage: spent } of result.dispatches) {
    const told = events.flatMap((event) =>
      event.type === "llm_request_completed" && event.job_id === job_id ? [event.usage.input_tokens ?? 0] : [],
    );
    expect(told.reduce((sum, each) => sum + each, 0)).toBe(spent.input_tokens);
  }
});

test("D19 children work through the handles that were handed in", async () => {
  const { runtime, llm } = await scene({
    direct: [{ call: [dispatch("a", "explorer")] }, { say: "Done." }],
    explorer: [{ call: [report()] }],
  });
  const { model } = (await runtime.start()).services;
  const chosen: string[] = [];
  const own = {
    ...model,
    select: (role: Parameters<typeof model.select>[0], override: string | null) => {
      chosen.push(role.name);
      return model.select(role, override);
    },
  };
  const { runtime: other } = await scene({}, { service_handles: { model: own } });
  expect([(await other.run("go")).text, chosen, llm.requests.length]).toEqual(["Done.", ["direct", "explorer"], 3]);
});
