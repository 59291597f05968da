import { createMemoryStore } from "@smith/testkit";
import { expect, test } from "vitest";
import type { Runtime } from "../src/index.ts";
import { asked, bash, bodyOf, call, dispatch, given, RESULT, report, scene } from "./delegation-scene.ts";

test("D5 D1 the child's first request holds its role's system prompt and one message: task, context, files", async () => {
  const context = { user_request_summary: "find the parser", role_instructions: "read only" };
  const { runtime, llm } = await scene({
    direct: [
      { call: [dispatch("a", "explorer", { context, files: ["src/b.ts", "src/a.ts"] })], say: "A secret of mine." },
      { say: "Done." },
    ],
    explorer: [{ call: [report()] }],
  });
  await runtime.run("the user's own words");
  const [system, ...rest] = bodyOf(asked(llm, "explorer")[0]).messages;
  expect([system?.role, /\(role: explorer\)/.test(system?.content ?? "")]).toEqual(["system", true]);
  const content = [
    "Task a.",
    "Context:\nUser request: find the parser\nInstructions: read only",
    "Files:\n- src/a.ts\n- src/b.ts",
  ].join("\n\n");
  expect(rest).toEqual([{ role: "user", content }]);
  expect(asked(llm, "explorer")[0]?.raw).not.toMatch(/secret of mine|own words/);
});

test("D3 TL47 a raw transcript is refused to the parent, and no child is asked", async () => {
  const { runtime, llm } = await scene({
    direct: [
      { call: [dispatch("a", "explorer", { context: { messages: [{ role: "user", content: "x" }] } })] },
      { say: "Done." },
    ],
  });
  const result = await runtime.run("go");
  expect([result.dispatches, llm.requests.length]).toEqual([[], 2]);
  const refused = result.messages.find(({ role }) => role === "tool");
  expect(JSON.parse(String(refused?.content))).toEqual({
    ok: false,
    output: "",
    error: {
      ...{ kind: "policy", code: "bad_job" },
      message: "context.messages: a raw transcript is not handed to a child. Summarise in user_request_summary.",
    },
  });
});

test("D16 D17 D18 fault 198 the whole result is kept in the parent's scratchpad: listed by prefix, recalled to the byte", async () => {
  const findings = ["Größe \u{1F600}", "x".repeat(30_000)];
  const { runtime } = await scene({
    direct: [
      { call: [dispatch("a", "explorer")] },
      { call: [call("l", "recall", { key: "dispatch/", prefix: true })] },
      { say: "Done." },
    ],
    explorer: [{ call: [bash("b", "true")] }, { call: [report("r", { findings, evidence: ["src/a.ts:1"] })] }],
  });
  const result = await runtime.run("go");
  const tools = result.messages.filter((message) => message.role === "tool");
  const [message, listed] = tools;
  const [one] = given(result);
  const recall_key = `dispatch/${one?.job_id}`;
  expect([one?.recall_key, message?.recall_key, one?.findings]).toEqual([recall_key, recall_key, findings]);
  expect(listed?.content).toBe(`${recall_key} (${message?.content.length} chars)`);
  const { persistence } = (await runtime.start()).services;
  expect(await persistence.note.get(result.conversation_id, `scratchpad:${recall_key}`)).toBe(message?.content);
  expect(await recalled(runtime, result.conversation_id, recall_key)).toBe(message?.content);
});

/** The value as the model reads it, page by page. */
async function recalled(runtime: Runtime, conversation_id: string, key: string): Promise<string> {
  const { services } = await runtime.start();
  const recall = (await services.tool.registry()).get("recall");
  const context = {
    ...{
      role: "direct",
      conversation_id,
      turn_id: "t2",
      call_id: "x",
      project_id: "p",
      job_id: null,
      mode: "full" as const,
    },
    ...{ cwd: "/", project_root: null, signal: new AbortController().signal, isCancelled: () => false },
  };
  const pages: string[] = [];
  for (let offset = 0; ; ) {
    const args = recall?.schema.parse({ key, offset });
    const { content } = (await recall?.run(args, context)) ?? expect.fail("there is no recall");
    const hint = /\n\[characters \d+-\d+ of \d+; continue with offset (\d+)\]$/.exec(content);
    pages.push(hint === null ? content : content.slice(0, hint.index));
    if (hint === null) return pages.join("");
    offset = Number(hint[1]);
  }
}

