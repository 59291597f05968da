import { existsSync, readdirSync, readlinkSync } from "node:fs";
import type { AgentEvent } from "@smith/contract/event";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  type Agent,
  AgentError,
  type AgentResult,
  createAgent,
  createAgentWithPlugins,
  createEventBus,
  createExecutor,
  createToolRegistry,
  defineTool,
  ERROR_KINDS,
  type RuntimeOptions,
  runAgent,
} from "../src/index.ts";
import { bodyOf, conversationIn, model, place } from "./place.ts";

/** An agent that reads no file and keeps nothing; closed when the test is over. */
function agentOn(llm: { config: object }, options: RuntimeOptions = {}): Agent {
  const { config = {}, ...rest } = options;
  const agent = createAgent({
    ...{ cwd: place().cwd, env: { SMITH_NO_PROBE: "1" }, config: { ...llm.config, ...config } },
    ...rest,
  });
  onTestFinished(() => agent.close());
  return agent;
}

const toldOf = ({ messages }: AgentResult) => messages.map(({ role, content }) => `${role}: ${content}`);

const weather = defineTool({
  name: "weather",
  description: "The weather in a city.",
  schema: z.strictObject({ city: z.string(), days: z.int().gte(1).default(1) }),
  side_effects: "none",
  run: ({ city, days }) => {
    expectTypeOf(city).toEqualTypeOf<string>();
    expectTypeOf(days).toEqualTypeOf<number>();
    return city === "Atlantis"
      ? { ok: false, content: "", error: { code: "no_such_city", message: `There is no ${city}. Name a real city.` } }
      : `${city}: sun for ${days} day(s)`;
  },
});

test("A1 A4 three runs in a row go on with each other, and each result has the messages of its own run alone", async () => {
  const llm = await model([{ say: "one" }, { say: "two" }, { say: "three" }]);
  const agent = agentOn(llm);
  const results = [await agent.run("1"), await agent.run("2"), await agent.run("3")];
  expect(results.map(toldOf)).toEqual([
    ["user: 1", "assistant: one"],
    ["user: 2", "assistant: two"],
    ["user: 3", "assistant: three"],
  ]);
  expect(results.map((each) => [each.stop_reason, each.text, each.turn_id, each.output])).toEqual([
    ["completed", "one", "t1", null],
    ["completed", "two", "t2", null],
    ["completed", "three", "t3", null],
  ]);
  expect(new Set(results.map((each) => each.conversation_id)).size).toBe(1);
  expect(conversationIn(llm.requests[2])).toEqual(["1", "one", "2", "two", "3"]);
});

test("A3 A4 history begins a fresh conversation: chained by hand, nothing is sent or kept twice", async () => {
  const llm = await model([{ say: "one" }, { say: "two" }, { say: "three" }]);
  const agent = agentOn(llm);
  const first = await agent.run("1");
  const second = await agent.run("2", { history: first.messages, label: "Second of three" });
  const third = await agent.run("3", { history: [...first.messages, ...second.messages] });
  expect([first, second, third].map(({ messages }) => messages.length)).toEqual([2, 2, 2]);
  expect(llm.requests.map(conversationIn)).toEqual([["1"], ["1", "one", "2"], ["1", "one", "2", "two", "3"]]);
  const { sessions } = (await agent.runtime.start()).host;
  const kept = await sessions.messages(third.conversation_id);
  expect(kept.messages.map(({ role, content, turn_id }) => `${turn_id} ${role}: ${content}`)).toEqual([
    ...["t1 user: 1", "t1 assistant: one", "t2 user: 2", "t2 assistant: two", "t3 user: 3", "t3 assistant: three"],
  ]);
  expect((await sessions.list({ children: false, all: true })).length).toBe(3);
});

