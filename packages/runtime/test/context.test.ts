import type { ContextView } from "@smith/contract/session";
import type { Step } from "@smith/testkit";
import { expect, test } from "vitest";
import type { Layer, Runtime } from "../src/index.ts";
import { LEAVES } from "./leaf-table.ts";
import { bodyOf, conversationIn, model, place } from "./place.ts";

const read = (n: number) => ({ call: [{ id: `c${n}`, name: "read", args: { path: `f${n}.txt` } }] });
const reads = (n: number, from = 0): readonly Step[] => Array.from({ length: n }, (_, at) => read(from + at));

/** A place with files of about 1,000 characters, none of which is elided, and a window they soon fill. */
async function scene(script: Parameters<typeof model>[0], settings: Layer = {}) {
  const here = place();
  for (let n = 0; n < 60; n++) here.file(`f${n}.txt`, `${n} ${"abcdefg ".repeat(110)}\n`);
  const llm = await model(script);
  const config = { ...llm.config, ...settings };
  return { here, llm, config, runtime: here.runtime({ config }) };
}

/** The model behind a window of 10,000 tokens. */
const small = (url: string): Layer => ({
  default_model: "scripted",
  providers: [{ name: "small", kind: "openai_chat", api_url: url, context_window: 10_000 }],
});

const slash = async (runtime: Runtime, line: string): Promise<{ say: string; data: unknown; ok: boolean }> => {
  const done = await runtime.processInput(line);
  if (done.kind !== "command") throw new Error("no command");
  return { say: done.answer.say, data: done.answer.data, ok: done.answer.ok !== false };
};

const SPENT = { prompt_tokens: 1_000_000, completion_tokens: 7, total_tokens: 1_000_007 };

test("W12 W14 W17 W19 a turn that outgrows its window has its beginning summarised; the usage counts, nothing stored changes", async () => {
  const { here, llm } = await scene({
    direct: [...reads(30), { say: "Done." }],
    "*": [{ say: "THE SUMMARY", usage: SPENT }],
  });
  const runtime = here.runtime({ config: small(llm.url) });
  const result = await runtime.run("read them all");
  expect([result.text, result.rounds]).toEqual(["Done.", 31]);
  const summaries = llm.requests.filter((request) => bodyOf(request).tools === undefined);
  expect(summaries).toHaveLength(1);
  const spent = runtime
    .events()
    .map((event) => (event.type === "llm_request_completed" ? event.usage.input_tokens : 0));
  expect(result.usage.input_tokens).toBe(spent.reduce((sum: number, n) => sum + (n ?? 0), SPENT.prompt_tokens));
  const last = conversationIn(llm.requests.at(-1));
  expect([last[0], last[1]]).toEqual([
    "read them all",
    expect.stringMatching(
      /^\[Summary of \d+ earlier messages.*\]\nTHE SUMMARY\n\[End of the summary\. They come back round by round: recall\(key="round\/t1\/1"\) … recall\(key="round\/t1\/\d+"\)\.\]$/,
    ),
  ]);
  const { services } = await runtime.start();
  const stored = await services.persistence.conversation.messages(result.conversation_id);
  expect(stored.messages).toHaveLength(1 + 30 * 2 + 1);
  expect(
    runtime
      .events()
      .map(({ type }) => type)
      .filter((type) => type.startsWith("compact")),
  ).toEqual(["compact_started", "compact_completed"]);
});

test("W12 a resumed conversation sends the summary and the bytes that going on would have sent", async () => {
  const { here, llm } = await scene({
    direct: [...reads(30), { say: "Done." }, { say: "more" }],
    "*": [{ say: "THE SUMMARY" }],
  });
  const options = { config: small(llm.url) };
  const { conversation_id } = await here.runtime(options).run("read them all");
  const before = bodyOf(llm.requests.at(-1)).messages;
  await here.runtime(options).run("and then?", { conversation_id });
  const after = bodyOf(llm.requests.at(-1)).messages;
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length).map(({ content }) => content)).toEqual(["Done.", "and then?"]);
});

