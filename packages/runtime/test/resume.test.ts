import { expect, test } from "vitest";
import type { Runtime } from "../src/index.ts";
import { conversationIn, model, place } from "./place.ts";

const slash = async (runtime: Runtime, line: string): Promise<string> => {
  const processed = await runtime.processInput(line);
  return processed.kind === "command" ? processed.answer.say : processed.result.text;
};

test("PS18 Q23 decision 22 /clear empties the session for the model, keeps it stored, and ends auto-resume until the next line", async () => {
  const here = place();
  const llm = await model([{ say: "one" }, { say: "two" }, { say: "three" }]);
  const runtime = here.runtime({ config: llm.config });
  const { host } = await runtime.start();
  expect([await slash(runtime, "/clear"), await host.session.last()]).toEqual(["There is nothing to empty yet.", null]);
  const { conversation_id: id } = await runtime.run("first");
  expect(await host.session.last()).toMatchObject({ id, name: "first" });
  expect(await slash(runtime, "/clear")).toBe("Emptied; what was said stays stored.");
  expect([await host.session.last(), host.session.conversation()]).toEqual([null, id]);
  expect(await runtime.run("second")).toMatchObject({ conversation_id: id, turn_id: "t2" });
  expect(await host.session.last()).toMatchObject({ id, turns: 2 });
  const again = here.runtime({ config: llm.config });
  await again.run("third", { conversation_id: id });
  expect(llm.requests.map((request) => conversationIn(request))).toEqual([
    ["first"],
    ["second"],
    ["second", "two", "third"],
  ]);
  const { say } = await (await again.start()).host.sessions
    .messages(id)
    .then(({ messages }) => ({ say: messages.length }));
  expect([say, (await host.session.context(id)).messages.length]).toEqual([6, 4]);
});

test.each([0, 1])(
  "PS18 decision 22 /clear while a turn runs empties that turn, too, after %i turns",
  async (before) => {
    const here = place();
    const llm = await model([...Array(before).fill({ say: "so" }), { say: "one" }, { say: "two" }]);
    const runtime = here.runtime({ config: llm.config });
    const { host } = await runtime.start();
    for (let turn = 0; turn < before; turn++) await runtime.run("before");
    let emptied = Promise.resolve("");
    const stop = runtime.subscribe(({ type }) => {
      if (type === "llm_text_delta") emptied = slash(runtime, "/clear");
    });
    await runtime.run("first");
    stop();
    expect([await emptied, await host.session.last()]).toEqual(["Emptied; what was said stays stored.", null]);
    await runtime.run("second");
    expect(conversationIn(llm.requests.at(-1) as (typeof llm.requests)[number])).toEqual(["second"]);
  },
);

test("S6 decision 28 /resume takes an id, its beginning or latest; /new leaves; /load and /list are the same commands", async () => {
  const here = place();
  const llm = await model([{ say: "a1" }, { say: "b1" }, { say: "a2" }, { say: "c1" }]);
  const ids = ["s0", "aaa1", "bbb2", "ccc3"].values();
  const runtime = here.runtime({ config: llm.config, newId: () => ids.next().value ?? "more" });
  await runtime.run("of a");
  await slash(runtime, "/new");
  expect(runtime.nextTurnId()).toBe(1);
  await runtime.run("of b");
  expect(await slash(runtime, "/resume aa")).toBe("resumed aaa1: of a (1 turns, 2 messages)");
  expect(runtime.nextTurnId()).toBe(2);
  expect(await runtime.run("more of a")).toMatchObject({ conversation_id: "aaa1", turn_id: "t2" });
  expect((await slash(runtime, "/list")).split("\n").map((line) => line.slice(0, 4))).toEqual(["aaa1", "bbb2"]);
  expect(await slash(runtime, "/load")).toBe(await slash(runtime, "/sessions"));
  await expect(slash(runtime, "/resume zz")).rejects.toMatchObject({ code: "unknown_conversation" });
  expect(await slash(runtime, "/save the first one")).toBe("renamed aaa1: the first one");
  expect(await slash(runtime, "/sessions delete aaa1")).toBe("deleted aaa1: the first one");
  expect(await runtime.run("of c")).toMatchObject({ conversation_id: "ccc3", turn_id: "t1" });
  expect(llm.requests.map((request) => conversationIn(request))).toEqual([
    ["of a"],
    ["of b"],
    ["of a", "a1", "more of a"],
    ["of c"],
  ]);
});

test("fault 11 two processes that take turns in one conversation each see what the other added", async () => {
  const here = place();
  const llm = await model([{ say: "one" }, { say: "two" }, { say: "three" }]);
  const [left, right] = [here.runtime({ config: llm.config }), here.runtime({ config: llm.config })];
  const { conversation_id } = await left.run("first");
  await right.run("second", { conversation_id });
  expect(await left.run("third")).toMatchObject({ conversation_id, turn_id: "t3" });
  expect(conversationIn(llm.requests[2])).toEqual(["first", "one", "second", "two", "third"]);
});

test("a copy of a session goes on with its finished turns, and leaves the original as it is", async () => {
  const here = place();
  const llm = await model([{ say: "one" }, { say: "two" }, { say: "other" }]);
  const runtime = here.runtime({ config: llm.config });
  const { conversation_id } = await runtime.run("first");
  await runtime.run("second");
  const { host } = await runtime.start();
  const copy = await host.sessions.fork(conversation_id, "t1");
  expect(copy).toMatchObject({ name: "first (fork)", turns: 1, messages: 2, parent: null });
  await runtime.run("elsewhere", { conversation_id: copy.id });
  expect(conversationIn(llm.requests[2])).toEqual(["first", "one", "elsewhere"]);
  const turns = (await host.sessions.list({ children: false, all: false })).map(({ id, turns }) => [id, turns]);
  expect(turns).toEqual([
    [copy.id, 2],
    [conversation_id, 2],
  ]);
});
