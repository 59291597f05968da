import type { Step } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { asked, chain, far, modelOf, moves, outcome, SHORT } from "./providers-scene.ts";
import { model, place } from "./scene.ts";

const JSONL = ["--output", "jsonl"];
const SHORT_WAITS = ["--set", `llm_config.retry_backoff_ms=${JSON.stringify(SHORT.retry_backoff_ms)}`];
const refused = (status: number, error: object): Step => ({ status, body: { error } });
const BUSY: Step = { status: 503 };
const EMPTY: Step = { empty: true };

describe("which provider is asked for which model", () => {
  test("L35 L2 E9 llm_config comes first and the providers in their order, each is asked for its own model, and the result names who answered", async () => {
    const first = await model([{ status: 401 }]);
    const [b, c] = [await far("b", [{ status: 403 }]), await far("c", [{ say: "hi" }])];
    const config = chain([b, c], { llm_config: { api_url: first.url }, default_model: "mine" });
    const end = await place({ config }).run(["-p", "hi", ...JSONL]);
    expect(asked(first, b.llm, c.llm)).toEqual([["mine"], ["model-b"], ["model-c"]]);
    expect(moves(end)).toEqual(["default -> b after auth", "b -> c after auth"]);
    expect(outcome(end)).toEqual({
      ...{ code: 0, stop_reason: "completed", text: "hi" },
      ...{ model: "model-c", provider: "c", error: null },
    });
    const about = end.events().flatMap((event) => (event.type.startsWith("llm_request_") ? [event] : []));
    expect(about.map((event) => ("provider" in event ? [event.type, event.model, event.provider] : []))).toEqual([
      ["llm_request_started", "mine", "default"],
      ["llm_request_completed", "model-c", "c"],
    ]);
    expect(end.stderr.split("\n")).toEqual([
      `smith: mine at ${first.url} (default_model)`,
      "smith: default failed (auth); going on with b",
      "smith: b failed (auth); going on with c",
      "",
    ]);
  });

  test("L44 provider:model names a provider that is configured; another id keeps its colons", async () => {
    const a = await far("a", [{ status: 401 }, { say: "2" }]);
    const b = await far("b", [{ say: "1" }, { status: 400 }, { say: "3" }]);
    const here = place({ config: chain([a, b]) });
    const run = async (id: string) => outcome(await here.run(["-p", "hi", "--model", id, ...JSONL]));
    expect([await run("qwen:7b"), await run("b:other:1"), await run("b:x")]).toMatchObject([
      { text: "1", model: "model-b", provider: "b" },
      { text: "2", model: "model-a", provider: "a" },
      { text: "3", model: "x", provider: "b" },
    ]);
    expect(asked(a.llm, b.llm)).toEqual([
      ["qwen:7b", "model-a"],
      ["model-b", "other:1", "x"],
    ]);
  });

  test("L44 models.<role> may name provider:model, for children too", async () => {
    const call = { id: "d", name: "dispatch", args: { target_role: "explorer", task: "look" } };
    const report = { id: "r", name: "report", args: { status: "ok", summary: "Seen." } };
    const a = await far("a", [{ call: [call] }, { say: "done" }]);
    const b = await far("b", [{ call: [report] }]);
    const config = chain([a, b], { models: { default: "a:large", explorer: "b:small" } });
    const end = await place({ config }).run(["-p", "hi", ...JSONL]);
    expect(asked(a.llm, b.llm)).toEqual([["large", "large"], ["small"]]);
    expect([outcome(end), end.json().dispatches.map(({ status }) => status)]).toMatchObject([
      { code: 0, text: "done", model: "large", provider: "a" },
      ["ok"],
    ]);
  });

  test("L44 a default model of another provider's is not what llm_config is asked for", async () => {
    const [first, b] = [await model([{ say: "hi" }]), await far("b", [{ status: 401 }])];
    const config = chain([b], { llm_config: { api_url: first.url }, default_model: "b:special" });
    const end = await place({ config }).run(["-p", "hi", ...JSONL]);
    expect([asked(b.llm, first), outcome(end).provider]).toEqual([[["special"], ["special"]], "default"]);
  });

  test("L40 providers without the key they need are left out with a notice; with none left it is exit 2 and no request", async () => {
    const b = await far("b", [{ say: "1" }, { say: "2" }]);
    const keyless = { name: "a", kind: "openai_chat", api_url: "https://api.example.org/v1", model: "x" };
    const here = place({ config: chain([{ entry: { ...keyless, api_key_env: "A_KEY" } }, b]) });
    const end = await here.run(["-p", "hi", ...JSONL]);
    const left = "The provider a is left out: api.example.org needs a key, and A_KEY is not set.";
    expect([outcome(end), end.json().notices]).toMatchObject([
      { code: 0, model: "model-b", provider: "b" },
      [{ level: "warn", text: left }],
    ]);
    expect(end.stderr.split("\n").slice(0, 2)).toEqual([
      `smith: model-b at ${b.llm.url} (the model of b)`,
      `smith: ${left}`,
    ]);
    const piped = await here.run([], { stdin: "one\n" });
    expect(piped.stderr.split(left).length - 1).toBe(1);
    const alone = await place({ config: chain([{ entry: keyless }]) }).run(["-p", "hi"]);
    expect([alone.code, alone.stdout, alone.stderr]).toEqual([
      2,
      "",
      "smith: api.example.org needs a key, and LLM_API_KEY is not set. Export it, or name another variable in the api_key_env of the provider a.\n",
    ]);
  });
});

