import { createCancel } from "@smith/contract/cancel";
import { AgentError, type AgentErrorInit } from "@smith/contract/error";
import { type ChatDelta, type ChatModel, type ChatReply, type ChatRequest, UNKNOWN_USAGE } from "@smith/contract/model";
import { anthropicMessages, type Step, startScriptedLlm } from "@smith/testkit";
import { chatModelSuite } from "@smith/testkit/suites";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createAnthropic,
  createOpenAiChat,
  createRouter,
  type RetrySettings,
  type RouterOptions,
} from "../src/index.ts";
import { ask, hello, optionsFor, rawServer, seen } from "./scene.ts";

const RETRY: RetrySettings = { max_retries: 2, backoff_ms: [2000, 8000], stream_retry_after_output: false };
const AT_ONCE: RetrySettings = { ...RETRY, backoff_ms: [0] };

chatModelSuite("router, one provider,", (api_url) =>
  createRouter({
    providers: [{ model: createOpenAiChat(optionsFor(api_url)), model_id: null }],
    retry: { ...RETRY, max_retries: 0 },
  }),
);

const fails = (init: Partial<AgentErrorInit> = {}) =>
  new AgentError({ kind: "transport", code: "rate_limit", message: "Busy.", retryable: true, ...init });
const BAD_KEY = fails({ code: "auth", message: "Bad key.", retryable: false });
const answers = (content: string): ChatReply => ({
  content,
  reasoning: "",
  tool_calls: [],
  finish_reason: "stop",
  usage: UNKNOWN_USAGE,
  model: "m",
  warnings: [],
});

/** What a played model does at one request: answers, fails, or first shows something. */
type Act = string | AgentError | readonly [shown: string, then: string | AgentError];

/** A model that plays its acts, and keeps when it was asked for what. */
function played(provider: string, acts: readonly Act[]) {
  const asked: { at: number; model: string }[] = [];
  const chat = async (request: ChatRequest, { onDelta }: { onDelta(delta: ChatDelta): void }): Promise<ChatReply> => {
    asked.push({ at: Date.now(), model: request.model });
    const act = acts[asked.length - 1];
    if (act === undefined) throw new Error(`${provider} was asked once too often`);
    const [shown, then] = Array.isArray(act)
      ? (act as readonly [string, string | AgentError])
      : [null, act as string | AgentError];
    if (shown !== null) onDelta({ type: "text", text: shown });
    if (typeof then === "string") return answers(then);
    throw then;
  };
  const model: ChatModel = { provider, chat };
  return { model, asked };
}

interface Scene {
  readonly acts: readonly (readonly Act[])[];
  readonly retry?: Partial<RetrySettings>;
}

/** A walk over providers a, b, c; `told` is what happened, in order. */
function walk({ acts, retry = {} }: Scene) {
  const models = acts.map((each, at) => played("abc"[at] ?? "?", each));
  const told: string[] = [];
  const options: RouterOptions = {
    providers: models.map(({ model }, at) => ({ model, model_id: at === 0 ? null : `model-${model.provider}` })),
    retry: { ...RETRY, ...retry },
  };
  const router = createRouter(options);
  const cancel = createCancel();
  const outcome = router
    .chat(hello, {
      signal: cancel.signal,
      onDelta: ({ text }) => void told.push(`shown ${text}`),
      onRetry: ({ provider, attempt, delay_ms, code }) =>
        void told.push(`${provider}: attempt ${attempt} in ${delay_ms} after ${code}`),
      onSwitch: ({ from, to, code }) => void told.push(`${from} -> ${to} after ${code}`),
    })
    .then(
      ({ content }) => content,
      (error: AgentError) => error,
    );
  return { router, cancel, told, outcome, asked: models.map(({ asked }) => asked) };
}

/** The same model, whose retries and switches are told. */
const telling = (model: ChatModel, told: string[]): ChatModel => ({
  provider: model.provider,
  chat: (request, options) =>
    model.chat(request, {
      ...options,
      onRetry: ({ code }) => void told.push(code),
      onSwitch: ({ code }) => void told.push(`switch ${code}`),
    }),
});