test("D16 D17 fault 197 when the scratchpad can't be written the dispatch is ok all the same, without a key", async () => {
  const store = createMemoryStore();
  const put: typeof store.note.put = (conversation_id, id, text) =>
    id.startsWith("scratchpad:") ? Promise.reject(new Error("disk full")) : store.note.put(conversation_id, id, text);
  const { runtime } = await scene(
    { direct: [{ call: [dispatch("a", "explorer")] }, { say: "Done." }], explorer: [{ call: [report()] }] },
    { service_handles: { persistence: { ...store, note: { ...store.note, put } } } },
  );
  const result = await runtime.run("go");
  const message = result.messages.find(({ role }) => role === "tool");
  expect([result.text, message?.role === "tool" && message.ok, "recall_key" in (message ?? {})]).toEqual([
    "Done.",
    true,
    false,
  ]);
  expect(result.dispatches.map((each) => [RESULT.safeParse(each).success, each.status, each.recall_key])).toEqual([
    [true, "ok", null],
  ]);
});

test("D5 a child's conversation is kept with its parent's id, hidden from lists unless asked for, deleted with the parent", async () => {
  const { runtime } = await scene(
    {
      direct: [{ call: [dispatch("a", "worker")] }, { say: "Done." }],
      worker: [{ call: [dispatch("b", "explorer")] }, { call: [report()] }],
      explorer: [{ call: [bash("c", "echo hi")] }, { call: [report()] }],
    },
    { on_disk: true },
  );
  const { conversation_id, dispatches } = await runtime.run("go");
  const [worker, explorer] = dispatches.map(({ job_id }) => `job-${job_id}`);
  expect((await runtime.conversations()).map(({ id }) => id)).toEqual([conversation_id]);
  const { conversation } = (await runtime.start()).services.persistence;
  const all = await conversation.list({ project_id: null, children: true });
  const tree = all.map(({ id, parent, messages, turns, name }) => ({ id, parent, messages, turns, name }));
  expect(tree.sort((a, b) => a.name.localeCompare(b.name))).toEqual([
    { id: conversation_id, parent: null, messages: 4, turns: 1, name: "go" },
    { id: worker, parent: conversation_id, messages: 5, turns: 1, name: "Task a." },
    { id: explorer, parent: worker, messages: 5, turns: 1, name: "Task b." },
  ]);
  expect(all.filter(({ id }) => id.includes(":"))).toEqual([]);
  expect(await conversation.delete(conversation_id)).toBe(true);
  expect(await conversation.list({ project_id: null, children: true })).toEqual([]);
});

test("D4 the same call in two turns makes two jobs", async () => {
  const { runtime } = await scene({
    direct: [1, 2].flatMap((n) => [{ call: [dispatch("a", "explorer", { task: `Task ${n}.` })] }, { say: "Done." }]),
    explorer: [1, 2].map((n) => ({ call: [report("r", { summary: `Found ${n}.` })] })),
  });
  const results = [await runtime.run("one"), await runtime.run("two")].flatMap(({ dispatches }) => dispatches);
  expect(results.map(({ summary }) => summary)).toEqual(["Found 1.", "Found 2."]);
  expect(new Set(results.map(({ job_id }) => job_id)).size).toBe(2);
});

test("D4 a model that uses the same call id in two rounds of a turn gets two jobs", async () => {
  const { runtime } = await scene({
    direct: [...[1, 2].map((n) => ({ call: [dispatch("a", "explorer", { task: `Task ${n}.` })] })), { say: "Done." }],
    explorer: [1, 2].map((n) => ({ call: [report("r", { summary: `Found ${n}.` })] })),
  });
  const { dispatches } = await runtime.run("go");
  expect(dispatches.map(({ summary }) => summary)).toEqual(["Found 1.", "Found 2."]);
});

test("TL47 fault 196 a result larger than a message is cut there and whole under its key", async () => {
  const { runtime } = await scene({
    direct: [{ call: [dispatch("a", "explorer")] }, { say: "Done." }],
    explorer: [
      { call: [bash("b", "true")] },
      { call: [report("r", { findings: ["y".repeat(300_000)], evidence: ["src/a.ts:1"] })] },
    ],
  });
  const result = await runtime.run("go");
  const message = result.messages.find(({ role }) => role === "tool");
  const content = String(message?.content);
  expect(content.length).toBeLessThan(200_100);
  expect(content.slice(-50)).toMatch(/\[truncated, \d+ characters omitted\]$/);
  const { persistence } = (await runtime.start()).services;
  const kept = await persistence.note.get(result.conversation_id, `scratchpad:${result.dispatches[0]?.recall_key}`);
  expect(JSON.parse(kept ?? "")).toEqual(result.dispatches[0]);
});
