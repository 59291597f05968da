import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "@smith/contract/event";
import { expect, test } from "vitest";
import {
  asked,
  bash,
  call,
  dispatch,
  gist,
  given,
  leftBehind,
  MARK,
  RESULT,
  report,
  type Scene,
  type SceneOptions,
  scene,
} from "./delegation-scene.ts";

/** Resolves when the files are there. */
async function made(cwd: string, ...names: readonly string[]): Promise<void> {
  const watcher = watch(cwd);
  try {
    while (!names.every((name) => existsSync(join(cwd, name)))) await once(watcher, "change");
  } finally {
    watcher.close();
  }
}

/** Resolves with the first event that fits. */
const happened = ({ runtime, events }: Scene, fits: (event: AgentEvent) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = (event: AgentEvent) => void (fits(event) && resolve());
    events.forEach(look);
    runtime.subscribe(look);
  });

async function marked(script: Parameters<typeof scene>[0], options: SceneOptions = {}) {
  const mark = randomBytes(8).toString("hex");
  const opened = await scene(script, { ...options, env: { [MARK]: mark } });
  return { ...opened, left: () => leftBehind(mark) };
}

/** Cancels and tells how long it took until all had stopped, ms. */
async function cancel({ runtime }: Scene, reason = "ctrl-c") {
  const asked = performance.now();
  const account = await runtime.cancel(reason);
  return { account, ms: performance.now() - asked };
}

const SLEEP = (id: string, file: string) => bash(id, `touch ${file}; sleep 40; touch late`);

test("D8 E5 B48 a cancel stops a worker in bash and the explorer below another, and the account names what each was at", async () => {
  const here = await marked({
    direct: [{ call: [dispatch("a", "worker"), dispatch("b", "explorer")] }, { say: "What next?" }],
    worker: [{ call: [dispatch("x", "explorer")] }],
    explorer: [{ call: [SLEEP("s1", "one")] }, { call: [SLEEP("s2", "two")] }],
  });
  const turn = here.runtime.run("go");
  await made(here.cwd, "one", "two");
  const { account, ms } = await cancel(here);
  expect(ms).toBeLessThan(2_000);
  const result = await turn;
  expect([result.stop_reason, result.error?.message, await here.left()]).toEqual(["cancelled", "ctrl-c", []]);
  expect(result.cancel).toEqual(account);
  const ids = result.dispatches.map(({ job_id }) => job_id);
  const cut = [{ tool: "bash", mutation_state: "unknown" }];
  const shape = { stopped_after_ms: expect.any(Number), files_changed: [] };
  expect(account).toEqual({
    reason: "ctrl-c",
    nodes: [
      { role: "direct", job_id: null, calls: [], ...shape },
      { role: "worker", job_id: ids[0], calls: [], ...shape },
      { role: "explorer", job_id: ids[1], calls: cut, ...shape },
      { role: "explorer", job_id: ids[2], calls: cut, ...shape },
    ],
  });
  for (const node of account?.nodes ?? []) expect(node.stopped_after_ms).toBeLessThanOrEqual(Math.ceil(ms));
  expect(given(result).map((each) => gist(each))).toEqual(
    ["worker", "explorer"].map((target_role) => ({
      ...{
        target_role,
        status: "partial",
        summary: "the job was cancelled.",
        synthetic: true,
        cancelled: true,
        code: null,
      },
    })),
  );
  expect(result.dispatches.map((each) => RESULT.safeParse(each).success)).toEqual([true, true, true]);
  expect([here.llm.requests.length, existsSync(join(here.cwd, "late"))]).toEqual([4, false]);
  expect((await here.runtime.run("and?")).text).toBe("What next?"); // B54: the strict server takes the history
});

test("D8 B48 a child that waits on a silent model is stopped too, and what it had said is kept", async () => {
  const here = await scene({
    direct: [{ call: [dispatch("a", "explorer"), dispatch("b", "explorer")] }],
    explorer: [
      { stall: true, say: "I am looking" },
      { stall: true, headers: false },
    ],
  });
  const turn = here.runtime.run("go");
  await Promise.all([here.llm.received(3), happened(here, ({ type }) => type === "llm_text_delta")]);
  await happened(here, (event) => event.type === "llm_text_delta" && event.text.includes("ing"));
  const { ms } = await cancel(here);
  expect(ms).toBeLessThan(2_000);
  const result = await turn;
  expect(
    given(result)
      .map(({ status, summary, cancelled }) => [status, summary, cancelled])
      .sort(),
  ).toEqual([
    ["blocked", "I am looking", true],
    ["blocked", "the job was cancelled.", true],
  ]);
  for (const { closed } of asked(here.llm, "explorer")) await closed; // both connections are gone
});