test("W15 a summary that the model refuses costs a notice, not the turn", async () => {
  const { here, llm } = await scene({ direct: [...reads(30), { say: "Done." }], "*": [{ status: 400 }] });
  const result = await here.runtime({ config: small(llm.url) }).run("read them all");
  expect([result.stop_reason, result.text]).toEqual(["completed", "Done."]);
  expect(result.notices.map(({ text }) => text).filter((text) => text.includes("summarised"))).toHaveLength(1);
});

test("decision 22 /compact [focus] summarises now, /context shows what is out, and each key gives it back to the byte", async () => {
  const { runtime, llm } = await scene({
    direct: [...reads(12), { say: "Done." }, { say: "Next." }],
    "*": [{ say: "IN SHORT" }],
  });
  const { conversation_id } = await runtime.run("read them");
  const { data: whole } = (await slash(runtime, "/context --json")) as { data: ContextView };
  expect([whole.out, whole.messages.length]).toEqual([[], 26]);
  const said = await slash(runtime, "/compact the seventh file");
  expect(said.say).toMatch(/^compacted from about [\d,]+ to [\d,]+ tokens, with a summary of 8 characters\./);
  expect(conversationIn(llm.requests.at(-1))[0]).toContain("# Dwell on\nthe seventh file");
  const { data: view } = (await slash(runtime, "/context --json")) as { data: ContextView };
  expect(view.out.every(({ standing }) => standing === "summarised")).toBe(true);
  expect(view.out.length + view.messages.length - 1).toBe(26);
  expect(view.tokens.total).toBeLessThan(whole.tokens.total);
  await runtime.run("go on");
  expect(conversationIn(llm.requests.at(-1)).slice(0, 2)).toEqual(["read them", expect.stringContaining("IN SHORT")]);
  const { services } = await runtime.start();
  const { messages } = await services.persistence.conversation.messages(conversation_id);
  const [first] = view.out;
  expect(first?.key).toBe('recall(key="round/t1/1")');
  const round = await recalled(runtime, conversation_id, "round/t1/1");
  expect(round).toBe(`[assistant]\n[call read {"path":"f0.txt"}]\n[result of read c0]\n${messages[2]?.content}`);
});

test("W4 a placeholder's key gives back its own output, also after /clear and in the next process", async () => {
  const elide: Layer = {
    context_management: { elide_step: 0, tool_output_keep_rounds: 1, tool_output_elide_over_chars: 100 },
  };
  const { here, runtime, llm, config } = await scene(
    { direct: [read(0), { say: "a" }, ...reads(3, 1), { say: "b" }, { say: "c" }] },
    elide,
  );
  await runtime.run("before");
  await slash(runtime, "/clear");
  const { conversation_id } = await runtime.run("after");
  const outputs = [1, 2].map((n) => expect.stringContaining(`│${n} abcdefg`));
  const keysIn = (at: number) =>
    conversationIn(llm.requests.at(at)).flatMap(
      (text) => /^\[elided .*recall\(key="(.*)"\)\]$/.exec(text)?.slice(1) ?? [],
    );
  const check = async (of: Runtime) => {
    const keys = keysIn(-1);
    expect(await Promise.all(keys.map((key) => recalled(of, conversation_id, key)))).toEqual(outputs);
  };
  await check(runtime);
  const next = here.runtime({ config });
  await next.run("go on", { conversation_id });
  await check(next);
});

test.skipIf(process.platform !== "linux")(
  "a summary names what still runs in the background, and the keys of what was recorded",
  async () => {
    const { runtime, llm } = await scene({
      direct: [
        { call: [{ id: "b", name: "bash", args: { command: "sleep 30", background: true } }] },
        { call: [{ id: "r", name: "record", args: { key: "plan", value: "first this" } }] },
        ...reads(12),
        { say: "Done." },
        { say: "Next." },
      ],
      "*": [{ say: "IN SHORT" }],
    });
    await runtime.run("read them");
    await slash(runtime, "/compact");
    await runtime.run("go on");
    expect(conversationIn(llm.requests.at(-1))[1]).toContain(
      "\nIN SHORT\nRecorded, and still there: plan.\nStill running in the background: bg1 (sleep 30).\n[End of the summary.",
    );
  },
);

