import { startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { ask, KEY, rawServer, seen } from "./scene.ts";

async function refused(status: number, body?: unknown, headers?: Record<string, string>) {
  await using llm = await startScriptedLlm([
    { status, body: body ?? { error: { message: "no" } }, headers: headers ?? {} },
  ]);
  const { error } = await ask(llm.url);
  if (error === null) throw new Error("no error");
  return error;
}

test.each([
  [400, "protocol", "bad_request", false],
  [401, "transport", "auth", false],
  [402, "protocol", "bad_request", false],
  [403, "transport", "auth", false],
  [404, "transport", "bad_request", false],
  [408, "transport", "network", true],
  [409, "transport", "network", true],
  [413, "protocol", "bad_request", false],
  [422, "protocol", "bad_request", false],
  [425, "transport", "network", true],
  [429, "transport", "rate_limit", true],
  [500, "transport", "rate_limit", true],
  [502, "transport", "rate_limit", true],
  [520, "transport", "rate_limit", true],
  [524, "transport", "rate_limit", true],
  [529, "transport", "rate_limit", true],
])(
  "L30 faults 52 53 55 56 57 58 65 status %i is %s/%s, worth another try: %s",
  async (status, kind, code, retryable) => {
    const error = await refused(status);
    expect(seen(error)).toEqual({ kind, code, retryable });
    expect(error.data["status"]).toBe(status);
  },
);

test("L30 a message says who answered what, in the provider's words, and the mend", async () => {
  await using llm = await startScriptedLlm([
    { status: 429, body: { error: { message: "Slow\u001b down\n now", type: "rate_limit_error" } } },
  ]);
  const { error } = await ask(llm.url.replace("//", "//user:secret@").concat("/?token=secret"));
  expect(error?.message).toBe(
    `default at ${llm.url}/chat/completions answered 429: Slow down now. Wait a little, or use another model.`,
  );
  expect(error?.data).toEqual({ status: 429, provider_code: "rate_limit_error" });
});

test("fault 52 a 401 names the variable and hides the key, wherever the provider repeats it", async () => {
  const error = await refused(401, { error: { message: `Incorrect API key: ${KEY}.`, code: `bad ${KEY}` } });
  expect(error.message).toContain(
    "answered 401: Incorrect API key: ***. Check the key in LLM_API_KEY and what it may use.",
  );
  expect(JSON.stringify(error)).not.toContain(KEY);
  await using llm = await startScriptedLlm([{ status: 401 }]);
  const keyless = await ask(llm.url, { options: { api_key: null } });
  expect(keyless.error?.message).toContain("No key was sent: set LLM_API_KEY.");
});

test("L32 a provider's words are cut at 500 characters", async () => {
  const error = await refused(400, "x".repeat(100_000));
  expect(error.message).toContain(`answered 400: ${"x".repeat(500)}… The provider`);
});

test.each([
  ["an error text", { error: "plain words" }, "plain words."],
  ["a detail", { detail: [{ msg: "field required" }] }, '[{"msg":"field required"}].'],
  ["a list", [{ error: { message: "in a list" } }], "in a list."],
  [
    "a gateway's upstream",
    { error: { message: "Provider returned error", metadata: { raw: "too hot" } } },
    "Provider returned error: too hot.",
  ],
  ["a bare message", { object: "error", message: "bare" }, "bare."],
  ["no words at all", "", "no reason given."],
  ["a page", "<h1>Bad Gateway</h1>", "<h1>Bad Gateway</h1>."],
])("the words of %s are found", async (_, body, words) => {
  expect((await refused(502, body)).message).toContain(`answered 502: ${words}`);
});

test.each([
  ["its code", "too big", "context_length_exceeded"],
  ["llama.cpp", "the request exceeds the available context size, try increasing it", "exceed_context_size_error"],
  [
    "OpenAI",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 8200 tokens.",
    null,
  ],
  ["Anthropic", "prompt is too long: 210000 tokens > 200000 maximum", null],
  ["Anthropic with output", "input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000", null],
  ["Gemini", "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).", null],
  ["xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", null],
  ["Responses", "Your input exceeds the context window of this model.", null],
  ["Moonshot", "Your request exceeded model token limit: 8192", null],
  ["DashScope", "Range of input length should be [1, 30720]", null],
])("L30 fault 54 an overflow is known by what %s says", async (_, message, code) => {
  const error = await refused(400, { error: { message, code } });
  expect(seen(error)).toEqual({ kind: "protocol", code: "context_overflow", retryable: false });
});

test.each([
  "Invalid token",
  "max_tokens must be at least 1",
  "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
  "Unexpected token } in JSON",
  "The context parameter is not allowed",
])("L31 fault 54 a bad request is no overflow for saying: %s", async (message) => {
  expect((await refused(400, { error: { message } })).code).toBe("bad_request");
});

test("fault 64 a 429 for an empty account is not worth another try", async () => {
  const error = await refused(429, {
    error: { message: "You exceeded your current quota", code: "insufficient_quota" },
  });
  expect(seen(error)).toEqual({ kind: "transport", code: "rate_limit", retryable: false });
  expect(error.data["reason"]).toBe("insufficient_quota");
});

const now = Date.now();
const date = (ms: number) => new Date(Math.floor(now / 1000) * 1000 + ms).toUTCString();

test.each<[Record<string, string>, unknown]>([
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "-3" }, 0],
  [{ "retry-after": "86400" }, 86_400_000],
  [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
  [{ "retry-after": date(90_000), date: date(60_000) }, 30_000],
  [{ "retry-after": date(-90_000), date: date(0) }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "in 5 minutes" }, undefined],
  [{ "retry-after-ms": "NaN" }, undefined],
  [{}, undefined],
])("L33 faults 59 60 61 62 63 the headers %j ask for a wait of %j ms", async (headers, expected) => {
  expect((await refused(429, undefined, headers)).data["retry_after_ms"]).toBe(expected);
});