test("A3 a history that no endpoint would take is refused before anything is asked or written", async () => {
  const llm = await model([]);
  const agent = agentOn(llm);
  const call = { id: "c1", name: "read", arguments: "{}" };
  const why = async (history: unknown, more: object = {}) =>
    await agent.run("go on", { history: history as never, ...more }).then(
      () => "ran",
      (error: unknown) => (error instanceof AgentError ? `${error.kind}/${error.code}: ${error.message}` : "other"),
    );
  expect([
    await why([{ role: "assistant", content: "hi" }]),
    await why([
      { role: "user", content: "hi" },
      { role: "assistant", content: "", tool_calls: [call] },
    ]),
    await why([{ role: "user", content: 7 }]),
    await why([], { conversation_id: "abc" }),
  ]).toEqual([
    "schema/bad_history: history can't be sent: it has to begin with a line of the user's.",
    "schema/bad_history: history can't be sent: a call without its result, or a result without its call, at message 1.",
    expect.stringMatching(/^schema\/bad_history: history can't be sent: message 0 \(user\): ✖ Invalid input/),
    "schema/bad_history: history can't be sent: conversation_id names a conversation that has its own. Leave one out.",
  ]);
});

test("A3 label names a conversation that begins, role and mode are of one run alone", async () => {
  const llm = await model([{ say: "planned" }, { say: "done" }]);
  const agent = agentOn(llm);
  const planned = await agent.run("plan it", { role: "orchestrator", mode: "plan", label: "The big plan" });
  const done = await agent.run("do it", { label: "Too late" });
  expect([planned.role, done.role]).toEqual(["orchestrator", "direct"]);
  const tools = llm.requests.map((request) => bodyOf(request).tools?.map((tool) => tool.function.name) ?? []);
  expect([tools[0]?.includes("bash"), tools[1]?.includes("bash")]).toEqual([false, true]);
  const { sessions } = (await agent.runtime.start()).host;
  const names = (await sessions.list({ children: false, all: true })).map(({ name }) => name);
  expect(names).toEqual(["The big plan"]);
});

test("A5 subscribe returns the unsubscribe; loops see what comes, and end with the agent or their break", async () => {
  const llm = await model([{ say: "one" }, { say: "two" }]);
  const agent = agentOn(llm);
  const heard: string[] = [];
  const unsubscribe = agent.events.subscribe(({ type }) => heard.push(type));
  const collect = async (until: (event: AgentEvent) => boolean) => {
    const seen: string[] = [];
    for await (const event of agent.events) {
      seen.push(event.type);
      if (until(event)) break;
    }
    return seen;
  };
  const whole = collect(() => false);
  const first = collect(({ type }) => type === "turn_completed");
  await agent.run("1");
  const before = heard.length;
  unsubscribe();
  await agent.run("2");
  await agent.close();
  expect(heard.length).toBe(before);
  expect((await first).at(-1)).toBe("turn_completed");
  const seen = await whole;
  expect(seen.slice(0, before)).toEqual(heard);
  expect(seen.filter((type) => type === "turn_persisted").length).toBe(2);
  expect(await collect(() => false)).toEqual([]); // after the end there is nothing to wait for
});

test("A6 the configuration is what the next turn sees, and frozen", async () => {
  const llm = await model([]);
  const config = await agentOn(llm, { config: { max_rounds: 7 } }).config();
  expect([config.max_rounds, config.mode, Object.isFrozen(config), Object.isFrozen(config.llm_config)]).toEqual([
    ...[7, "full", true, true],
  ]);
});

test("A7 two agents in one process at once: usage, events and tools of each are its own", async () => {
  const use = (n: number) => ({ prompt_tokens: n, completion_tokens: n + 1, total_tokens: 2 * n + 1 });
  const [a, b] = await Promise.all([
    model([
      { call: [{ id: "c1", name: "weather", args: { city: "Rome" } }], usage: use(10) },
      { say: "a", usage: use(20) },
    ]),
    model([{ say: "b", usage: use(100) }]),
  ]);
  const [one, two] = [agentOn(a, { tools: [weather] }), agentOn(b)];
  const heard: Record<string, Set<string>> = { one: new Set(), two: new Set() };
  one.events.subscribe(({ type }) => heard["one"]?.add(type));
  two.events.subscribe(({ type }) => heard["two"]?.add(type));
  const [ran, other] = await Promise.all([one.run("1"), two.run("2")]);
  const tokens = ({ usage }: AgentResult) => [usage.input_tokens, usage.output_tokens];
  expect([ran, other].map(tokens)).toEqual([
    [30, 32],
    [100, 101],
  ]);
  expect([heard["one"]?.has("tool_execution_started"), heard["two"]?.has("tool_execution_started")]).toEqual([
    ...[true, false],
  ]);
});

test("A8 A9 errors are one class with kinds and codes; registry, executor and event bus are there for who builds", async () => {
  const agent = createAgent({ cwd: place().cwd, env: { SMITH_NO_PROBE: "1" } });
  const error: unknown = await agent.run("hi").catch((thrown: unknown) => thrown);
  await agent.close();
  if (!(error instanceof AgentError)) throw new Error(`no AgentError: ${String(error)}`);
  expect([error.kind, error.code, ERROR_KINDS.includes(error.kind)]).toEqual(["schema", "no_model", true]);
  expectTypeOf(createToolRegistry).returns.toHaveProperty("forRole");
  expectTypeOf(createEventBus).returns.toHaveProperty("subscribe");
  expectTypeOf(createExecutor).toBeFunction();
});

test("A1 a tool of one's own is checked by its schema, and what it says is what the model reads", async () => {
  const call = (id: string, args: unknown) => ({ id, name: "weather", args });
  const llm = await model([
    { call: [call("c1", { city: "Rome" }), call("c2", { town: "Rome" }), call("c3", { city: "Atlantis" })] },
    { say: "Sun." },
  ]);
  const result = await agentOn(llm, { tools: [weather] }).run("weather?");
  const [, , ok, unfit, refused] = result.messages.map(({ content }) => content as string);
  expect([ok, JSON.parse(unfit ?? "").error.code, JSON.parse(refused ?? "").error]).toEqual([
    "Rome: sun for 1 day(s)",
    "bad_arguments",
    { kind: "tool", code: "no_such_city", message: "There is no Atlantis. Name a real city." },
  ]);
});

test("A1 PL6 a tool of one's own is for direct and worker unless it names other roles; the modes hold for it", async () => {
  const agent = agentOn(await model([]), {
    tools: [weather, defineTool({ ...weather, name: "plan_only", role_allowlist: ["orchestrator"], run: () => "" })],
  });
  const { policy } = (await agent.runtime.start()).host;
  const who = async (tool: string) => {
    const rows = await Promise.all(policy.roles().map(({ name }) => policy.explain(name, tool)));
    return rows.filter(({ decision }) => decision === "allow").map(({ role }) => role);
  };
  expect([await who("weather"), await who("plan_only"), (await policy.explain("explorer", "weather")).rule]).toEqual([
    ["direct", "worker"],
    ["orchestrator"],
    "weather is not for explorer",
  ]);
});

test("A1 what can be no tool is refused where it is defined, with the reason", () => {
  const good = { name: "x", description: "Does x.", schema: z.strictObject({}), run: () => "" };
  const why = (change: object) => {
    try {
      return defineTool({ ...good, ...change }).name;
    } catch (thrown) {
      return thrown instanceof AgentError ? `${thrown.kind}/${thrown.code}: ${thrown.message}` : String(thrown);
    }
  };
  expect([
    why({}),
    why({ name: "a b" }),
    why({ description: " " }),
    why({ schema: { type: "object" } }),
    why({ schema: z.string() }),
    why({ schema: z.strictObject({ at: z.date() }) }),
  ]).toEqual([
    "x",
    `schema/bad_tool: The tool "a b" can't be defined: its name has to be 1 to 64 letters, digits, '_' or '-'.`,
    `schema/bad_tool: The tool "x" can't be defined: it needs a description: the model knows nothing else of it.`,
    `schema/bad_tool: The tool "x" can't be defined: its schema has to be one of zod 4, as z.strictObject({ city: z.string() }).`,
    `schema/bad_tool: The tool "x" can't be defined: its schema has to be an object: arguments have names.`,
    `schema/bad_tool: The tool "x" can't be defined: its schema can't be told to a model: Date cannot be represented in JSON Schema.`,
  ]);
});

test("A1 a tool that takes the name of a built-in one ends the start with an error that names it", async () => {
  const options = { cwd: place().cwd, env: {}, tools: [defineTool({ ...weather, name: "read", run: () => "" })] };
  await expect(createAgentWithPlugins(options)).rejects.toMatchObject({ kind: "policy", code: "duplicate_tool" });
});

test("A1 a turn that can't be prepared is closed: the next one fails by the same, and its conversation is free", async () => {
  const here = place();
  const llm = await model([{ say: "Here." }]);
  const { database } = here;
  const broken = agentOn(llm, { database, tools: [defineTool({ ...weather, name: "read", run: () => "" })] });
  const seen: AgentEvent["type"][] = [];
  broken.events.subscribe(({ type }) => void seen.push(type));
  await expect(broken.run("1")).rejects.toMatchObject({ code: "duplicate_tool" });
  await expect(broken.run("2")).rejects.toMatchObject({ code: "duplicate_tool" });
  expect(seen).toEqual(Array(2).fill(["turn_started", "turn_failed", "turn_persisted"]).flat());
  const [held] = await broken.runtime.conversations();
  const { text, turn_id } = await agentOn(llm, { database }).run("3", { conversation_id: held?.id ?? "" });
  expect([text, turn_id]).toEqual(["Here.", "t3"]);
});

test("A1 A11 an agent that is closed twice at once is closed once: both wait until the database is, and its loops end", async () => {
  const here = place();
  const llm = await model([{ say: "Hello." }]);
  const agent = agentOn(llm, { database: here.database });
  await agent.run("hi");
  const looped = (async () => {
    for await (const _ of agent.events);
    return "over";
  })();
  const files = () => readdirSync(here.home).filter((name) => /-(wal|shm)$/.test(name));
  const open = files().length;
  const left = await Promise.all([agent.close(), agent.runtime.close(), agent.close()].map((each) => each.then(files)));
  expect([open > 0, left, await looped]).toEqual([true, [[], [], []], "over"]);
  const fresh = agentOn(llm);
  const closing = fresh.close();
  await expect(fresh.run("hi")).rejects.toMatchObject({ code: "closed" });
  await closing;
});

test("A2 plugins of the configuration are loaded before the agent is there; one that can't be is a notice, not an end", async () => {
  const llm = await model([
    { call: [{ id: "c1", name: "shout", args: { text: "hi" } }] },
    { call: [{ id: "c2", name: "weather", args: { city: "Rome" } }] },
    { say: "done" },
  ]);
  const here = place();
  here.file(
    "loud.mjs",
    `export default {
      name: "loud",
      tools: [{ name: "shout", description: "Shouts.", parameters: { type: "object", properties: { text: { type: "string" } } },
        side_effects: "none", run: ({ text }) => text.toUpperCase() }],
      hooks: { before_tool_call: ({ tool_name }) => tool_name === "weather" ? { block: true, reason: "no weather today" } : null },
    };`,
  );
  const config = { ...llm.config, plugins: ["./loud.mjs", "./missing.mjs"] };
  const agent = await createAgentWithPlugins({ cwd: here.cwd, env: { SMITH_NO_PROBE: "1" }, config, tools: [weather] });
  onTestFinished(() => agent.close());
  const rows = await (await agent.runtime.start()).host.plugins.list();
  expect(rows.map(({ name, tools, errors }) => [name, tools, errors.length])).toEqual([
    ["loud", ["shout"], 0],
    [null, [], 1],
  ]);
  const { messages, notices } = await agent.run("go");
  expect(messages.flatMap((message) => (message.role === "tool" ? [message.content] : []))).toEqual([
    "HI",
    expect.stringContaining("blocked_by_plugin: no weather today"),
  ]);
  expect(notices.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^plugins: .*missing\.mjs/));
});