const errorOf = (outcome: string | AgentError): AgentError => {
  if (typeof outcome === "string") throw new Error(`it answered ${outcome}`);
  return outcome;
};

describe("with the clock held", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test("T9 L36 fault 65 a provider is asked three times, after 2000 and 8000 ms to the millisecond, then the next", async () => {
    const { outcome, asked, told } = walk({ acts: [[fails(), fails(), fails()], ["yes"]] });
    await vi.advanceTimersByTimeAsync(1999);
    expect(asked[0]?.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked[0]?.length).toBe(2);
    await vi.advanceTimersByTimeAsync(7999);
    expect(asked[0]?.length).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe("yes");
    expect(asked).toEqual([
      [0, 2000, 10_000].map((at) => ({ at, model: "asked-model" })),
      [{ at: 10_000, model: "model-b" }],
    ]);
    expect(told).toEqual([
      "a: attempt 2 in 2000 after rate_limit",
      "a: attempt 3 in 8000 after rate_limit",
      "a -> b after rate_limit",
    ]);
  });

  test("T9 the last backoff repeats: 2000, 8000, 8000", async () => {
    const { outcome, asked } = walk({ acts: [[fails(), fails(), fails(), "yes"]], retry: { max_retries: 3 } });
    await vi.runAllTimersAsync();
    expect(await outcome).toBe("yes");
    expect(asked[0]?.map(({ at }) => at)).toEqual([0, 2000, 10_000, 18_000]);
  });

  test.each([
    [0, 2000],
    [1500, 2000],
    [5000, 5000],
    [30_000, 30_000],
  ])("L33 a Retry-After of %i ms is a floor: the wait is %i", async (retry_after_ms, at) => {
    const { outcome, asked } = walk({ acts: [[fails({ data: { retry_after_ms } }), "yes"]] });
    await vi.runAllTimersAsync();
    expect(await outcome).toBe("yes");
    expect(asked[0]?.[1]?.at).toBe(at);
  });

  test("L33 a Retry-After beyond 30 s is not waited for: the next provider answers at once", async () => {
    const { outcome, told } = walk({ acts: [[fails({ data: { retry_after_ms: 30_001 } })], ["yes"]] });
    expect(await outcome).toBe("yes");
    expect([told, Date.now()]).toEqual([["a -> b after rate_limit"], 0]);
  });

  test.each([
    [45_000, "45 s"],
    [600_000, "10 minutes"],
    [86_400_000, "24 hours"],
  ])("L33 with no other provider a wait of %i ms fails at once and is named", async (retry_after_ms, words) => {
    const { outcome } = walk({ acts: [[fails({ data: { retry_after_ms } })]] });
    const error = errorOf(await outcome);
    expect(error.message).toBe(`Busy. It wants ${words} to pass first, more than the 30 s that are waited for.`);
    expect([seen(error), Date.now()]).toEqual([{ kind: "transport", code: "rate_limit", retryable: true }, 0]);
  });

  test("T10 L38 a cancel during the wait rejects at once with its reason, leaves no timer, and asks nobody else", async () => {
    const { outcome, cancel, asked } = walk({ acts: [[fails(), "never"], ["never"]] });
    await vi.advanceTimersByTimeAsync(500);
    cancel.request("ctrl-c");
    expect(errorOf(await outcome)).toMatchObject({ kind: "cancelled", message: "ctrl-c" });
    expect([vi.getTimerCount(), Date.now(), asked.map(({ length }) => length)]).toEqual([0, 500, [1, 0]]);
  });
});

test.each<[string, Partial<AgentErrorInit>]>([
  ["a bad key", { code: "auth", retryable: false }],
  ["no credit", { code: "rate_limit", retryable: false, data: { reason: "insufficient_quota" } }],
  ["a refused request", { kind: "protocol", code: "bad_request", retryable: false }],
  ["an overflow", { kind: "protocol", code: "context_overflow", retryable: false }],
  ["a certificate that is not trusted", { code: "network", retryable: false, data: { reason: "tls" } }],
])("L35 %s moves on to the next provider without a retry", async (_, init) => {
  const { outcome, told } = walk({ acts: [[fails(init)], ["yes"]] });
  expect([await outcome, told]).toEqual(["yes", [`a -> b after ${init.code}`]]);
});

