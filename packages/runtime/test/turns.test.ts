import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "@smith/contract/error";
import { expect, test } from "vitest";
import { bodyOf, model, place } from "./place.ts";

const held = () => {
  let release = () => {};
  const after = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { after, release: () => release() };
};

test("R4 R5 R11 the context of a turn has exactly its fields and is frozen all the way down", async () => {
  const { after, release } = held();
  const llm = await model([{ say: "one", after }]);
  const here = place();
  const given = { ...llm.config, llm_config: { api_url: llm.url, retry_backoff_ms: [1] } };
  const runtime = here.runtime({ config: given });
  const turn = runtime.run("hi");
  await llm.received(1);
  const context = runtime.currentTurn();
  if (context === null) throw new Error("no turn is running");
  expect(Object.keys(context).sort()).toEqual(
    [
      ...["active_role", "cancel", "config_snapshot", "conversation_id", "cwd", "mode", "project", "project_id"],
      ...["service_handles", "session_id", "turn_id"],
    ].sort(),
  );
  const { session_id, active_role, turn_id, cwd, mode, project, project_id } = context;
  expect([active_role, turn_id, cwd, mode, project.root, project_id]).toEqual([
    ...["direct", "t1", here.cwd, "full", null],
    project.project_id,
  ]);
  expect(session_id).toMatch(/^[0-9a-z]{10}$/);
  const writes: readonly (() => void)[] = [
    () => Object.assign(context, { active_role: "orchestrator" }),
    () => Object.assign(context, { more: 1 }),
    () => Object.assign(context.project, { root: "/" }),
    () => Object.assign(context.config_snapshot.llm_config, { stream: false }),
    () => (context.config_snapshot.llm_config.retry_backoff_ms as number[]).push(1),
    () => Object.assign(context.service_handles, { ui: null }),
    () => Object.assign(context.service_handles.role, { list: null }),
  ];
  for (const write of writes) expect(write).toThrow(TypeError);
  release();
  await turn;
  given.llm_config.retry_backoff_ms.push(2); // what the caller gave is still the caller's
  expect(context.config_snapshot.llm_config.retry_backoff_ms).toEqual([1]);
});

test("R7 R13 the current turn is there while one runs; ids go up and none comes twice", async () => {
  const llm = await model([{ say: "1" }, { status: 400 }, { say: "3" }]);
  const runtime = place().runtime({ config: llm.config });
  const seen: (string | null | undefined)[] = [];
  runtime.subscribe((event) => {
    if (event.type === "llm_request_started") seen.push(runtime.currentTurn()?.turn_id);
  });
  const ids = [runtime.nextTurnId()];
  for (const line of ["a", "b", "c"]) {
    await runtime.run(line);
    expect(runtime.currentTurn()).toBe(null);
    ids.push(runtime.nextTurnId());
  }
  expect([seen, ids]).toEqual([
    ["t1", "t2", "t3"],
    [1, 2, 3, 4],
  ]);
});

test("R8 created, running, stopped: each step with its time, and no step back", async () => {
  let clock = 100;
  const runtime = place().runtime({ now: () => clock++ });
  expect(runtime.state()).toEqual({
    ...{ status: "created", started_at: null, stopped_at: null, stop_reason: null, error: null },
  });
  await runtime.start();
  const { status, started_at, stopped_at } = runtime.state();
  expect([status, typeof started_at, stopped_at]).toEqual(["running", "number", null]);
  await runtime.close("bye");
  const stopped = runtime.state();
  expect([stopped.status, stopped.stop_reason, stopped.error]).toEqual(["stopped", "bye", null]);
  expect((stopped.stopped_at ?? 0) > (stopped.started_at ?? 0)).toBe(true);
  await runtime.close("again");
  await runtime.fail(new AgentError({ kind: "internal", message: "late" }));
  expect(runtime.state()).toBe(stopped);
});

test("R8 R9 a session that fails says why, and one that never started may stop", async () => {
  const failed = place().runtime();
  await failed.start();
  await failed.fail(new AgentError({ kind: "internal", message: "the disk is gone" }));
  const { status, stop_reason, error } = failed.state();
  expect([status, stop_reason, error]).toEqual(["failed", "error", "the disk is gone"]);
  const unused = place().runtime();
  await unused.close();
  expect([unused.state().status, unused.state().started_at]).toEqual(["stopped", null]);
});

for (const end of ["close", "fail"] as const) {
  test(`R9 ${end} cancels the turn that hangs in a model call`, async () => {
    const llm = await model([{ stall: true, say: "so far" }]);
    const runtime = place().runtime({ config: llm.config });
    const turn = runtime.run("hi");
    await llm.received(1);
    if (end === "close") await runtime.close();
    else await runtime.fail(new AgentError({ kind: "internal", message: "no more" }));
    const { stop_reason, text } = await turn;
    expect([stop_reason, text]).toEqual(["cancelled", text]);
    expect(runtime.currentTurn()).toBe(null);
  });
}

