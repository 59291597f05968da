import fc from "fast-check";
import { expect, test } from "vitest";
import { call, play, told, tool } from "./scene.ts";

/** A tool that says when it began and ended, and takes as long as its `ms`. */
const traced = (log: string[], name: string, side_effects: "none" | "some") =>
  tool(name, {
    side_effects,
    run: async ({ id, ms }) => {
      log.push(`${id}+`);
      await new Promise((resolve) => setTimeout(resolve, Number(ms)));
      log.push(`${id}-`);
      return { ok: true, content: `${id} done` };
    },
  });

test("T1 neighbouring calls without side effects run side by side, any other call is a barrier", async () => {
  const log: string[] = [];
  const { added } = await play({
    answers: [
      [
        call("a", "read", { id: "a", ms: 30 }),
        call("b", "read", { id: "b", ms: 1 }),
        call("c", "bash", { id: "c", ms: 5 }),
        call("d", "bash", { id: "d", ms: 1 }),
        call("e", "read", { id: "e", ms: 1 }),
      ],
      "ok",
    ],
    tools: [traced(log, "read", "none"), traced(log, "bash", "some")],
  });
  expect(log).toEqual(["a+", "b+", "b-", "a-", "c+", "c-", "d+", "d-", "e+", "e-"]);
  expect(told(added)).toEqual(["a: a done", "b: b done", "c: c done", "d: d done", "e: e done"]);
});

test("T1 at most eight calls of a group run at the same time; an explorer's bash counts as free", async () => {
  let running = 0;
  let most = 0;
  const bash = tool("bash", {
    side_effects: "some",
    run: async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return { ok: true, content: "done" };
    },
  });
  const calls = Array.from({ length: 20 }, (_, index) => call(`k${index}`, "bash"));
  await play({ answers: [calls, "ok"], tools: [bash], role: "explorer" });
  expect(most).toBe(8);
  most = 0;
  await play({ answers: [calls, "ok"], tools: [bash], role: "direct" });
  expect(most).toBe(1);
});

test("T1 T6 whatever the calls and their times, each has exactly one result, in call order", async () => {
  const one = fc.record({ name: fc.constantFrom("read", "bash", "nope"), ms: fc.nat(4) });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 20 }), fc.option(fc.nat(20)), async (plan, budget) => {
      const calls = plan.map(({ name, ms }, index) => call(`k${index}`, name, { id: `k${index}`, ms }));
      const { added } = await play({
        answers: [calls, "ok"],
        tools: [traced([], "read", "none"), traced([], "bash", "some")],
        limits: { tool_step_budget: budget },
      });
      const answered = added.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
      expect(answered).toEqual(calls.map((each) => each.id));
    }),
    { numRuns: 60 },
  );
});

test("fault 136 two hundred calls of one message have as many results, in call order", async () => {
  const calls = Array.from({ length: 200 }, (_, index) => call(`k${index}`, "read"));
  const { added } = await play({ answers: [calls, "ok"], tools: [tool("read")] });
  expect(told(added)).toEqual(calls.map(({ id }) => `${id}: read done`));
});
