import type { ChaosConfig, Fixture, LLMock } from "@copilotkit/aimock";
import type { Message } from "@smith/contract/message";
import type { ChatModel } from "@smith/contract/model";
import { describe, expect, test } from "vitest";
import { createProvider, createRouter, type HttpModelOptions, type ProviderKind } from "../src/index.ts";
import { type Asked, ask, hello, optionsFor, place, seen } from "./scene.ts";

/** A far end that is not ours: what it finds strange about our requests, or does to its answers, nobody here thought of. */
const aimock = await import("@copilotkit/aimock").catch(() => null);
if (aimock === null) test.skip("@copilotkit/aimock is not installed: its chaos is not tried", () => {});

interface Chaos {
  readonly chaos?: ChaosConfig;
  /** Of the fixture that answers. */
  readonly answer?: Partial<
    Pick<Fixture, "response" | "truncateAfterChunks" | "disconnectAfterMs" | "chunkSize" | "latency">
  >;
}

/** A server with one answer to `hello`; the tool round of `weather` beside it. */
async function far({ chaos, answer = {} }: Chaos = {}): Promise<LLMock & AsyncDisposable> {
  if (aimock === null) throw new Error("not installed");
  const mock = new aimock.LLMock({ port: 0, logLevel: "silent", ...(chaos === undefined ? {} : { chaos }) });
  mock.addFixture({ match: { hasToolResult: true }, response: { content: "72 degrees." } });
  mock.addFixture({
    match: { userMessage: "weather" },
    response: {
      content: "I look.",
      toolCalls: [
        { id: "call_a", name: "get_weather", arguments: '{"city":"Paris ☂"}' },
        { id: "call_b", name: "get_weather", arguments: "{}" },
      ],
    },
  });
  const response = {
    content: "Hello — from far away 🌍.",
    reasoning: "A greeting.",
    usage: { input_tokens: 9, output_tokens: 5 },
  };
  mock.addFixture({ match: {}, response, chunkSize: 3, ...answer });
  await mock.start();
  return Object.assign(mock, { [Symbol.asyncDispose]: () => mock.stop() });
}

const KINDS = ["openai_chat", "openai_responses", "anthropic"] as const;
const CASES = KINDS.flatMap((kind) => [
  { kind, stream: true },
  { kind, stream: false },
]);

const weather: Message = { role: "user", content: "weather?", turn_id: "t1", round: 0, ts: 1 };
const tools = [{ name: "get_weather", description: "Tells it.", parameters: { type: "object", properties: {} } }];

const urlOf = (mock: LLMock, kind: ProviderKind): string => (kind === "anthropic" ? mock.url : `${mock.url}/v1`);

const askKind = (mock: LLMock, kind: ProviderKind, asking: Parameters<typeof ask>[1] = {}): Promise<Asked> =>
  ask(urlOf(mock, kind), { ...asking, make: (options: HttpModelOptions): ChatModel => createProvider(kind, options) });

