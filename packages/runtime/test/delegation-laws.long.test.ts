import { randomBytes } from "node:crypto";
import type { AgentEvent } from "@smith/contract/event";
import type { TurnResult } from "@smith/contract/turn";
import type { ScriptedCall, Step } from "@smith/testkit";
import { fc } from "@smith/testkit/suites";
import { expect, test } from "vitest";
import {
  bash,
  call,
  dispatch,
  given,
  leftBehind,
  MARK,
  openScene,
  RESULT,
  report,
  type Scene,
} from "./delegation-scene.ts";

/** Calls that a child may make, well or badly. `report` ends it when it fits. */
const anyCall = fc.oneof(
  fc.constantFrom<(id: string) => ScriptedCall>(
    (id) => bash(id, "echo hi"),
    (id) => call(id, "read", { path: "none.txt" }),
    (id) => call(id, "no_such_tool"),
    (id) => call(id, "edit", { path: "x" }),
    (id) => dispatch(id, "worker"),
    (id) => report(id),
    (id) => report(id, { status: "partial", findings: "one", evidence: "src/a.ts:1" }),
    (id) => report(id, { findings: ["no evidence"] }),
    (id) => call(id, "report", { nonsense: true }),
    (id) => call(id, "report", {}),
  ),
);

/** One answer of a child's model. */
const anyAnswer: fc.Arbitrary<(n: number) => Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(anyCall, { minLength: 1, maxLength: 3 })
      .map((makes) => (n: number) => ({ call: makes.map((make, at) => make(`c${n}_${at}`)) })),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom<Step>(
        { say: "It is in a.ts." },
        { say: "  " },
        { empty: true },
        { status: 401 },
        { status: 400 },
        { status: 500, body: "<html>" },
        { cut: "close", say: "It is" },
        { cut: "mid_event", call: [bash("cut", "echo never")] },
        { cut: "reset", say: "It" },
        { say: "It is long.", finish: "length" },
        { call: [bash("long", "echo never")], finish: "length" },
        { raw: "no event stream at all" },
        { say: "cut", done: false, finish: null },
      )
      .map((step) => () => step),
  },
);

const anyChild = fc.record({
  role: fc.constantFrom("worker" as const, "explorer" as const),
  answers: fc.array(anyAnswer, { maxLength: 6 }),
  dispatch: fc.record(
    { max_rounds: fc.integer({ min: 1, max: 4 }), tool_step_budget: fc.integer({ min: 1, max: 3 }) },
    { requiredKeys: [] },
  ),
});

/** A step left over or one too few is the chance's doing; anything else is ours. */
const broken = ({ llm }: Scene): readonly string[] =>
  llm.violations.filter((each) => !each.includes("script exhausted"));

test("D6 D9 TL47 whatever a child does, its parent gets exactly one valid result and goes on", async () => {
  const seen = new Set<string>();
  const play = async ({
    role,
    answers,
    dispatch: limits,
  }: typeof anyChild extends fc.Arbitrary<infer T> ? T : never) => {
    const script = {
      direct: [{ call: [dispatch("d", role)] }, { say: "Done." }],
      [role]: answers.map((make, n) => make(n)),
    };
    await using scene = await openScene(script, { dispatch: { timeout_s: 20, ...limits }, exact: false });
    const result = await scene.runtime.run("go");
    expect([result.stop_reason, result.text, broken(scene)]).toEqual(["completed", "Done.", []]);
    const [one, ...more] = given(result);
    expect([RESULT.safeParse(one).error, more]).toEqual([undefined, []]);
    expect(result.dispatches).toEqual([one]);
    expect(pairs(scene.events)).toEqual([`${one?.job_id} started 1 finished 1`]);
    seen.add(`${one?.status} ${one?.synthetic} ${one?.error?.code}`);
  };
  await fc.assert(fc.asyncProperty(anyChild, play), { numRuns: 100 });
  expect(seen.size).toBeGreaterThan(5); // the chance met more than a handful of ends
});

/** How often each job is said to start and to finish. */
function pairs(events: readonly AgentEvent[]): readonly string[] {
  const counts = new Map<string, { started: number; finished: number }>();
  for (const event of events) {
    if (event.type !== "dispatch_started" && event.type !== "dispatch_finished") continue;
    const count = counts.get(event.job_id) ?? { started: 0, finished: 0 };
    counts.set(event.job_id, count);
    if (event.type === "dispatch_started") count.started++;
    else count.finished++;
  }
  return [...counts].map(([id, { started, finished }]) => `${id} started ${started} finished ${finished}`);
}