test("L35 L39 when all fail the first cause is the error, and what became of the others is said", async () => {
  const full = fails({
    kind: "protocol",
    code: "context_overflow",
    message: "Too long.",
    retryable: false,
    data: { status: 400 },
  });
  const { outcome, told } = walk({
    acts: [[full], [BAD_KEY], [fails(), fails()]],
    retry: { max_retries: 1, backoff_ms: [0] },
  });
  const error = errorOf(await outcome);
  expect(told).toEqual(["a -> b after context_overflow", "b -> c after auth", "c: attempt 2 in 0 after rate_limit"]);
  expect(seen(error)).toEqual({ kind: "protocol", code: "context_overflow", retryable: false });
  expect(error.message).toBe("Too long. Then b failed too: Bad key. Then c failed too: Busy.");
  expect(error.cause).toBe(full);
  expect(error.data).toEqual({
    status: 400,
    attempts: 1,
    failures: [
      { provider: "a", code: "context_overflow", attempts: 1 },
      { provider: "b", code: "auth", attempts: 1 },
      { provider: "c", code: "rate_limit", attempts: 2 },
    ],
  });
});

test("L39 one provider alone fails with its own last error, and how often it was asked", async () => {
  const { outcome } = walk({
    acts: [[fails(), fails({ message: "Still busy." })]],
    retry: { max_retries: 1, backoff_ms: [0] },
  });
  const error = errorOf(await outcome);
  expect([error.message, error.data]).toEqual(["Still busy. Asked 2 times.", { attempts: 2 }]);
  const alone = walk({ acts: [[BAD_KEY]] });
  expect(await alone.outcome).toBe(BAD_KEY);
});

test("T11 L43 after something was shown there is neither a retry nor another provider", async () => {
  const { outcome, told } = walk({ acts: [[["Hel", fails({ code: "stream_cut" })]], ["never"]] });
  expect(errorOf(await outcome).code).toBe("stream_cut");
  expect(told).toEqual(["shown Hel"]);
});

test("T11 with stream_retry_after_output there is both", async () => {
  const cut = fails({ code: "stream_cut" });
  const { outcome, told } = walk({
    acts: [
      [
        ["Hel", cut],
        ["Hell", cut],
      ],
      [["Hello", "Hello"]],
    ],
    retry: { stream_retry_after_output: true, max_retries: 1, backoff_ms: [0] },
  });
  expect(await outcome).toBe("Hello");
  expect(told).toEqual([
    "shown Hel",
    "a: attempt 2 in 0 after stream_cut",
    "shown Hell",
    "a -> b after stream_cut",
    "shown Hello",
  ]);
});

test.each<[string, Partial<AgentErrorInit>]>([
  ["a conversation that can't be sent", { kind: "protocol", code: "bad_transcript", retryable: false }],
  ["a fault of our own", { kind: "internal", code: "internal", retryable: false }],
])("%s is the same everywhere: nobody else is asked", async (_, init) => {
  const { outcome, told } = walk({ acts: [[fails(init)], ["never"]] });
  expect([errorOf(await outcome).code, told]).toEqual([init.code, []]);
});

test("L38 a model that reports a cancel by itself ends the walk", async () => {
  const { outcome } = walk({ acts: [[fails({ kind: "cancelled", message: "esc", retryable: true })], ["never"]] });
  expect(errorOf(await outcome)).toMatchObject({ kind: "cancelled", message: "esc" });
});

test("a kept connection that broke is made anew at once, once, and is no attempt", async () => {
  const stale = fails({ code: "network", data: { reused_socket: true } });
  const once = walk({ acts: [[stale, "yes"]], retry: { max_retries: 0 } });
  expect([await once.outcome, once.told]).toEqual(["yes", []]);
  const twice = walk({ acts: [[stale, stale, "yes"]], retry: { max_retries: 1, backoff_ms: [0] } });
  expect([await twice.outcome, twice.told]).toEqual(["yes", ["a: attempt 2 in 0 after network"]]);
});