test("A1 A7 two agents on one database: each in its own conversation, and neither goes on in the other's while that runs", async () => {
  const here = place();
  const [a, b] = await Promise.all([model([{ stall: true }]), model([{ say: "b" }, { say: "again" }])]);
  const { database } = here;
  const [one, two] = [agentOn(a, { database }), agentOn(b, { database })];
  const running = one.run("1", { label: "The first" });
  await a.received(1);
  const other = await two.run("2");
  const { sessions } = (await two.runtime.start()).host;
  const held = (await sessions.list({ children: false, all: true })).find(({ id }) => id !== other.conversation_id);
  await expect(two.run("3", { conversation_id: held?.id ?? "" })).rejects.toMatchObject({ code: "conversation_busy" });
  await expect(two.run("3", { conversation_id: "nowhere" })).rejects.toMatchObject({ code: "unknown_conversation" });
  await one.close();
  expect([(await running).stop_reason, other.text]).toEqual(["cancelled", "b"]);
  const gone_on = await two.run("3", { conversation_id: held?.id ?? "" });
  expect([gone_on.text, conversationIn(b.requests[1])[0]]).toEqual(["again", "1"]);
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "A11 neither a close nor a start that fails leaves the database open",
  async () => {
    const { database, cwd } = place();
    const held = () =>
      readdirSync("/proc/self/fd").filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(database);
        } catch {
          return false; // the one that listed the folder
        }
      }).length;
    const options = { cwd, database, env: { SMITH_NO_PROBE: "1" } };
    await expect(createAgentWithPlugins({ ...options, config: { mode: "fast" } })).rejects.toMatchObject({
      code: "config",
    });
    await expect(createAgent({ ...options, config: { mode: "fast" } }).run("hi")).rejects.toMatchObject({
      code: "config",
    });
    expect(held()).toBe(0);
    const agent = await createAgentWithPlugins(options);
    expect(held()).toBeGreaterThan(0);
    await agent.close();
    expect(held()).toBe(0);
  },
);