/** A child's first answer in a tree that will be cancelled; what comes after it ends the child. */
const anyTwig: fc.Arbitrary<(id: string) => Step> = fc.constantFrom<(id: string) => Step>(
  (id) => ({ call: [bash(id, "sleep 30")] }),
  (id) => ({ call: [bash(id, "echo hi")] }),
  (id) => ({ call: [bash(id, "echo hi"), bash(`${id}b`, "sleep 30")] }),
  (id) => ({ call: [call(id, "write", { path: `${id}.txt`, content: id }), bash(`${id}b`, "sleep 30")] }),
  (id) => ({ call: [report(id)] }),
  () => ({ say: "I only talk." }),
  () => ({ stall: true, say: "I am" }),
  () => ({ stall: true, headers: false }),
  () => ({ status: 500 }),
);
const anyBranch: fc.Arbitrary<(id: string) => Step> = fc.oneof(
  anyTwig,
  fc.integer({ min: 1, max: 2 }).map((n) => (id: string) => ({
    call: Array.from({ length: n }, (_, at) => dispatch(`${id}_${at}`, "explorer")),
  })),
);
const anyTree = fc.record({
  roles: fc.array(fc.constantFrom("worker" as const, "explorer" as const), { minLength: 1, maxLength: 4 }),
  workers: fc.array(anyBranch, { minLength: 4, maxLength: 4 }),
  explorers: fc.array(anyTwig, { minLength: 8, maxLength: 8 }),
  max_parallel: fc.integer({ min: 1, max: 4 }),
  max_processes: fc.integer({ min: 1, max: 4 }),
  /** The cancel comes with this event of the turn. */
  at: fc.integer({ min: 1, max: 40 }),
});
type Tree = typeof anyTree extends fc.Arbitrary<infer T> ? T : never;

/** Everything that begins after the root was asked to stop. */
function begunAfterCancel(events: readonly AgentEvent[]): readonly string[] {
  const starts: readonly string[] = [
    "llm_request_started",
    "tool_execution_started",
    "dispatch_started",
  ] satisfies AgentEvent["type"][];
  return events.slice(cancelAt(events)).flatMap(({ type }) => (starts.includes(type) ? [type] : []));
}

/** Where in the events the root was asked to stop; behind them all when it was not. */
function cancelAt(events: readonly AgentEvent[]): number {
  const at = events.findIndex((event) => event.type === "turn_cancel_requested" && event.job_id === undefined);
  return at < 0 ? events.length : at;
}

/** Plays the tree until the event, cancels, and says a second line. */
async function playTree(
  { roles, workers, explorers, at, ...limits }: Tree,
  mark: string,
): Promise<Scene & { result: TurnResult }> {
  const ending = Array.from({ length: 16 }, (_, n) => ({ call: [report(`end${n}`)] }));
  const script = {
    direct: [{ call: roles.map((role, n) => dispatch(`d${n}`, role)) }, { say: "Done." }, { say: "Still here." }],
    worker: [...workers.map((make, n) => make(`w${n}`)), ...ending],
    explorer: [...explorers.map((make, n) => make(`e${n}`)), ...ending],
  };
  const scene = await openScene(script, {
    dispatch: { timeout_s: 0.15, ...limits },
    env: { [MARK]: mark },
    exact: false,
  });
  const { runtime } = scene;
  let seen = 0;
  const unsubscribe = runtime.subscribe(() => {
    if (++seen === at) void runtime.cancel("enough");
  });
  const result = await runtime.run("go");
  unsubscribe();
  return { ...scene, result };
}

test("D8 E2 E4 B48 faults 190 191 a cancel at any instant of any tree: nothing begins after it, each node ends once, the runtime lives on", async () => {
  const mark = randomBytes(8).toString("hex");
  let cancelled = 0;
  await fc.assert(
    fc.asyncProperty(anyTree, async (tree) => {
      await using scene = await playTree(tree, mark);
      const { result, events, runtime, llm } = scene;
      expect(begunAfterCancel(events)).toEqual([]);
      const askedBefore = events.slice(0, cancelAt(events)).filter(({ type }) => type === "llm_request_started").length;
      expect(llm.requests.length).toBeLessThanOrEqual(askedBefore);
      const jobs = events.flatMap((event) => (event.type === "dispatch_started" ? [event.job_id] : []));
      expect(pairs(events)).toEqual(jobs.map((id) => `${id} started 1 finished 1`));
      const ids = result.dispatches.map((each) => each.job_id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(jobs.filter((id) => !ids.includes(id))).toEqual([]);
      // A job that still waited for its place has its result too, though it never began.
      const neverBegan = result.dispatches.filter((each) => !jobs.includes(each.job_id));
      expect(neverBegan.map(({ cancelled, rounds }) => [cancelled, rounds])).toEqual(neverBegan.map(() => [true, 0]));
      for (const each of result.dispatches) expect(RESULT.safeParse(each).error).toBe(undefined);
      const begun = events.filter(({ type }) => type === "turn_started").length;
      const ended = events.filter(({ type }) => type === "turn_completed" || type === "turn_failed").length;
      expect([begun, begun <= jobs.length + 1]).toEqual([ended, true]);
      if (result.stop_reason === "cancelled") {
        cancelled++;
        expect(result.cancel?.nodes.map((node) => node.job_id ?? "root").sort()).toEqual([...ids, "root"].sort());
      }
      const again = await runtime.run("and now?");
      expect([again.stop_reason, broken(scene)]).toEqual(["completed", []]);
    }),
    { numRuns: 50 },
  );
  expect(cancelled).toBeGreaterThan(20);
  expect(await leftBehind(mark)).toEqual([]);
});
