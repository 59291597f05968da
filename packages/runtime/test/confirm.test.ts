import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Confirm, ConfirmRequest, Verdict } from "@smith/contract/confirm";
import { expect, test } from "vitest";
import { asked, bash, bodyOf, call, dispatch, report, type SceneOptions, scene, untagged } from "./delegation-scene.ts";

const YES: Verdict = { verdict: "yes" };

interface Asker {
  readonly confirm: Confirm;
  readonly requests: readonly ConfirmRequest[];
  /** The most that stood at once. */
  most(): number;
}

/** Answers each question after a moment in which another could come. */
function asker(answer: (request: ConfirmRequest, nth: number) => Verdict): Asker {
  const requests: ConfirmRequest[] = [];
  let [standing, most] = [0, 0];
  return {
    requests,
    most: () => most,
    async confirm(request) {
      most = Math.max(most, ++standing);
      requests.push(request);
      const verdict = answer(request, requests.length);
      await new Promise((resolve) => setImmediate(resolve));
      standing--;
      return verdict;
    },
  };
}

const inAsk = (confirm?: Confirm, more: SceneOptions = {}): SceneOptions => ({
  ...more,
  config: { mode: "ask", ...more.config },
  ...(confirm === undefined ? {} : { confirm }),
});

/** What the last request of a role was answered, call by call. */
const toldTo = (llm: Parameters<typeof asked>[0], role: string): readonly string[] =>
  bodyOf(asked(llm, role).at(-1))
    .messages.filter((message) => message.role === "tool")
    .map(({ content }) => untagged(content))
    .map((text) => (text.startsWith("{") ? (JSON.parse(text) as { error: { code: string } }).error.code : text));

test("U39 yes, no with a message, and always: the public API is asked, and always holds for that tool in the session", async () => {
  const who = asker(({ tool }, nth) => {
    if (tool === "write") return { verdict: "no", message: "not that one" };
    return nth === 1 ? YES : { verdict: "always" };
  });
  const { runtime, llm, cwd } = await scene(
    [
      { call: [bash("1", "echo 1 >> log"), bash("2", "echo 2 >> log"), bash("3", "echo 3 >> log")] },
      { call: [call("w", "write", { path: "made.txt", content: "x" })] },
      { say: "Done." },
      { call: [bash("4", "echo 4 >> log")] },
      { say: "Again." },
    ],
    inAsk(who.confirm),
  );
  await runtime.run("go");
  await runtime.run("and again");
  expect(readFileSync(join(cwd, "log"), "utf8")).toBe("1\n2\n3\n4\n");
  expect(existsSync(join(cwd, "made.txt"))).toBe(false);
  expect(who.requests.map(({ tool, args }) => [tool, args])).toEqual([
    ["bash", { command: "echo 1 >> log", timeout_s: 120 }],
    ["bash", { command: "echo 2 >> log", timeout_s: 120 }],
    ["write", { path: "made.txt", content: "x" }],
  ]);
  expect(who.requests[2]).toEqual({
    ...{ tool: "write", args: { path: "made.txt", content: "x" }, role: "direct", job_id: null, task: null },
    ...{ cwd, files: [join(cwd, "made.txt")], fault: null, doubt: null },
  });
  const told = bodyOf(llm.requests[2]).messages.at(-1)?.content ?? "";
  expect((JSON.parse(told) as { error: unknown }).error).toEqual({
    ...{ kind: "policy", code: "declined" },
    message: "The user said no to this call of write, it was not run. The user says: not that one",
  });
});

test("U39 D21 children side by side ask one after the other, each with its job; always passes those that wait", async () => {
  const who = asker((_request, nth) => (nth < 3 ? YES : { verdict: "always" }));
  const { runtime, cwd } = await scene(
    {
      direct: [{ call: ["a", "b", "c"].map((id) => dispatch(id, "worker")) }, { say: "Done." }],
      worker: [
        ...["a", "b", "c"].map((id) => ({ call: [bash(id, `echo ${id} >> log`), bash(`${id}2`, "echo x >> log")] })),
        ...["a", "b", "c"].map((id) => ({ call: [report(id)] })),
      ],
    },
    inAsk(who.confirm),
  );
  const { dispatches } = await runtime.run("go");
  expect([who.requests.length, who.most()]).toEqual([3, 1]);
  const known = new Map(dispatches.map(({ job_id }, at) => [job_id, `Task ${"abc"[at]}.`]));
  for (const { role, job_id, task } of who.requests) {
    expect([role, task]).toEqual(["worker", known.get(job_id ?? "")]);
  }
  expect(readFileSync(join(cwd, "log"), "utf8").length).toBe(12);
});