test("the router bears the name of the first provider, begins with it each time, and says which model the next is asked for", async () => {
  const { router, outcome, asked } = walk({ acts: [[BAD_KEY, "again"], ["yes"]] });
  expect([await outcome, router.provider]).toEqual(["yes", "a"]);
  const { content } = await router.chat(hello, { signal: new AbortController().signal, onDelta: () => {} });
  expect([content, router.provider, asked.map(({ length }) => length)]).toEqual(["again", "a", [2, 1]]);
});

test("requests side by side walk on their own", async () => {
  const a = played("a", [BAD_KEY, BAD_KEY, "from a"]);
  const b = played("b", ["one", "two"]);
  const router = createRouter({
    providers: [
      { model: a.model, model_id: null },
      { model: b.model, model_id: "model-b" },
    ],
    retry: AT_ONCE,
  });
  const chat = async () => {
    const switches: unknown[] = [];
    const onSwitch = (change: unknown) => void switches.push(change);
    const { content } = await router.chat(hello, {
      signal: new AbortController().signal,
      onDelta: () => {},
      onSwitch,
    });
    return [content, switches];
  };
  const moved = [{ from: "a", to: "b", model: "model-b", code: "auth" }];
  expect(await Promise.all([chat(), chat(), chat()])).toEqual([
    ["one", moved],
    ["two", moved],
    ["from a", []],
  ]);
});

test("a router of nobody says what to configure", async () => {
  await expect(
    createRouter({ providers: [], retry: RETRY }).chat(hello, {
      signal: new AbortController().signal,
      onDelta: () => {},
    }),
  ).rejects.toMatchObject({
    kind: "schema",
    code: "no_model",
  });
});

/** Over real HTTP: what a first server's answers come to, with a second one behind it. */
async function failOver(first: readonly Step[], second: readonly Step[], retry = AT_ONCE) {
  await using a = await startScriptedLlm(first);
  await using b = await startScriptedLlm(second, { wire: anthropicMessages });
  const { reply, error, shown } = await ask(a.url, {
    make: (options) =>
      createRouter({
        providers: [
          { model: createOpenAiChat(options), model_id: null },
          { model: createAnthropic({ ...options, provider: "second", api_url: b.url }), model_id: "claude" },
        ],
        retry,
      }),
  });
  return { said: reply?.content ?? error?.code, shown, requests: [a.requests.length, b.requests.length], error };
}

test.each<[number, number]>([
  [408, 3],
  [409, 3],
  [425, 3],
  [429, 3],
  [500, 3],
  [502, 3],
  [503, 3],
  [504, 3],
  [520, 3],
  [529, 3],
  [400, 1],
  [401, 1],
  [402, 1],
  [403, 1],
  [404, 1],
  [413, 1],
  [422, 1],
])("L30 L35 the status %i is asked for %i times, then another kind of provider answers", async (status, times) => {
  const { said, requests } = await failOver(Array(times).fill({ status }), [{ say: "yes" }]);
  expect([said, requests]).toEqual(["yes", [times, 1]]);
});

test("fault 68 503 then 200 is an answer of the same provider", async () => {
  const { said, requests } = await failOver([{ status: 503 }, { say: "yes" }], []);
  expect([said, requests]).toEqual(["yes", [2, 0]]);
});

test("fault 64 429 with insufficient_quota is not asked again", async () => {
  const body = { error: { message: "You exceeded your current quota.", code: "insufficient_quota" } };
  const { said, requests } = await failOver([{ status: 429, body }], [{ say: "yes" }]);
  expect([said, requests]).toEqual(["yes", [1, 1]]);
});

test("fault 62 Retry-After: 86400 goes to the next provider without any wait", async () => {
  const { said, requests } = await failOver([{ status: 429, headers: { "retry-after": "86400" } }], [{ say: "yes" }]);
  expect([said, requests]).toEqual(["yes", [1, 1]]);
});

