import { type Routes, startRoutes, startScriptedLlm } from "@smith/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Place, place } from "./place.ts";

const ENTRY = {
  id: "scripted",
  context_length: 50_000,
  pricing: { prompt: "0.000001", completion: "0.000002", input_cache_read: "0.0000001" },
};
const USAGE = {
  prompt_tokens: 1000,
  completion_tokens: 100,
  total_tokens: 1100,
  prompt_tokens_details: { cached_tokens: 400 },
};
/** 600 × $1 + 400 × $0.1 + 100 × $2, a million each. */
const COST = 0.00084;

async function priced(steps: number, models: readonly Readonly<Record<string, unknown>>[] = [ENTRY]) {
  const llm = await startScriptedLlm(Array(steps).fill({ say: "hi", usage: USAGE }), { models });
  onTestFinished(() => llm[Symbol.asyncDispose]());
  return { llm, config: { llm_config: { api_url: llm.url }, default_model: "scripted" } };
}

async function routes(answers: Routes) {
  const server = await startRoutes(answers);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const say = async (here: ReturnType<Place["runtime"]>, line: string) => {
  const done = await here.processInput(line);
  return done.kind === "command" ? done.answer.say : done.result.text;
};

test("L15 L17 the list is asked for after the first answer, once a day; its window and price hold from then on", async () => {
  const { llm, config } = await priced(4);
  const here = place();
  let now = 1_800_000_000_000;
  const runtime = here.runtime({ config, now: () => now });
  const first = await runtime.run("hi");
  expect([first.usage.cost_usd, (await runtime.model()).context_window, llm.catalog_requests.length]).toEqual([
    null,
    128_000,
    0,
  ]);
  await vi.waitFor(async () => expect((await runtime.model()).context_window).toBe(50_000), { timeout: 5000 });
  expect((await runtime.run("again")).usage).toEqual({
    ...{
      input_tokens: 1000,
      output_tokens: 100,
      cached_tokens: 400,
      reasoning_tokens: null,
      cost_usd: COST,
      children: {},
    },
  });
  await runtime.close();

  const next = here.runtime({ config, now: () => now });
  expect((await next.run("hi")).usage.cost_usd).toBe(COST); // kept in the database
  now += 25 * 60 * 60 * 1000;
  await next.run("a day later");
  await vi.waitFor(() => expect(llm.catalog_requests.length).toBe(2), { timeout: 5000 });
});

test("L15 fault 141 a list that fails or is junk costs nothing but itself, and is not asked for again that day", async () => {
  for (const junk of [500, "<html>", { data: "none" }, 404]) {
    const server = await routes({
      "/v1/models": junk,
      "/v1/chat/completions": () => ({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }),
    });
    const here = place();
    const config = { llm_config: { api_url: `${server.origin}/v1`, stream: false }, default_model: "m" };
    const runtime = here.runtime({ config });
    expect((await runtime.run("hi")).text).toBe("hi");
    const { host } = await runtime.start();
    const listed = await host.models.list(false);
    expect([listed.models, listed.ok, (await runtime.model()).context_window]).toEqual([[], false, 128_000]);
    expect((await host.models.list(false)).ok).toBe(true); // asked today already: not asked again
    expect(server.asked).toEqual(["POST /v1/chat/completions", "GET /v1/models"]);
    await runtime.close();
  }
});

test("L15 the user's own window wins over the endpoint's, that over the table's, and 128,000 is the last word", async () => {
  const { config, llm } = await priced(0, [ENTRY, { id: "gpt-4" }, { id: "unheard" }]);
  const far = { name: "far", kind: "openai_chat", api_url: llm.url } as const;
  const windowOf = async (model: string, entry: object) => {
    const runtime = place().runtime({ config: { providers: [{ ...far, model, ...entry }] } });
    await (await runtime.start()).host.models.list(true);
    return (await runtime.model()).context_window;
  };
  expect([
    await windowOf("scripted", { context_window: 9000 }),
    await windowOf("scripted", {}),
    await windowOf("gpt-4", {}),
    await windowOf("unheard", {}),
  ]).toEqual([9000, 50_000, 8192, 128_000]);
  expect(config.default_model).toBe("scripted");
});

test("L17 a price of the user's own wins over the list's and over what the provider says it took; the provider's name makes it nearer", async () => {
  const own = { input_per_mtok: 10, output_per_mtok: 20, cache_read_per_mtok: 5 };
  const costOf = async (prices: object, usage = {}) => {
    const told = await startScriptedLlm([{ say: "hi", usage: { ...USAGE, ...usage } }], { models: [ENTRY] });
    onTestFinished(() => told[Symbol.asyncDispose]());
    const config = { llm_config: { api_url: told.url }, default_model: "scripted", prices };
    const runtime = place().runtime({ config });
    const { models } = await (await runtime.start()).host.models.list(true);
    const { usage: used } = await runtime.run("hi");
    return [models.map(({ input_per_mtok, output_per_mtok }) => [input_per_mtok, output_per_mtok]), used.cost_usd];
  };
  // 600 × $10 + 400 × $5 + 100 × $20, a million each
  expect([
    await costOf({}),
    await costOf({ scripted: own }),
    await costOf({ scripted: { ...own, input_per_mtok: 1 }, "default:scripted": own }),
    await costOf({ "other:scripted": own, unheard: own }),
    await costOf({ scripted: own }, { cost: 0.5 }),
    await costOf({}, { cost: 0.5 }),
  ]).toEqual([
    [[[1, 2]], COST],
    [[[10, 20]], 0.01],
    [[[10, 20]], 0.01],
    [[[1, 2]], COST],
    [[[10, 20]], 0.01],
    [[[1, 2]], 0.5],
  ]);
});

test("L26 Ollama is told the window that is counted on: what is configured, what it said of the model, else 128,000", async () => {
  const asked: unknown[] = [];
  const server = await routes({
    "/api/chat": ({ options }: { options: { num_ctx: number } }) => {
      asked.push(options.num_ctx);
      return { message: { role: "assistant", content: "hi" }, done: true, done_reason: "stop" };
    },
    "/api/tags": { models: [{ name: "qwen3:8b" }] },
    "/api/ps": { models: [] },
    "/api/show": () => ({
      model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
      capabilities: ["completion"],
    }),
  });
  const provider = { name: "ollama", kind: "ollama", api_url: server.origin, model: "qwen3:8b" } as const;
  const here = place();
  const runtime = here.runtime({ config: { providers: [provider] } });
  await runtime.run("hi");
  await (await runtime.start()).host.models.list(true);
  await runtime.run("hi");
  await here.runtime({ config: { providers: [{ ...provider, context_window: 8192 }] } }).run("hi");
  expect(asked).toEqual([128_000, 40_960, 8192]);
  expect(server.asked.slice(0, 2)).toEqual(["POST /api/chat", "GET /api/tags"]);
});

test("L17 U21 /cost, /usage and /models tell what was used, what it cost and what there is", async () => {
  const { config, llm } = await priced(3);
  const here = place();
  const now = new Date(2026, 0, 31, 12).getTime();
  const runtime = here.runtime({ config, now: () => now });
  expect(await say(runtime, "/cost")).toBe("0 requests · input ? · output ? · unpriced");
  await runtime.run("before the list is known");
  expect(await say(runtime, "/models")).toBe(
    `default:scripted     50k  $1 in, $2 out per million tokens\ndefault at ${llm.url}: listed 1 just now`,
  );
  await runtime.run("one");
  expect(await say(runtime, "/cost")).toBe(
    "2 requests · input 2,000 · output 200 · cached 800 · unpriced\nscripted: $1 in, $2 out, $0.1 cached per million tokens",
  );
  const figures = "2 turns · input 2,000 · output 200 · cached 800 · $0.0008 + 1 unpriced";
  expect(await say(runtime, "/usage --days 2")).toBe(
    [
      "by day (this project, last 2 days)",
      `  2026-01-31  ${figures}`,
      "by role (this project, last 2 days)",
      `  direct  ${figures}`,
      "by model (this project, last 2 days)",
      `  default:scripted  ${figures}`,
    ].join("\n"),
  );
  expect(await say(runtime, "/usage --by week")).toBe(
    "/usage --by week: that does not fit. usage: usage [--by day|role|model|conversation] [--days N] [--all]  (/help usage tells more)",
  );

  const later = here.runtime({ config, now: () => now + 3 * 24 * 60 * 60 * 1000 });
  const { conversation_id } = await later.run("three days later");
  expect(await say(later, "/cost")).toContain("1 request · input 1,000 · output 100 · cached 400 · $0.0008\n");
  expect(await say(later, "/usage --by conversation --days 2")).toBe(
    `by conversation (this project, last 2 days)\n  ${conversation_id}  1 turn · input 1,000 · output 100 · cached 400 · $0.0008`,
  );
});