test("U39 D21 a child whose user says no goes on without: its model reads the refusal, and its report comes", async () => {
  const who = asker((_request, nth) => (nth === 1 ? { verdict: "no" } : { verdict: "no", message: "Look only." }));
  const { runtime, llm, cwd } = await scene(
    {
      direct: [{ call: [dispatch("a", "worker")] }, { say: "Done." }],
      worker: [{ call: [bash("1", "touch made"), bash("2", "touch made")] }, { call: [report()] }],
    },
    inAsk(who.confirm),
  );
  const { dispatches, text } = await runtime.run("go");
  expect([text, dispatches.map(({ status }) => status)]).toEqual(["Done.", ["ok"]]);
  expect([toldTo(llm, "worker"), existsSync(join(cwd, "made"))]).toEqual([["declined", "declined"], false]);
});

test("U39 D6 a cancel while a child's question stands withdraws it, and those that wait are never put", async () => {
  let withdrawn: unknown = null;
  const asking: ConfirmRequest[] = [];
  const { runtime, cwd } = await scene(
    {
      direct: [{ call: [dispatch("a", "worker"), dispatch("b", "worker")] }],
      worker: ["a", "b"].map((id) => ({ call: [bash(id, "touch made")] })),
    },
    inAsk(
      (request, signal) => {
        asking.push(request);
        signal.addEventListener("abort", () => {
          withdrawn = signal.reason;
        });
        setTimeout(() => void runtime.cancel("ctrl-c"), 20);
        return new Promise(() => {});
      },
      { exact: false },
    ),
  );
  const { stop_reason, cancel, dispatches } = await runtime.run("go");
  expect([stop_reason, cancel?.reason, asking.length, withdrawn === null]).toEqual(["cancelled", "ctrl-c", 1, false]);
  expect(dispatches.map(({ status, cancelled }) => [status, cancelled])).toEqual(Array(2).fill(["blocked", true]));
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("U39 D12 the wait for the user is not a job's time", async () => {
  const { runtime } = await scene(
    {
      direct: [{ call: [dispatch("a", "worker")] }, { say: "Done." }],
      worker: [{ call: [bash("1", "true")] }, { call: [report()] }],
    },
    inAsk(() => new Promise((resolve) => setTimeout(resolve, 1600, YES)), { dispatch: { timeout_s: 1.5 } }),
  );
  expect((await runtime.run("go")).dispatches.map(({ status, error }) => [status, error])).toEqual([["ok", null]]);
});

test("U39 an answer that is none is no yes, and what is shown can't be changed", async () => {
  const answers: readonly unknown[] = [true, undefined, { verdict: "ja" }];
  let at = 0;
  const { runtime, llm, cwd } = await scene(
    [{ call: ["1", "2", "3", "4", "5"].map((id) => bash(id, "touch made")) }, { say: "Done." }],
    inAsk(async ({ args }) => {
      if (at === 4) (args as { command: string }).command = "touch made";
      if (at === 3) throw new Error("the window is gone", { cause: at++ });
      return answers[at++] as Verdict;
    }),
  );
  await runtime.run("go");
  expect(toldTo(llm, "direct").slice(0, 3)).toEqual(Array(3).fill("not_confirmed"));
  expect(toldTo(llm, "direct").length).toBe(5);
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("U39 mode plan: bash and what writes are off, the prompt asks for a plan, and nobody is asked, in jobs neither", async () => {
  const { runtime, llm } = await scene(
    {
      direct: [{ call: [dispatch("a", "worker")] }, { say: "1. Change it." }],
      worker: [{ call: [bash("1", "true")] }, { call: [report()] }],
    },
    { config: { mode: "plan" }, confirm: async ({ tool }) => expect.fail(`asked about ${tool}`) },
  );
  expect((await runtime.run("go")).text).toBe("1. Change it.");
  const blocks = ["direct", "worker"].map((role) => bodyOf(asked(llm, role)[0]).messages[0]?.content?.split("\n\n")[1]);
  expect(blocks.map((block) => block?.slice(0, 10))).toEqual(["Mode plan:", "Mode plan:"]);
  expect(blocks.map((block) => /answer with the plan|report which/.exec(block ?? "")?.[0])).toEqual([
    "answer with the plan",
    "report which",
  ]);
  const offered = bodyOf(llm.requests[0]).tools?.map((each) => each.function.name) ?? [];
  expect(offered.filter((name) => ["bash", "edit", "write"].includes(name))).toEqual([]);
  expect(toldTo(llm, "worker")).toEqual(["tool_denied"]);
});