test("T11 L43 B31 fault 80 a stream that breaks after its first word is not asked again", async () => {
  const { said, shown, requests } = await failOver([{ cut: "close", say: "Half an ans" }], []);
  expect([said, shown, requests]).toEqual(["stream_cut", "Half an ans", [1, 0]]);
});

test("T11 a stream that breaks before its first word is", async () => {
  const { said, requests } = await failOver(
    [{ cut: "close" }, { cut: "mid_event" }, { cut: "close" }],
    [{ say: "yes" }],
  );
  expect([said, requests]).toEqual(["yes", [3, 1]]);
});

test("fault 45 a provider that nobody listens at is tried three times, then the next", async () => {
  const told: string[] = [];
  await using b = await startScriptedLlm([{ say: "yes" }]);
  const { reply } = await ask("http://127.0.0.1:9", {
    make: (options) =>
      telling(
        createRouter({
          providers: [
            { model: createOpenAiChat(options), model_id: null },
            { model: createOpenAiChat({ ...options, api_url: b.url }), model_id: null },
          ],
          retry: AT_ONCE,
        }),
        told,
      ),
  });
  expect([reply?.content, told]).toEqual(["yes", ["network", "network", "switch network"]]);
});

test("a kept connection that the server closed meanwhile costs neither an attempt nor a wait", async () => {
  const body = JSON.stringify({ choices: [{ message: { content: "yes" }, finish_reason: "stop" }] });
  let requests = 0;
  await using server = await rawServer((socket) => {
    let served = 0;
    socket.on("data", () => {
      requests++;
      // The second request on a connection meets a server that has just given it up.
      if (++served > 1) return socket.destroy();
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
  });
  const told: string[] = [];
  const router = createRouter({
    providers: [{ model: createOpenAiChat(optionsFor(server.url, { stream: false })), model_id: null }],
    retry: { ...RETRY, max_retries: 0 },
  });
  const onRetry = ({ code }: { code: string }) => void told.push(code);
  const options = { signal: new AbortController().signal, onDelta: () => {}, onRetry };
  const first = await router.chat(hello, options);
  const second = await router.chat(hello, options);
  expect([first.content, second.content, told, requests]).toEqual(["yes", "yes", [], 3]);
});

test("T10 fault 67 a cancel during a real wait is over in less than 50 ms", async () => {
  await using llm = await startScriptedLlm([{ status: 503 }]);
  const controller = new AbortController();
  let cancelledAt = 0;
  const router = createRouter({
    providers: [{ model: createOpenAiChat(optionsFor(llm.url)), model_id: null }],
    retry: RETRY,
  });
  const onRetry = () =>
    void setImmediate(() => {
      cancelledAt = performance.now();
      controller.abort("ctrl-c");
    });
  const asking = router.chat(hello, { signal: controller.signal, onDelta: () => {}, onRetry });
  await expect(asking).rejects.toMatchObject({ kind: "cancelled", message: "ctrl-c" });
  expect(performance.now() - cancelledAt).toBeLessThan(50);
});

test("L34 a provider is opened when it is asked first, once for all its requests, and never when nobody asks it", async () => {
  let opened = 0;
  await using behind = await rawServer((socket) => {
    opened++;
    socket.on("data", (bytes: Buffer) => {
      if (!bytes.toString().endsWith("}")) return; // the request is not whole yet
      const text = `data: {"choices":[{"delta":{"content":"b"}}]}\n\ndata: [DONE]\n\n`;
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      );
    });
  });
  const first = played("a", ["a", BAD_KEY, BAD_KEY]);
  const router = createRouter({
    providers: [
      { model: first.model, model_id: null },
      { model: createOpenAiChat(optionsFor(behind.url)), model_id: null },
      { model: createOpenAiChat(optionsFor("no address at all")), model_id: null }, // an error as soon as it is opened
    ],
    retry: AT_ONCE,
  });
  const seen: [string, number][] = [];
  for (const _ of [1, 2, 3]) {
    const { content } = await router.chat(hello, { signal: new AbortController().signal, onDelta: () => {} });
    seen.push([content, opened]);
  }
  router.close?.();
  expect(seen).toEqual([
    ["a", 0],
    ["b", 1],
    ["b", 1],
  ]);
});
