import type { ConfirmRequest, Verdict } from "@smith/contract/confirm";
import { anthropicMessages, ollamaChat, openAiResponses, startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { bodyOf, model, type Place, place, systemOf } from "./place.ts";

const bash = (id: string, command: string) => ({ id, name: "bash", args: { command } });

/** A plugin whose hooks keep what they were told; `more` is code of its hooks. */
const spy = (name: string, more = "") => `
export const seen = [];
const keep = (hook) => (info, context) => void seen.push([hook, info, context]);
export default { name: "${name}", hooks: {
  ...Object.fromEntries(["on_run_start", "on_run_end", "before_llm_call", "before_tool_call", "after_tool_call",
    "on_dispatch_start", "on_dispatch_end"].map((hook) => [hook, keep(hook)])),
  ${more}
} };`;

type Seen = readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[];
const seenBy = async (file: string): Promise<Seen> => ((await import(file)) as { seen: Seen }).seen;

const errorIn = (content: string | undefined) => (JSON.parse(content ?? "") as { error: object }).error;

const plugin = (here: Place, name: string, hooks: string) =>
  here.file(`${name}.mjs`, `export default { name: "${name}", hooks: { ${hooks} } };`);

test("PL7 the first guard that blocks wins; the call is not run, the model reads why, and the turn goes on", async () => {
  const here = place();
  plugin(here, "lenient", "before_tool_call() {}");
  plugin(
    here,
    "first",
    'before_tool_call({ args }) { if (args.command.includes("rm")) return { block: true, reason: "no rm here" }; }',
  );
  plugin(
    here,
    "second",
    'before_tool_call({ args }) { if (args.command !== "echo 1 > made") return { block: true }; }',
  );
  const llm = await model([
    { call: [bash("a", "rm -rf x"), bash("b", "touch made"), bash("c", "echo 1 > made")] },
    { say: "Done." },
  ]);
  const plugins = ["./lenient.mjs", "./first.mjs", "./second.mjs"];
  const runtime = here.runtime({ config: { ...llm.config, plugins } });
  const { notices, tool_calls } = await runtime.run("go");
  const told = bodyOf(llm.requests[1])
    .messages.slice(-3)
    .map(({ content }) => content);
  const blocked = (reason: string) => ({
    kind: "policy",
    code: "blocked_by_plugin",
    message: `blocked_by_plugin: ${reason}`,
  });
  expect([errorIn(told[0]), errorIn(told[1]), told[2]]).toEqual([
    blocked("no rm here"),
    blocked("plugin-less (second gave no reason)"),
    "[exit 0]",
  ]);
  expect([tool_calls, notices]).toEqual([1, []]);
  const refused = runtime
    .events()
    .flatMap((event) => (event.type === "tool_call_refused" ? [event.error.message] : []));
  expect(refused).toEqual(["blocked_by_plugin: no rm here", "blocked_by_plugin: plugin-less (second gave no reason)"]);
});

test("PL8 PL9 PL12 PL13 Q27 each hook is told of the turn, its calls, its jobs and theirs, in order, with folder and role", async () => {
  const here = place();
  const file = here.file("spy.mjs", spy("spy"));
  const llm = await model({
    direct: [
      { call: [bash("a", "printf %0400d 7"), { id: "b", name: "read", args: { path: "gone" } }] },
      { call: [{ id: "d", name: "dispatch", args: { target_role: "worker", task: "Look." } }] },
      { say: "Done." },
    ],
    worker: [{ call: [bash("w", "echo hi"), { id: "r", name: "report", args: { status: "ok", summary: "Seen." } }] }],
  });
  const runtime = here.runtime({ config: { ...llm.config, plugins: ["./spy.mjs"] } });
  const result = await runtime.run("hello");
  const seen = await seenBy(file);
  const job_id = result.dispatches[0]?.job_id;
  expect(seen.map(([hook, , { role }]) => `${role} ${hook}`)).toEqual([
    ...["direct on_run_start", "direct before_llm_call", "direct before_tool_call", "direct after_tool_call"],
    ...["direct before_tool_call", "direct after_tool_call", "direct before_llm_call", "direct before_tool_call"],
    ...["direct on_dispatch_start", "worker on_run_start", "worker before_llm_call", "worker before_tool_call"],
    ...["worker after_tool_call", "worker before_tool_call", "worker after_tool_call", "worker on_run_end"],
    ...["direct on_dispatch_end", "direct after_tool_call", "direct before_llm_call", "direct on_run_end"],
  ]);
  const infos = (name: string) => seen.filter(([hook]) => hook === name).map(([, info]) => info);
  expect(infos("on_run_start")[0]).toEqual({ input_chars: 5 });
  expect(infos("on_run_end")).toEqual([
    { stop_reason: "completed", rounds: 1 },
    { stop_reason: "completed", rounds: 3 },
  ]);
  expect(infos("before_llm_call")[1]).toEqual({ round: 2, model: "scripted", messages: 5 });
  expect(infos("before_tool_call")[0]).toEqual({
    tool_name: "bash",
    call_id: "a",
    args: { command: "printf %0400d 7", timeout_s: 120 },
  });
  const [long, missing] = infos("after_tool_call");
  expect(long).toMatchObject({ tool_name: "bash", ok: true, error: null, result_summary: "0".repeat(300) });
  expect(missing).toMatchObject({ ok: false, error: missing?.["result_summary"] });
  expect(infos("on_dispatch_end")).toEqual([{ job_id, target_role: "worker", task: "Look.", status: "ok" }]);
  const place_ = { work_dir: here.cwd, project_root: null, mode: "full" };
  const { conversation_id } = result;
  expect(seen[0]?.[2]).toEqual({
    ...place_,
    role: "direct",
    conversation_id,
    turn_id: "t1",
    job_id: null,
    parent_turn_id: null,
  });
  expect(seen[9]?.[2]).toEqual({
    ...{ ...place_, role: "worker", conversation_id: expect.any(String), turn_id: "t1", job_id, parent_turn_id: "t1" },
  });
});

test("PL9 N9 on_run_end is told of a turn that fails and of one that is cancelled", async () => {
  const here = place();
  const file = here.file("spy.mjs", spy("spy"));
  const llm = await model([{ status: 400 }, { call: [bash("a", "sleep 60")] }]);
  const runtime = here.runtime({ config: { ...llm.config, plugins: ["./spy.mjs"] } });
  await runtime.run("fail");
  runtime.subscribe(({ type }) => void (type === "tool_execution_started" && runtime.cancel("enough")));
  await runtime.run("hang");
  const ends = (await seenBy(file)).filter(([hook]) => hook === "on_run_end").map(([, info]) => info);
  expect(ends).toEqual([
    { stop_reason: "error", rounds: 1 },
    { stop_reason: "cancelled", rounds: 1 },
  ]);
});

test("before_llm_call adds one line to the system text of that request alone", async () => {
  const here = place();
  plugin(here, "clock", 'before_llm_call({ round }) { if (round === 1) return { note: " It is\\n ten.  " }; }');
  plugin(here, "other", 'before_llm_call: async () => ({ note: "Be kind." })');
  const llm = await model([{ call: [bash("a", "true")] }, { say: "Done." }]);
  await here.runtime({ config: { ...llm.config, plugins: ["./clock.mjs", "./other.mjs"] } }).run("hi");
  const [first = "", second = ""] = llm.requests.map(systemOf);
  const prompt = second.slice(0, -"\n\nBe kind.".length);
  expect([first, second]).toEqual([`${prompt}\n\nIt is ten.\nBe kind.`, `${prompt}\n\nBe kind.`]);
  expect(
    llm.requests.map((request) => bodyOf(request).messages.filter(({ role }) => role === "system").length),
  ).toEqual([1, 1]);
});

test("Q29 a guard may have the user asked, in mode full too: yes runs it, an edit is shown to the guards again, nobody there refuses it", async () => {
  const here = place();
  plugin(
    here,
    "wary",
    `before_tool_call({ args }) {
    if (args.command.startsWith("rm")) return { block: true, reason: "never" };
    return { ask: "it is a command" };
  }`,
  );
  const answers: readonly Verdict[] = [{ verdict: "yes" }, { verdict: "yes", args: { command: "rm x" } }];
  const asked: ConfirmRequest[] = [];
  const script = [{ call: [bash("a", "echo 1"), bash("b", "echo 2")] }, { say: "Done." }];
  const llm = await model([...script, ...script]);
  const config = { ...llm.config, plugins: ["./wary.mjs"] };
  await here
    .runtime({
      config,
      async confirm(request) {
        asked.push(request);
        return answers[asked.length - 1] ?? { verdict: "no" };
      },
    })
    .run("go");
  await here.runtime({ config }).run("go");
  const told = [1, 3].map((at) =>
    bodyOf(llm.requests[at])
      .messages.slice(-2)
      .map(({ content }) => content),
  );
  expect(asked.map(({ tool, doubt }) => [tool, doubt])).toEqual([
    ["bash", "wary: it is a command"],
    ["bash", "wary: it is a command"],
  ]);
  expect([told[0]?.[0], errorIn(told[0]?.[1])]).toEqual([
    "1\n[exit 0]",
    { kind: "policy", code: "blocked_by_plugin", message: "blocked_by_plugin: never" },
  ]);
  expect(errorIn(told[1]?.[0])).toEqual({
    ...{ kind: "policy", code: "not_confirmed" },
    message:
      "bash needs the user's yes (wary: it is a command), and nobody can be asked here: it was not run. Go on without it, or tell the user that it can be confirmed in smith on a terminal.",
  });
});

test("PL11 a guard that throws refuses the call; an answer that is none does, too", async () => {
  const here = place();
  plugin(
    here,
    "broken",
    'before_tool_call({ call_id }) { if (call_id === "a") throw new Error("boom"); return { blocked: true }; }',
  );
  const llm = await model([{ call: [bash("a", "touch made"), bash("b", "touch made")] }, { say: "Done." }]);
  const { tool_calls } = await here.runtime({ config: { ...llm.config, plugins: ["./broken.mjs"] } }).run("go");
  const told = bodyOf(llm.requests[1])
    .messages.slice(-2)
    .map(({ content }) => errorIn(content));
  const refused = (fault: string) => ({
    ...{ kind: "policy", code: "hook_error" },
    message: `hook_error: bash was not run, because before_tool_call of the plugin broken ${fault}. A guard that fails lets nothing through; the user can mend the plugin, or take it out of plugins.`,
  });
  expect([tool_calls, told]).toEqual([
    0,
    [refused("threw: boom"), refused('answered {"blocked":true}, expected nothing, { block, reason } or { ask }')],
  ]);
});

test("PL15 a session beside the runtime's own, as a chat gateway has them, has the same hooks", async () => {
  const here = place();
  plugin(here, "guard", 'before_tool_call() { return { block: true, reason: "not here" }; }');
  const llm = await model([{ call: [bash("a", "touch made")] }, { say: "Done." }]);
  const runtime = here.runtime({ config: { ...llm.config, plugins: ["./guard.mjs"] } });
  const { text, tool_calls } = await runtime.beside().run("go");
  expect([text, tool_calls]).toEqual(["Done.", 0]);
  expect(errorIn(bodyOf(llm.requests[1]).messages.at(-1)?.content)).toMatchObject({ code: "blocked_by_plugin" });
});

test("PL11 PL15 of two runtimes in one process each has the faults of its own calls", async () => {
  const here = place();
  plugin(here, "loose", 'before_tool_call() { Promise.reject(new Error("loose")); }');
  const script = [{ call: [bash("a", "touch made")] }, { say: "Done." }];
  const llm = await model([...script, ...script]);
  const [one, two] = [0, 1].map(() => here.runtime({ config: { ...llm.config, plugins: ["./loose.mjs"] } }));
  for (const runtime of [one, two]) await (await runtime?.start())?.host.plugins.list(); // those of the second on top
  await one?.run("go");
  await two?.run("go");
  const told = [1, 3].map((at) => errorIn(bodyOf(llm.requests[at]).messages.at(-1)?.content));
  expect(told).toMatchObject([{ code: "hook_error" }, { code: "hook_error" }]);
});

test("PL10 PL12 a hook that fails where it can veto nothing is one warning a turn, and everything goes on", async () => {
  const here = place();
  plugin(here, "broken", 'after_tool_call() { throw new Error("boom"); }, before_llm_call: () => "a note"');
  const llm = await model([{ call: [bash("a", "true"), bash("b", "true")] }, { say: "Done." }, { say: "Again." }]);
  const runtime = here.runtime({ config: { ...llm.config, plugins: ["./broken.mjs"] } });
  const { text, tool_calls, notices } = await runtime.run("go");
  const warn = (hook: string, fault: string) => ({ level: "warn", text: `The plugin broken: its ${hook} ${fault}.` });
  const note = warn("before_llm_call", "answered a note, expected nothing or { note }");
  expect([text, tool_calls, notices]).toEqual(["Done.", 2, [note, warn("after_tool_call", "threw: boom")]]);
  expect((await runtime.run("again")).notices).toEqual([note]);
});

test.each([
  ["anthropic", anthropicMessages],
  ["openai_responses", openAiResponses],
  ["ollama", ollamaChat],
] as const)(
  "what a hook adds to the system text is sent as %s has it, and nothing else of the request changes",
  async (kind, wire) => {
    const here = place();
    plugin(here, "once", 'before_llm_call({ round }) { return round === 1 ? { note: "It is ten." } : undefined; }');
    const llm = await startScriptedLlm([{ call: [bash("a", "true")] }, { say: "Done." }], { wire });
    const providers = [{ name: "far", kind, api_url: llm.url, model: "m", api_key: "k" }];
    await here.runtime({ config: { providers, plugins: ["./once.mjs"] } }).run("hi");
    const [first = "", second = ""] = llm.requests.map(({ body }) => wire.systemText(body));
    expect([first.endsWith("It is ten."), first.startsWith(second), second.includes("It is ten")]).toEqual([
      true,
      true,
      false,
    ]);
    await llm[Symbol.asyncDispose]();
  },
);