test("D8 E4 when one child reports and another is cut off, the account lists what the finished one changed", async () => {
  const here = await marked({
    direct: [{ call: [dispatch("a", "worker"), dispatch("b", "explorer")] }],
    worker: [{ call: [call("w", "write", { path: "done.txt", content: "done\n" })] }, { call: [report()] }],
    explorer: [{ call: [SLEEP("s", "one")] }],
  });
  const turn = here.runtime.run("go");
  await Promise.all([made(here.cwd, "one"), happened(here, ({ type }) => type === "dispatch_finished")]);
  const { account } = await cancel(here);
  const result = await turn;
  expect(account?.nodes.map(({ role, calls, files_changed }) => ({ role, calls, files_changed }))).toEqual([
    { role: "direct", calls: [], files_changed: [] },
    { role: "worker", calls: [], files_changed: [join(here.cwd, "done.txt")] },
    { role: "explorer", calls: [{ tool: "bash", mutation_state: "unknown" }], files_changed: [] },
  ]);
  expect(given(result).map(({ status, cancelled }) => [status, cancelled])).toEqual([
    ["ok", false],
    ["partial", true],
  ]);
  expect(await here.left()).toEqual([]);
});

test("D8 what waits for a place when the cancel comes never begins", async () => {
  const here = await marked(
    {
      direct: [{ call: ["a", "b", "c"].map((id) => dispatch(id, "explorer")) }, { say: "Yes?" }],
      explorer: [{ call: [SLEEP("s", "one")] }],
    },
    { dispatch: { max_parallel: 1 } },
  );
  const turn = here.runtime.run("go");
  await made(here.cwd, "one");
  await cancel(here);
  const result = await turn;
  // Each of the three has its one result, though only one child was ever asked.
  expect(result.dispatches.map(({ status, cancelled }) => [status, cancelled])).toEqual([
    ["partial", true],
    ["blocked", true],
    ["blocked", true],
  ]);
  expect(asked(here.llm, "explorer").length).toBe(1);
  const answers = result.messages.flatMap((message) =>
    message.role === "tool" ? [[message.tool_call_id, message.ok]] : [],
  );
  expect(answers).toEqual([
    ["a", true],
    ["b", true],
    ["c", true],
  ]);
  expect((await here.runtime.run("and?")).text).toBe("Yes?");
});

test("E1 E2 fault 192 the first reason wins, a second cancel and one after the end change nothing", async () => {
  const here = await marked({
    direct: [{ call: [dispatch("a", "explorer")] }],
    explorer: [{ call: [SLEEP("s", "one")] }],
  });
  const turn = here.runtime.run("go");
  await made(here.cwd, "one");
  const accounts = await Promise.all([here.runtime.cancel("first"), here.runtime.cancel("second")]);
  expect(accounts.map((account) => account?.reason)).toEqual(["first", "first"]);
  expect(accounts[0]).toEqual(accounts[1]);
  expect((await turn).error?.message).toBe("first");
  expect(await here.runtime.cancel("third")).toBe(null);
  const requested = here.events.filter(({ type }) => type === "dispatch_cancel_requested");
  expect(requested.length).toBe(1);
});

test("D8 E5 a model that ignores its signal does not hold the parent: the child is given up on", async () => {
  const here = await scene({ direct: [{ call: [dispatch("a", "explorer")] }], explorer: [] });
  const { model } = (await here.runtime.start()).services;
  let begun = () => {};
  const deaf = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const connect: typeof model.connect = async (choice) => {
    const chat = await model.connect(choice);
    return {
      provider: chat.provider,
      chat: (request, options) => {
        if (!JSON.stringify(request.messages[0]).includes("role: explorer")) return chat.chat(request, options);
        begun();
        return new Promise(() => {});
      },
    };
  };
  const other = await scene({}, { service_handles: { model: { ...model, connect } } });
  const turn = other.runtime.run("go");
  await deaf;
  const { account, ms } = await cancel(other);
  expect(ms).toBeLessThan(2_000);
  const result = await turn;
  expect(result.dispatches.map((each) => [RESULT.safeParse(each).success, each.status, each.cancelled])).toEqual([
    [true, "blocked", true],
  ]);
  expect(account?.nodes.map(({ role }) => role)).toEqual(["direct", "explorer"]);
  const finished = other.events.flatMap((event) => (event.type === "dispatch_finished" ? [event.cancelled] : []));
  expect(finished).toEqual([true]);
});

test("D8 E4 a job's time limit stops that job alone: its sibling and its parent go on", async () => {
  const here = await marked(
    {
      direct: [{ call: [dispatch("a", "worker"), dispatch("b", "explorer")] }, { say: "Done." }],
      worker: [{ call: [SLEEP("s", "one")] }],
      explorer: [{ call: [report()] }],
    },
    { dispatch: { timeout_s: 0.4 } },
  );
  const result = await here.runtime.run("go");
  expect([result.text, result.cancel]).toEqual(["Done.", null]);
  expect(given(result).map(({ status, cancelled, error }) => [status, cancelled, error?.code ?? null])).toEqual([
    ["partial", false, "timeout"],
    ["ok", false, null],
  ]);
  expect(await here.left()).toEqual([]);
});
