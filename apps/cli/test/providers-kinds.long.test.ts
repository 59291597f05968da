import { createHash } from "node:crypto";
import type { RecordedRequest, Step } from "@smith/testkit";
import { anthropicMessages } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { storedMessages } from "./database.ts";
import { asked, chain, far, modelOf, moves, outcome } from "./providers-scene.ts";
import { model, place } from "./scene.ts";

const JSONL = ["--output", "jsonl"];
const BEFORE = "alpha\nbeta\n";
const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
const READ = { id: "call_read", name: "read", args: { path: "notes.txt" } };
const EDIT = {
  id: "call_edit",
  name: "edit",
  args: { path: "notes.txt", hash: hash(BEFORE), op: "replace", start_line: 2, text: "BETA\n" },
};
const STEPS: readonly Step[] = [
  { reasoning: "First I look.", say: "I look.", call: [READ] },
  { reasoning: "Now I write.", call: [EDIT] },
  { say: "Done." },
];

const KINDS = ["openai_chat", "anthropic", "openai_responses", "ollama"] as const;
const field = ({ body }: RecordedRequest, name: string): unknown => (body as Record<string, unknown>)[name];

describe("each kind of provider", () => {
  test.each(KINDS)("L1 L22 L11 %s reads, edits and answers in one turn, its thoughts kept apart", async (kind) => {
    // The server checks each request as a real one would: the thoughts it signed must come back in their place.
    const a = await far("a", STEPS, { kind, entry: { api_key_env: "A_KEY" } });
    const here = place({ config: chain([a]), files: { "notes.txt": BEFORE } });
    const end = await here.run(["-p", "put line 2 in capitals", ...JSONL], { env: { A_KEY: "sk-a-0123456789" } });
    expect(outcome(end)).toEqual({
      ...{ code: 0, stop_reason: "completed", text: "Done." },
      ...{ model: "model-a", provider: "a", error: null },
    });
    expect(here.read("notes.txt")).toBe("alpha\nBETA\n");
    const thoughts = end.events().flatMap((event) => (event.type === "llm_reasoning_delta" ? [event.text] : []));
    expect(thoughts.join("")).toBe("First I look.Now I write.");
    expect([asked(a.llm), end.json().rounds, end.json().tool_calls]).toEqual([[Array(3).fill("model-a")], 3, 2]);
    const sent = a.llm.requests[0]?.headers;
    expect([sent?.["x-api-key"], sent?.authorization]).toEqual(
      kind === "anthropic" ? ["sk-a-0123456789", undefined] : [undefined, "Bearer sk-a-0123456789"],
    );
  });

  test.each<[(typeof KINDS)[number], string, unknown]>([
    ["openai_chat", "reasoning_effort", "high"],
    ["openai_responses", "reasoning", { effort: "high" }],
    ["anthropic", "thinking", { type: "enabled", budget_tokens: 24_576 }],
  ])("L45 %s is told the effort as %s", async (kind, name, value) => {
    const a = await far("a", [{ say: "1" }, { say: "2" }], { kind, entry: { headers: { "x-api-key": "k" } } });
    const here = place({ config: chain([a]) });
    await here.run(["-p", "hi", "--effort", "high"]);
    await here.run(["-p", "hi"]);
    expect(a.llm.requests.map((request) => field(request, name))).toEqual([value, undefined]);
  });

  test("L43 a chain of three kinds: the next provider gets the whole conversation in its own format", async () => {
    const a = await far("a", [STEPS[0] ?? { empty: true }, { status: 401 }]);
    const b = await far("b", [{ status: 400 }], { kind: "anthropic", entry: { headers: { "x-api-key": "k" } } });
    const c = await far("c", [{ say: "Done." }], { kind: "openai_responses" });
    const here = place({ config: chain([a, b, c]), files: { "notes.txt": BEFORE } });
    const end = await here.run(["-p", "read it", ...JSONL]);
    expect([outcome(end).provider, asked(a.llm, b.llm, c.llm)]).toEqual([
      "c",
      [["model-a", "model-a"], ["model-b"], ["model-c"]],
    ]);
    const kinds = (field(c.llm.requests[0] as RecordedRequest, "input") as { type?: string; role?: string }[]).map(
      ({ type, role }) => role ?? type,
    );
    expect(kinds).toEqual(["user", "assistant", "function_call", "function_call_output"]);
  });

  test("C26 a key of Anthropic's in the environment is a provider, asked in its own format", async () => {
    const llm = await model([{ say: "hi" }], { wire: anthropicMessages, models: ["claude-x"] });
    const env = { ANTHROPIC_API_KEY: "sk-ant-test", ANTHROPIC_BASE_URL: llm.url.replace(/\/v1$/, "") };
    const end = await place().run(["-p", "hi", ...JSONL], { env });
    expect([outcome(end), llm.requests.map(({ path }) => path)]).toMatchObject([
      { code: 0, text: "hi", model: "claude-x", provider: "anthropic" },
      ["/v1/messages"],
    ]);
  });

  test("a package that is not installed is told before any request, with the command that installs it", async () => {
    const a = await far("a", []);
    const entry = { name: "b", kind: "ai_sdk", package: "@ai-sdk/nowhere", model: "m" };
    const here = place({ config: chain([a, { entry }]) });
    const { code, stdout, stderr } = await here.run(["-p", "hi"]);
    expect([code, stdout, stderr]).toEqual([
      2,
      "",
      `smith: The provider b needs the package @ai-sdk/nowhere, which is not installed. Run: npm install --prefix ${here.home} @ai-sdk/nowhere\n`,
    ]);
  });
});