describe.skipIf(aimock === null)("a far end that is not ours", () => {
  test.each(CASES)("L1 L22 L11 $kind (stream: $stream) reads its text, its thoughts and its usage", async (row) => {
    await using mock = await far();
    const { reply, error, shown, thought } = await askKind(mock, row.kind, { options: { stream: row.stream } });
    expect(error).toBe(null);
    expect([reply?.content, reply?.finish_reason, reply?.tool_calls, reply?.warnings]).toEqual([
      "Hello — from far away 🌍.",
      "stop",
      [],
      [],
    ]);
    expect([shown, reply?.reasoning]).toEqual([row.stream ? reply?.content : "", "A greeting."]);
    expect(thought).toBe(row.stream ? "A greeting." : "");
    expect([reply?.usage.input_tokens, reply?.usage.output_tokens]).toEqual([9, 5]);
  });

  test.each(CASES)("L10 L21 L23 $kind (stream: $stream) plays a round with two calls side by side", async (row) => {
    await using mock = await far();
    const options = { stream: row.stream };
    const first = await askKind(mock, row.kind, { options, request: { messages: [weather], tools } });
    expect([first.error, first.reply?.content, first.reply?.finish_reason]).toEqual([null, "I look.", "tool_calls"]);
    const tool_calls = [...(first.reply?.tool_calls ?? [])];
    expect(tool_calls).toEqual([
      { id: "call_a", name: "get_weather", arguments: '{"city":"Paris ☂"}' },
      { id: "call_b", name: "get_weather", arguments: "{}" },
    ]);
    const results = tool_calls.map(
      ({ id, name }): Message => ({ role: "tool", tool_call_id: id, name, content: "72", ok: true, ...place }),
    );
    const messages = [weather, { role: "assistant" as const, content: "I look.", tool_calls, ...place }, ...results];
    const second = await askKind(mock, row.kind, { options, request: { messages, tools } });
    expect([second.error, second.reply?.content]).toEqual([null, "72 degrees."]);
  });

  test.each<[string, ChaosConfig, object]>([
    ["drops the request", { dropRate: 1 }, { kind: "transport", code: "rate_limit", retryable: true }],
    ["limits the rate", { rateLimitRate: 1 }, { kind: "transport", code: "rate_limit", retryable: true }],
    ["answers garbage", { malformedRate: 1 }, { kind: "transport", code: "stream_cut", retryable: true }],
    ["hangs up", { disconnectRate: 1 }, { kind: "transport", code: "network", retryable: true }],
  ])("L30 it %s: each kind of provider says so, after one request", async (_what, chaos, error) => {
    for (const kind of KINDS) {
      await using mock = await far({ chaos });
      const asked = await askKind(mock, kind);
      expect([kind, seen(asked.error), asked.shown]).toEqual([kind, error, ""]);
      expect(mock.getRequests().length).toBe(1);
    }
  });

  test.each(KINDS)("L8 %s waits no longer than the stall time for what it holds back", async (kind) => {
    await using mock = await far({ chaos: { latencyMs: 5000 } });
    const { error } = await askKind(mock, kind, { options: { timeouts: { stream_stall_timeout_s: 0.1 } } });
    expect(seen(error)).toEqual({ kind: "transport", code: "stream_stalled", retryable: true });
  });

  test.each(KINDS)(
    "B31 %s: an answer cut off after some pieces is no answer, and what was shown stays",
    async (kind) => {
      await using mock = await far({
        answer: { truncateAfterChunks: 6, latency: 10, response: { content: "Hello from far away." } },
      });
      const { reply, error, shown } = await askKind(mock, kind);
      expect([reply, seen(error)]).toEqual([null, { kind: "transport", code: "stream_cut", retryable: true }]);
      expect("Hello from far away.".startsWith(shown)).toBe(true);
      expect(shown.length).toBeLessThan("Hello from far away.".length);
    },
  );

  test.each<[number, object]>([
    [401, { kind: "transport", code: "auth", retryable: false }],
    [429, { kind: "transport", code: "rate_limit", retryable: true }],
    [400, { kind: "protocol", code: "bad_request", retryable: false }],
    [529, { kind: "transport", code: "rate_limit", retryable: true }],
  ])("L30 its %d reads alike for every kind, in its own words", async (status, error) => {
    for (const kind of KINDS) {
      await using mock = await far({ answer: { response: { error: { message: "Not today.", type: "x" }, status } } });
      const asked = await askKind(mock, kind);
      expect([kind, seen(asked.error)]).toEqual([kind, error]);
      expect(asked.error?.message).toContain("Not today.");
    }
  });

  test.each(KINDS)(
    "L35 L36 %s: one failure is made good by a retry, a server of chaos by the next provider",
    async (kind) => {
      await using once = await far();
      await using broken = await far({ chaos: { dropRate: 1 } });
      once.nextRequestError(503, { message: "Just a moment.", type: "server_error" });
      const told: string[] = [];
      const routed = (mock: LLMock, provider: string) => ({
        model: createProvider(kind, { ...optionsFor(urlOf(mock, kind)), provider }),
        model_id: null,
      });
      const router = createRouter({
        providers: [routed(broken, "broken"), routed(once, "once")],
        retry: { max_retries: 2, backoff_ms: [1], stream_retry_after_output: false },
      });
      const reply = await router.chat(hello, {
        signal: new AbortController().signal,
        onDelta: () => {},
        onRetry: ({ provider, attempt }) => void told.push(`${provider} ${attempt}`),
        onSwitch: ({ from, to }) => void told.push(`${from} -> ${to}`),
      });
      expect([reply.content, told]).toEqual([
        "Hello — from far away 🌍.",
        ["broken 2", "broken 3", "broken -> once", "once 2"],
      ]);
      expect([broken, once].map((mock) => mock.getRequests().length)).toEqual([3, 2]);
    },
  );
});