const OVERFLOW = { message: "This model's maximum context length is 8192 tokens", code: "context_length_exceeded" };
const tomorrow = "86400";

describe("retries and failover by status", () => {
  test.each<[string, Step[], string[]]>([
    ["408, 409, then an answer", [{ status: 408 }, { status: 409 }], ["2 in 10 network", "3 in 20 network"]],
    ["425, 529, then an answer", [{ status: 425 }, { status: 529 }], ["2 in 10 network", "3 in 20 rate_limit"]],
    ["503, then an answer", [BUSY], ["2 in 10 rate_limit"]],
    ["429 with seconds", [{ status: 429, headers: { "retry-after": "1" } }], ["2 in 1000 rate_limit"]],
    ["429 with milliseconds", [{ status: 429, headers: { "retry-after-ms": "35" } }], ["2 in 35 rate_limit"]],
    [
      "429 with a date that has passed",
      [{ status: 429, headers: { "retry-after": new Date(0).toUTCString() } }],
      ["2 in 10 rate_limit"],
    ],
    ["429 with garbage", [{ status: 429, headers: { "retry-after": "soon" } }], ["2 in 10 rate_limit"]],
    ["a stream that breaks before its first word", [{ cut: "reset" }], ["2 in 10 stream_cut"]],
  ])("T9 L30 L33 faults 56 59 60 61 63 68 %s: the same provider is asked again", async (_what, failures, told) => {
    const a = await far("a", [...failures, { say: "hi" }]);
    const b = await far("b", []);
    const end = await place({ config: chain([a, b]) }).run(["-p", "hi", ...JSONL, ...SHORT_WAITS]);
    expect(outcome(end)).toMatchObject({ code: 0, text: "hi", provider: "a" });
    expect(a.llm.requests.length).toBe(failures.length + 1);
    expect(moves(end)).toEqual(told.map((each) => `attempt ${each.replace(/(\d+) in (\d+) /, "$1 in $2 after ")}`));
  });

  test("L33 a date of Retry-After that is to come is waited for", async () => {
    const at = new Date(Date.now() + 3000).toUTCString(); // whole seconds; to come still when a busy machine asks
    const a = await far("a", [{ status: 429, headers: { "retry-after": at } }, { say: "hi" }]);
    const end = await place({ config: chain([a]) }).run(["-p", "hi", ...JSONL]);
    const [first, second] = a.llm.requests;
    const waits = end.events().flatMap((event) => (event.type === "llm_retry_scheduled" ? [event.delay_ms] : []));
    expect([end.code, waits.length, (waits[0] ?? 0) > 10, (waits[0] ?? 9999) <= 3000]).toEqual([0, 1, true, true]);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual((waits[0] ?? 0) - 5);
  });

  test.each<[string, Step, string]>([
    ["401", { status: 401 }, "auth"],
    ["402", { status: 402 }, "bad_request"],
    ["404", { status: 404 }, "bad_request"],
    ["a refused request", refused(400, { message: "no such field" }), "bad_request"],
    ["413", { status: 413 }, "bad_request"],
    ["an overflow", refused(400, OVERFLOW), "context_overflow"],
    ["an empty account", refused(429, { message: "quota", code: "insufficient_quota" }), "rate_limit"],
    ["Retry-After beyond 30 s", { status: 429, headers: { "retry-after": tomorrow } }, "rate_limit"],
    [
      "a page in place of an answer",
      { raw: "<html>log in</html>", headers: { "content-type": "text/html" } },
      "bad_request",
    ],
  ])("L35 %s: the next provider is asked at once", async (_what, step, code) => {
    const [a, b] = [await far("a", [step]), await far("b", [{ say: "hi" }])];
    const end = await place({ config: chain([a, b]) }).run(["-p", "hi", ...JSONL]);
    expect([outcome(end).provider, asked(a.llm, b.llm), moves(end)]).toEqual([
      "b",
      [["model-a"], ["model-b"]],
      [`a -> b after ${code}`],
    ]);
  });

  test("L36 T9 a provider that stays busy is asked three times, then the next", async () => {
    const [a, b] = [await far("a", [BUSY, BUSY, BUSY]), await far("b", [{ say: "hi" }])];
    const end = await place({ config: chain([a, b]) }).run(["-p", "hi", ...JSONL]);
    expect(moves(end)).toEqual([
      "attempt 2 in 10 after rate_limit",
      "attempt 3 in 20 after rate_limit",
      "a -> b after rate_limit",
    ]);
    expect(asked(a.llm, b.llm)).toEqual([Array(3).fill("model-a"), ["model-b"]]);
  });

  test("T12 T13 fault 66 one provider is asked nine times at most: three attempts in each of three tries for a text", async () => {
    const a = await far("a", [BUSY, BUSY, EMPTY, BUSY, BUSY, EMPTY, BUSY, BUSY, EMPTY]);
    const config = chain([a], { empty_response_retry_backoff_ms: [1, 2] });
    const end = await place({ config }).run(["-p", "hi", ...JSONL]);
    expect([a.llm.requests.length, outcome(end)]).toMatchObject([
      9,
      { code: 1, stop_reason: "error", error: "empty_response" },
    ]);
    const busy = ["attempt 2 in 10 after rate_limit", "attempt 3 in 20 after rate_limit"];
    expect(moves(end)).toEqual([
      ...busy,
      "attempt 2 in 1 after empty_response",
      ...busy,
      "attempt 3 in 2 after empty_response",
      ...busy,
    ]);
  });

  test("L39 when all fail the first cause is the error, and what became of the others is told", async () => {
    const [a, b] = [await far("a", [refused(401, { message: "Bad key." })]), await far("b", [BUSY, BUSY, BUSY])];
    const config = chain([a, b]);
    const end = await place({ config }).run(["-p", "hi", "--output", "json"], { env: { LLM_API_KEY: "sk-CANARY-01" } });
    const { error, provider, model: name } = end.json();
    expect([end.code, error?.code, error?.data, provider, name]).toEqual([
      1,
      "auth",
      {
        status: 401,
        attempts: 1,
        failures: [
          { provider: "a", code: "auth", attempts: 1 },
          { provider: "b", code: "rate_limit", attempts: 3 },
        ],
      },
      "a",
      "model-a",
    ]);
    expect(error?.message).toMatch(
      /^a at .* answered 401: Bad key\. Check the key in LLM_API_KEY .* Then b failed too: /,
    );
    expect(end.stderr.trimEnd().split("\n").at(-1)).toBe(`smith: ${error?.message}`);
  });

  test("L33 fault 62 Retry-After beyond 30 s with nobody else to ask: it fails at once and names the wait", async () => {
    const a = await far("a", [{ status: 429, headers: { "retry-after": tomorrow } }]);
    const end = await place({ config: chain([a]) }).run(["-p", "hi", ...JSONL]);
    expect([outcome(end), moves(end)]).toMatchObject([{ code: 1, error: "rate_limit" }, []]);
    expect(end.json().error?.message).toContain("It wants 24 hours to pass first, more than the 30 s");
  });
});

test.each<[string, Step]>([
  ["a backoff of 8 s", BUSY],
  ["Retry-After: 20", { status: 503, headers: { "retry-after": "20" } }],
])("T10 B52 Ctrl-C during %s ends the turn at once, with one request sent", async (_what, step) => {
  const [a, b] = [await far("a", [step]), await far("b", [])];
  const run = place({ config: chain([a, b], { llm_config: {} }) }).smith([
    ...["-p", "hi", ...JSONL],
    ...["--set", "llm_config.retry_backoff_ms=[8000]"],
  ]);
  await run.printed("llm_retry_scheduled");
  const begun = performance.now();
  run.kill("SIGINT");
  const end = await run.ended;
  expect(performance.now() - begun).toBeLessThan(1000);
  expect([outcome(end), end.json().error?.message]).toMatchObject([{ code: 130, stop_reason: "cancelled" }, "ctrl-c"]);
  expect([a.llm.requests.map(modelOf), b.llm.requests.length]).toEqual([["model-a"], 0]);
});
