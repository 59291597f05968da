import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { AgentError, type ChatModel, createAgent, runAgent, UNKNOWN_USAGE } from "../src/index.ts";
import { model, place } from "./place.ts";

/** What comes of options and input as only JavaScript could pass them. */
const said = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return "taken";
  } catch (thrown) {
    return thrown instanceof AgentError
      ? `${thrown.kind}/${thrown.code}: ${thrown.message}`
      : `no AgentError: ${thrown}`;
  }
};

test.each([
  [null, "Invalid input: expected object, received null"],
  [{ databse: null }, "databse is no option (did you mean database?)"],
  [{ retries: 3 }, "retries is no option"],
  [{ database: "smith.db" }, 'database: expected an absolute path, or null, got "smith.db"'],
  [{ cwd: 3 }, "cwd: expected a path, or a function that returns one, got 3"],
  [{ config: "x" }, 'config: expected an object, got "x"'],
  [{ config: [] }, "config: expected an object, got a list"],
  [{ tools: {} }, "tools: expected a list of tools, got an object"],
  [{ tools: [null] }, "tools: 0: expected a tool, as defineTool makes it, got null"],
  [
    { tools: [{ name: "x", description: "d" }], model: "" },
    /^model: .*; tools: 0: expected a tool, as defineTool makes/,
  ],
  [{ chat_model: {} }, "chat_model: expected a ChatModel: provider, a text, and chat, a function, got an object"],
])("A1 an option that does not fit is refused at once, by name: %j", async (options, why) => {
  const [, text] =
    /^schema\/bad_options: The options of an agent can't be taken: (.*)\. See docs\/API\.md\.$/.exec(
      await said(() => createAgent(options as never)),
    ) ?? [];
  if (typeof why === "string") expect(text).toBe(why);
  else expect(text).toMatch(why);
});

test("A1 what a run can't take is refused before anything is asked, by name", async () => {
  const llm = await model([]);
  const agent = createAgent({ cwd: place().cwd, env: { SMITH_NO_PROBE: "1" }, config: llm.config });
  const run = (input: unknown, options?: unknown) => said(() => agent.run(input as never, options as never));
  const zod3 = { parse: () => ({}), _def: {} };
  expect([
    await run(undefined),
    await run(7),
    await run({ text: "hi", files: [] }),
    await run("x", { history: "hi" }),
    await run("x", { signal: 5000 }),
    await run("x", { mode: "fast", lable: "x" }),
    await run("x", { output_schema: null }),
    await run("x", { output_schema: zod3 }),
  ]).toEqual([
    "schema/bad_options: The input of a run can't be taken: expected a text, or { text, images? }, got undefined. See docs/API.md.",
    "schema/bad_options: The input of a run can't be taken: expected a text, or { text, images? }, got 7. See docs/API.md.",
    "schema/bad_options: The input of a run can't be taken: files is no option. See docs/API.md.",
    'schema/bad_options: The options of a run can\'t be taken: history: expected a list of messages, got "hi". See docs/API.md.',
    "schema/bad_options: The options of a run can't be taken: signal: expected an AbortSignal, got 5000. See docs/API.md.",
    'schema/bad_options: The options of a run can\'t be taken: mode: expected full, ask, plan, got "fast"; lable is no option (did you mean label?). See docs/API.md.',
    "schema/bad_output_schema: output_schema has to be a zod 4 schema that JSON Schema can say, or a JSON Schema: got null.",
    "schema/bad_output_schema: output_schema has to be a zod 4 schema that JSON Schema can say, or a JSON Schema: got a schema of another library, or of zod 3.",
  ]);
  await agent.close();
});

test("A1 a text alone is an input without pictures; a signal that timed out says so", async () => {
  const llm = await model([{ say: "fine" }]);
  const options = { cwd: place().cwd, env: { SMITH_NO_PROBE: "1" }, config: llm.config };
  expect((await runAgent(options, { text: "hi" })).text).toBe("fine");
  const late = await runAgent(options, "hi", { signal: AbortSignal.timeout(0) });
  const failed = await runAgent(options, "hi", { signal: AbortSignal.abort(new Error("the page was closed")) });
  const bare = await runAgent(options, "hi", { signal: AbortSignal.abort() });
  expect([late, failed, bare].map(({ stop_reason, error }) => [stop_reason, error?.message])).toEqual([
    ["cancelled", "The operation was aborted due to timeout"],
    ["cancelled", "the page was closed"],
    ["cancelled", "cancelled"],
  ]);
});