test("A1 a closed agent says so, and what it was asked before it was closed is not lost", async () => {
  const agent = agentOn(await model([{ say: "one" }]));
  const { text } = await agent.run("1");
  await agent.close();
  expect(text).toBe("one");
  await expect(agent.run("2")).rejects.toMatchObject({ kind: "policy", code: "closed" });
  expect([agent.steer("x"), await agent.cancel()]).toEqual([false, null]);
});

test("A1 steer puts a line in before the next round; cancel and an AbortSignal end a run with their reason", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const llm = await model([
    { call: [{ id: "c1", name: "weather", args: { city: "Rome" } }], after: held },
    { say: "Rome, then." },
    { stall: true, say: "I beg" },
    { stall: true, say: "I beg" },
  ]);
  const agent = agentOn(llm, { tools: [weather] });
  expect([agent.steer("nobody hears this"), await agent.cancel()]).toEqual([false, null]);
  const steered = agent.run("weather?");
  await llm.received(1);
  await expect(agent.run("at the same time")).rejects.toMatchObject({ kind: "policy", code: "turn_active" });
  expect(agent.steer("in Rome")).toBe(true);
  release();
  await steered;
  expect(conversationIn(llm.requests[1]).at(-1)).toBe("in Rome");

  const cancelled = agent.run("think");
  await llm.received(3);
  expect(await agent.cancel("enough")).toMatchObject({ reason: "enough" });
  const controller = new AbortController();
  const aborted = agent.run("think", { signal: controller.signal });
  await llm.received(4);
  controller.abort("out of time");
  const ends = [await cancelled, await aborted].map(({ stop_reason, error }) => [stop_reason, error?.message]);
  expect(ends).toEqual([
    ["cancelled", "enough"],
    ["cancelled", "out of time"],
  ]);
});

test("A1 runAgent is one run; a close while it runs cancels it", async () => {
  const llm = await model([{ say: "done" }, { stall: true, say: "I" }]);
  const options = { cwd: place().cwd, env: { SMITH_NO_PROBE: "1" }, config: llm.config };
  expect((await runAgent(options, "do it", { label: "once" })).text).toBe("done");
  const agent = createAgent(options);
  const running = agent.run("think");
  await llm.received(2);
  await agent.close();
  await agent.close();
  expect((await running).stop_reason).toBe("cancelled");
});