describe("what a broken stream comes to", () => {
  const HALF: Step = { cut: "reset", say: "Half an ans" };

  test("T11 L43 B31 B92 fault 80 after something was shown there is no second request, and the half is kept as no answer", async () => {
    const [a, b] = [await far("a", [HALF]), await far("b", [])];
    const here = place({ config: chain([a, b]) });
    const end = await here.run(["-p", "hi", ...JSONL]);
    expect([outcome(end), moves(end)]).toMatchObject([{ code: 1, error: "stream_cut", text: "Half an ans" }, []]);
    expect(a.llm.requests.map(modelOf)).toEqual(["model-a"]);
    expect(storedMessages(here.database).map(({ role, content }) => [role, content])).toEqual([
      ["user", "hi"],
      ["assistant", "Half an ans"],
    ]);
    expect(storedMessages(here.database).at(-1)).toMatchObject({ is_error: true });
  });

  test("T11 B92 with stream_retry_after_output the kept answer has nothing twice, and the fall-back is asked", async () => {
    const [a, b] = [await far("a", [HALF, HALF, HALF]), await far("b", [{ say: "A whole answer." }])];
    const here = place({ config: chain([a, b]) });
    const end = await here.run(["-p", "hi", ...JSONL, "--set", "llm_config.stream_retry_after_output=true"]);
    expect([outcome(end), asked(a.llm, b.llm)]).toMatchObject([
      { code: 0, text: "A whole answer.", provider: "b" },
      [Array(3).fill("model-a"), ["model-b"]],
    ]);
    expect(storedMessages(here.database).map(({ content }) => content)).toEqual(["hi", "A whole answer."]);
  });

  test.each<[string, Step, string[], object]>([
    ["stream_stalled", { stall: true }, ["llm_config.stream_stall_timeout=0.2"], {}],
    ["stream_stalled", { stall: true, headers: false }, ["llm_config.stream_stall_timeout=0.2"], {}],
    ["timeout", { stall: true, headers: false }, ["llm_config.stream=false", "llm_config.timeout=0.2"], {}],
    ["timeout", { stall: true }, [], { timeout_s: 0.2 }],
  ])("L4 L8 L41 B33 a server that hangs is %s, is asked again, then the next one", async (code, step, set, entry) => {
    const [a, b] = [await far("a", [step, step, step], { entry }), await far("b", [{ say: "hi" }])];
    const flags = set.flatMap((each) => ["--set", each]);
    const end = await place({ config: chain([a, b]) }).run(["-p", "hi", ...JSONL, ...flags]);
    expect([outcome(end).text, moves(end)]).toEqual([
      "hi",
      [`attempt 2 in 10 after ${code}`, `attempt 3 in 20 after ${code}`, `a -> b after ${code}`],
    ]);
  });

  test("L8 B33 a stream that falls silent after its first word ends in stream_stalled", async () => {
    const a = await far("a", [{ stall: true, say: "Well" }]);
    const end = await place({ config: chain([a]) }).run([
      ...["-p", "hi", ...JSONL],
      ...["--set", "llm_config.stream_stall_timeout=0.3"],
    ]);
    expect(outcome(end)).toMatchObject({ code: 1, error: "stream_stalled", text: "Well" });
  });
});