test("A1 a model of one's own is asked again when that may help; what is no answer is an error that says what is missing", async () => {
  const answers: (() => unknown)[] = [];
  const asked: string[] = [];
  let closed = 0;
  const mine: ChatModel = {
    provider: "mine",
    async chat({ model }) {
      asked.push(model);
      return answers.shift()?.() as never;
    },
    close: () => void closed++,
  };
  const fine = {
    ...{ content: "fine", reasoning: "", tool_calls: [], finish_reason: "stop", usage: UNKNOWN_USAGE, model: "m" },
    warnings: [],
  };
  const busy = () => {
    throw new AgentError({ kind: "transport", code: "rate_limit", retryable: true, message: "busy" });
  };
  const run = async (...given: (() => unknown)[]) => {
    answers.splice(0, answers.length, ...given);
    const config = { llm_config: { retry_backoff_ms: [0] } };
    const { text, provider, error } = await runAgent({ cwd: place().cwd, env: {}, chat_model: mine, config }, "hi");
    return [text, provider, error && `${error.kind}/${error.code}: ${error.message}`];
  };
  expect(await run(busy, () => fine)).toEqual(["fine", "mine", null]);
  expect(await run(() => ({ ...fine, usage: undefined, tool_calls: [{ id: "1", name: "x", arguments: {} }] }))).toEqual(
    [
      ...["", "mine"],
      expect.stringMatching(
        /^protocol\/bad_reply: What chat_model \(mine\) answered is no whole ChatReply: tool_calls: 0: arguments: .*; usage: .*/,
      ),
    ],
  );
  expect(await run(() => null)).toEqual(["", "mine", expect.stringMatching(/^protocol\/bad_reply: /)]);
  expect([asked.slice(0, 2), closed]).toEqual([["mine", "mine"], 3]);
});

test("A5 a loop that falls far behind loses the oldest events, is told how many, and gets the rest in order", async () => {
  const many = 30_000;
  const chatty: ChatModel = {
    provider: "chatty",
    async chat({ model }, { onDelta }) {
      for (let n = 0; n < many; n++) onDelta({ type: "text", text: `${n};` });
      const rest = { reasoning: "", tool_calls: [], finish_reason: "stop" as const, warnings: [] };
      return { content: "done", model, usage: UNKNOWN_USAGE, ...rest };
    },
  };
  const agent = createAgent({ cwd: place().cwd, env: {}, chat_model: chatty });
  const events = agent.events[Symbol.asyncIterator]();
  const total = { seen: 0 };
  agent.events.subscribe(() => void total.seen++);
  await agent.run("go");
  await agent.close();
  const late = [];
  for await (const event of events) late.push(event);
  const [notice, ...rest] = late;
  const dropped = notice?.type === "notice" ? Number(/^(\d+) events were dropped/.exec(notice.text)?.[1]) : 0;
  expect([rest.length >= 10_000, rest.length < 20_000, dropped + rest.length]).toEqual([true, true, total.seen]);
  const numbers = rest.flatMap((event) =>
    event.type === "llm_text_delta" ? event.text.split(";").filter(Boolean) : [],
  );
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => String(many - numbers.length + at)));
  expect(rest.at(-1)?.type).toBe("turn_persisted");
});

test("A11 a model of one's own that fails to close is told, and the database is closed all the same", async () => {
  const here = place();
  const stuck: ChatModel = {
    provider: "stuck",
    async chat({ model }) {
      const rest = { reasoning: "", tool_calls: [], finish_reason: "stop" as const, warnings: [] };
      return { content: "done", model, usage: UNKNOWN_USAGE, ...rest };
    },
    close() {
      throw new Error("still busy");
    },
  };
  const agent = createAgent({ cwd: here.cwd, env: {}, chat_model: stuck, database: here.database });
  await agent.run("go");
  await expect(agent.close()).rejects.toThrow("still busy");
  expect(readdirSync(here.home).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
});