test("a copy that ends before what was summarised has nothing of the summary", async () => {
  const { runtime, llm } = await scene({
    direct: [{ say: "Hello." }, ...reads(12), { say: "Done." }, { say: "Next." }],
    "*": [{ say: "OF THE FILES" }],
  });
  const { conversation_id } = await runtime.run("hello");
  await runtime.run("read them");
  await slash(runtime, "/compact");
  const copy = await (await runtime.start()).host.sessions.fork(conversation_id, "t1");
  await runtime.run("go on", { conversation_id: copy.id });
  expect(conversationIn(llm.requests.at(-1))).toEqual(["hello", "Hello.", "go on"]);
});

test("/compact says why it can't: nothing yet, too little, a turn at work", async () => {
  const { runtime } = await scene({ direct: [{ say: "one" }, { stall: true, say: "two" }] });
  const refused = (line: string) =>
    runtime.processInput(line).then(
      () => "",
      (thrown: Error) => thrown.message,
    );
  expect(await refused("/compact")).toBe("There is nothing to summarise yet: a session begins with its first line.");
  expect((await slash(runtime, "/context")).ok).toBe(false);
  await runtime.run("hello");
  expect(await refused("/compact")).toMatch(/^There is nothing to summarise: the newest 8 messages stay as they are/);
  expect((await slash(runtime, "/context")).say).toMatch(
    /^about [\d,]+ of 128,000 tokens \(\d+ %\) of scripted; above 102,400 history is left out\n {2}system prompt/,
  );
  let during = Promise.resolve("");
  runtime.subscribe(({ type }) => {
    if (type === "llm_text_delta") during = refused("/compact").finally(() => void runtime.cancel("enough"));
  });
  await runtime.run("go on");
  expect(await during).toBe("A turn is running already. Wait for it, or cancel it first.");
});

test("K2 a cancel ends /compact, and nothing has changed", async () => {
  const { runtime, llm } = await scene({ direct: [...reads(12), { say: "Done." }], "*": [{ stall: true }] });
  await runtime.run("read them");
  const ended = expect(runtime.processInput("/compact")).rejects.toThrow("ctrl-c");
  await llm.received(14);
  expect([runtime.busy(), await runtime.cancel("ctrl-c")]).toEqual([true, null]);
  await ended;
  expect(runtime.busy()).toBe(false);
  const { data } = (await slash(runtime, "/context --json")) as { data: ContextView };
  expect(data.out).toEqual([]);
});

/** The value as the model reads it. */
async function recalled(runtime: Runtime, conversation_id: string, key: string): Promise<string> {
  const { services, host } = await runtime.start();
  const recall = (await services.tool.registry()).get("recall");
  const place = { conversation_id, turn_id: "t9", call_id: "x", project_id: host.session.project(), job_id: null };
  const context = {
    ...{ ...place, role: "direct", mode: "full" as const, cwd: "/", project_root: null },
    ...{ signal: new AbortController().signal, isCancelled: () => false },
  };
  const outcome = await recall?.run(recall.schema.parse({ key }), context);
  return outcome?.content ?? expect.fail("there is no recall");
}

test("W10 each leaf of context_management is set while the session runs, and the next request goes by it", async () => {
  const { runtime, llm } = await scene({ direct: [...reads(3), { say: "a" }, { say: "b" }, { say: "c" }] });
  const rows = LEAVES.filter(({ path }) => path.startsWith("context_management."));
  expect(rows).toHaveLength(9);
  await runtime.run("read");
  await runtime.run("all is there");
  for (const { path, good } of rows) {
    const done = await slash(runtime, `/config set ${path} ${JSON.stringify(good[0])}`);
    expect([path, done.ok, (await runtime.start()).services.config.get(path)]).toEqual([path, true, good[0]]);
    expect((await slash(runtime, `/config unset ${path}`)).ok).toBe(true);
  }
  for (const setting of ["tool_output_keep_rounds 1", "tool_output_elide_over_chars 100", "elide_step 0"]) {
    await slash(runtime, `/config set context_management.${setting}`);
  }
  await runtime.run("and now?");
  const elided = (at: number) => conversationIn(llm.requests.at(at)).filter((text) => /^\[elided /.test(text)).length;
  expect([elided(-2), elided(-1)]).toEqual([0, 2]);
});