test("R10 a second turn is refused while one runs, and the first is unharmed", async () => {
  const { after, release } = held();
  const llm = await model([{ say: "one", after }, { say: "two" }]);
  const runtime = place().runtime({ config: llm.config });
  const first = runtime.run("a");
  await expect(runtime.run("b")).rejects.toMatchObject({ kind: "policy", code: "turn_active" });
  await llm.received(1);
  await expect(runtime.processInput("c")).rejects.toMatchObject({ kind: "policy", code: "turn_active" });
  release();
  expect((await first).text).toBe("one");
  const { text, turn_id } = await runtime.run("d");
  expect([text, turn_id]).toEqual(["two", "t2"]);
  const said = bodyOf(llm.requests[1]).messages.slice(1);
  expect(said.map(({ role, content }) => `${role} ${content}`)).toEqual(["user a", "assistant one", "user d"]);
});

for (const [what, thrown, kind, message] of [
  ["a string", "plain words", "internal", "plain words"],
  ["an Error", new TypeError("x is not a function"), "internal", "x is not a function"],
  ["part of an error", { kind: "transport", message: "half" }, "transport", "half"],
  ["nothing", undefined, "internal", "Something that is no error was thrown: undefined"],
  ["cancelled", "cancelled", "cancelled", "cancelled"],
] as const) {
  test(`R12 R13 a model that throws ${what} makes a result, and the next turn may begin`, async () => {
    const chat = { provider: "mine", chat: () => Promise.reject(thrown) };
    const choice = {
      ...{ model: "m", provider: "mine", api_url: null, endpoints: [], source: "override" as const, key: "m" },
      ...{ context_window: 1000, max_output_tokens: null },
    };
    const service = { select: async () => choice, connect: async () => chat };
    const config = { llm_config: { retry_max_retries: 0 }, empty_response_retry_max_retries: 0 };
    const runtime = place().runtime({ config, service_handles: { model: service } });
    for (const line of ["one", "two"]) {
      const { error, stop_reason } = await runtime.run(line);
      expect([stop_reason, error?.kind, error?.message]).toEqual([
        kind === "cancelled" ? "cancelled" : "error",
        ...(kind === "cancelled" ? [error?.kind, error?.message] : [kind, message]),
      ]);
      expect(runtime.currentTurn()).toBe(null);
    }
  });
}

test("R14 the scope is worked out anew for each turn", async () => {
  const llm = await model([{ say: "1" }, { say: "2" }]);
  const here = place();
  const repo = join(here.cwd, "repo");
  mkdirSync(repo);
  let cwd = here.cwd;
  const runtime = here.runtime({ config: llm.config, cwd: () => cwd });
  const scopes: unknown[] = [];
  runtime.subscribe((event) => {
    const context = runtime.currentTurn();
    if (event.type !== "llm_request_started" || context === null) return;
    const { project, project_id } = context;
    scopes.push([context.cwd, project.root, project.origin, project.normalized, project_id === project.project_id]);
  });
  await runtime.run("a");
  cwd = repo;
  here.git("init", "-q", repo);
  here.git("-C", repo, "remote", "add", "origin", "git@Example.org:o/r.git");
  here.file("repo/INDEX.md", "The index of r.");
  await runtime.run("b");
  expect(scopes).toEqual([
    [here.cwd, null, null, null, true],
    [repo, repo, "git@Example.org:o/r.git", "example.org/o/r", true],
  ]);
  const blocks = llm.requests.map((request) => bodyOf(request).messages[0]?.content.includes("The index of r."));
  expect(blocks).toEqual([false, true]);
});

test("R16 a session adds up what its turns used; what no endpoint told stays unknown", async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const llm = await model([
    { say: "1", usage },
    { say: "2", usage },
    { say: "3", usage: null },
  ]);
  const runtime = place().runtime({ config: llm.config });
  const known = (used: { input_tokens: number | null; output_tokens: number | null }) => [
    used.input_tokens,
    used.output_tokens,
  ];
  expect(known(runtime.usage().total())).toEqual([null, null]);
  const turns = [];
  for (const line of ["a", "b", "c"]) turns.push(known((await runtime.run(line)).usage));
  expect([turns, known(runtime.usage().total())]).toEqual([
    [
      [100, 10],
      [100, 10],
      [null, null],
    ],
    [200, 20],
  ]);
});

test("R16 what a job used is counted in the bucket of its role, not in the parent's own", async () => {
  const usage = (n: number) => ({ prompt_tokens: n, completion_tokens: n, total_tokens: 2 * n });
  const job = (id: string, target_role: string) => {
    return { id, name: "dispatch", args: { target_role, task: "look, then report" } };
  };
  const report = { id: "r", name: "report", args: { status: "ok", summary: "looked" } };
  const llm = await model({
    direct: [
      { call: [job("c1", "worker"), job("c2", "explorer"), job("c3", "worker")], usage: usage(100) },
      { say: "done", usage: usage(200) },
    ],
    worker: [
      { call: [report], usage: usage(1) },
      { call: [report], usage: usage(2) },
    ],
    explorer: [{ call: [report], usage: usage(10) }],
  });
  const runtime = place().runtime({ config: llm.config });
  const { usage: turn } = await runtime.run("go");
  const tokens = Object.entries(runtime.usage().children()).map(([role, used]) => [role, used.input_tokens, used.jobs]);
  expect([turn.input_tokens, runtime.usage().total().input_tokens, tokens.sort()]).toEqual([
    300,
    300,
    [
      ["explorer", 10, 1],
      ["worker", 3, 2],
    ],
  ]);
});