test.each([301, 302, 307, 308])(
  "faults 69 70 a redirect (%i) is refused and its target named; nobody follows it",
  async (status) => {
    const error = await refused(status, "", { location: "http://user:pw@elsewhere.test/v2?key=1" });
    expect(error.message).toContain(
      `answered ${status}: it redirects to http://elsewhere.test/v2, which is not followed. Set llm_config.api_url to the final address.`,
    );
    expect(seen(error)).toEqual({ kind: "protocol", code: "bad_request", retryable: false });
  },
);

test("L30 fault 45 a closed port is a network error that names the base address", async () => {
  const { url } = await gone();
  const { error } = await ask(url);
  expect(seen(error)).toEqual({ kind: "transport", code: "network", retryable: true });
  expect(error?.message).toBe(
    `default at ${url} could not be reached (ECONNREFUSED): nothing listens there. Start the server or check llm_config.api_url.`,
  );
});

async function gone() {
  await using server = await rawServer(() => {});
  return { url: server.url };
}

test("L30 fault 46 a host that nobody knows is a network error", async () => {
  const { error } = await ask("http://nope.invalid/v1");
  expect(error?.code).toBe("network");
  expect(error?.message).toMatch(
    /^default at http:\/\/nope\.invalid\/v1 could not be reached \((ENOTFOUND|EAI_AGAIN)\)/,
  );
});

test("L30 fault 47 TLS against a plain port is a network error that is not tried again, with a hint", async () => {
  await using server = await rawServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  const { error } = await ask(server.url.replace("http:", "https:"));
  expect(seen(error)).toEqual({ kind: "transport", code: "network", retryable: false });
  expect(error?.message).toContain("could not be reached safely");
  expect(error?.message).toContain("NODE_EXTRA_CA_CERTS");
});

test("what does not speak HTTP is told so", async () => {
  await using server = await rawServer((socket) => socket.end("220 smtp ready\r\n"));
  const { error } = await ask(server.url);
  expect(seen(error)).toEqual({ kind: "protocol", code: "bad_request", retryable: false });
  expect(error?.message).toContain("does not speak HTTP");
});

test("a connection closed before an answer is a network error", async () => {
  await using server = await rawServer((socket) => socket.once("data", () => socket.destroy()));
  const { error } = await ask(server.url);
  expect(seen(error)).toEqual({ kind: "transport", code: "network", retryable: true });
});

test("an error body that never ends still gives its status", async () => {
  await using server = await rawServer((socket) =>
    socket.once("data", () => socket.write('HTTP/1.1 503 Busy\r\ncontent-length: 100\r\n\r\n{"error":"bu')),
  );
  const { error } = await ask(server.url, { options: { timeouts: { stream_stall_timeout_s: 0.05 } } });
  expect(seen(error)).toEqual({ kind: "transport", code: "rate_limit", retryable: true });
  expect(error?.data["status"]).toBe(503);
});
