import { expect, test } from "vitest";
import { checkAnthropicRequest, checkResponsesRequest } from "../src/index.ts";

const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });
const user = (...content: unknown[]) => ({ role: "user", content });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const use = (id: string, input: unknown = {}, name = "read") => ({ type: "tool_use", id, name, input });
const result = (tool_use_id: string, content: unknown = "x") => ({ type: "tool_result", tool_use_id, content });
const thought = (signature: string) => ({ type: "thinking", thinking: "hm", signature });
const MARK = { cache_control: { type: "ephemeral" } };

const anthropic = (more: object = {}) => ({ model: "m", max_tokens: 9, messages: [user(text("u"))], ...more });
const THINKING = { thinking: { type: "enabled", budget_tokens: 2048 }, max_tokens: 4096 };

test.each<[string, object]>([
  ["the least", {}],
  ["plain strings", { system: "s", messages: [{ role: "user", content: "u" }] }],
  [
    "calls and results",
    {
      messages: [user(text("u")), assistant(text("a"), use("a"), use("b")), user(result("b"), result("a"), text("go"))],
    },
  ],
  ["thoughts", { ...THINKING, messages: [user(text("u")), assistant(thought("s"), use("a")), user(result("a"))] }],
  [
    "a chain that began with one",
    {
      ...THINKING,
      messages: [
        user(text("u")),
        assistant(thought("s"), use("a")),
        user(result("a")),
        assistant(use("b")),
        user(result("b")),
      ],
    },
  ],
  ["adaptive thought", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
])("an Anthropic request with %s is accepted", (_, more) => {
  expect(checkAnthropicRequest(anthropic(more))).toEqual([]);
});

test.each<[string, object]>([
  ["top_logprobs: extra inputs are not permitted", { top_logprobs: 1 }],
  ["max_tokens: expected a positive integer", { max_tokens: undefined }],
  ["temperature: may only be 1 when thinking is enabled", { ...THINKING, temperature: 0 }],
  ["max_tokens: must be greater than thinking.budget_tokens", { ...THINKING, max_tokens: 2048 }],
  ["system[0]: text content blocks must contain non-whitespace text", { system: [text(" ")] }],
  ["cache_control: 5 blocks are marked, at most 4 may be", { system: Array(5).fill(text("s", MARK)) }],
  [
    "tools[1].name: tool names must be unique",
    { tools: Array(2).fill({ name: "a", input_schema: { type: "object" } }) },
  ],
  ["messages: at least one message is required", { messages: [] }],
  ["messages[0]: the first message must be a user's", { messages: [assistant(text("a")), user(text("u"))] }],
  ["messages[1]: roles must alternate", { messages: [user(text("u")), user(text("u"))] }],
  ["messages[0].content: must not be empty", { messages: [user()] }],
  ["messages[0].content[0].type: thinking is not allowed in a user message", { messages: [user(thought("s"))] }],
  [
    "messages[1].content[0].id: must match ^[a-zA-Z0-9_-]{1,128}$",
    { messages: [user(text("u")), assistant(use("a.b")), user(result("a.b"))] },
  ],
  [
    "messages[1].content[0].input: must be an object",
    { messages: [user(text("u")), assistant(use("a", "{}")), user(result("a"))] },
  ],
  [
    "messages[2]: tool_use without tool_result immediately after: a",
    { messages: [user(text("u")), assistant(use("a")), user(text("u"))] },
  ],
  ["messages (end): tool_use without tool_result: a", { messages: [user(text("u")), assistant(use("a"))] }],
  ["messages[0]: unexpected tool_result a", { messages: [user(result("a"))] }],
  [
    "messages[2]: tool_result blocks must come first",
    { messages: [user(text("u")), assistant(use("a")), user(text("u"), result("a"))] },
  ],
  [
    "messages[1].content[0].signature: field required",
    { messages: [user(text("u")), assistant(thought("")), user(text("u"))] },
  ],
  [
    "messages: expected thinking, but found tool_use: the answer under way must start with a thought",
    { ...THINKING, messages: [user(text("u")), assistant(use("a")), user(result("a"))] },
  ],
  ["body.messages.0.content.0.text: lone surrogate in text", { messages: [user(text("\ud800"))] }],
])("an Anthropic request is refused: %s", (fault, more) => {
  expect(checkAnthropicRequest(anthropic(more))).toEqual([fault]);
});

const said = (role: string, content = "x") => ({ type: "message", role, content });
const call = (call_id: string, args = "{}") => ({ type: "function_call", call_id, name: "read", arguments: args });
const output = (call_id: string) => ({ type: "function_call_output", call_id, output: "x" });
const reasoning = (more: object = {}) => ({
  type: "reasoning",
  id: "rs_1",
  summary: [],
  encrypted_content: "e",
  ...more,
});
const responses = (more: object = {}) => ({ model: "m", store: false, input: [said("user")], ...more });

test.each<[string, object]>([
  ["the least", {}],
  [
    "calls, results and thoughts",
    { input: [said("user"), reasoning(), said("assistant"), reasoning(), call("a"), output("a")] },
  ],
  ["a temperature", { temperature: 0 }],
])("a Responses request with %s is accepted", (_, more) => {
  expect(checkResponsesRequest(responses(more))).toEqual([]);
});

test.each<[string, object]>([
  ["messages: unknown parameter", { messages: [] }],
  ["temperature: not supported with this model", { temperature: 0, model: "gpt-5" }],
  ["max_output_tokens: must be at least 16", { max_output_tokens: 1 }],
  ["input: expected a non-empty list of items", { input: [] }],
  ["input[0].content: expected text that is not blank, or parts", { input: [said("user", " ")] }],
  ["input[0].tool_calls: unknown parameter", { input: [{ ...said("user"), tool_calls: [] }] }],
  ["input[0].arguments: expected the text of a JSON object", { input: [call("a", ""), output("a")] }],
  ["input: no tool output found for function call a", { input: [call("a")] }],
  ["input[0].call_id: no tool call found for function call output with call_id a", { input: [output("a")] }],
  ["input[0]: reasoning was provided without its required following item", { input: [reasoning(), said("user")] }],
  [
    "input[0]: item rs_1 not found: items are not persisted when store is false",
    { input: [reasoning({ encrypted_content: null }), said("assistant")] },
  ],
  [
    "tools[0].strict: without it every field of the schema must be required",
    { tools: [{ type: "function", name: "a", parameters: { type: "object" } }] },
  ],
])("a Responses request is refused: %s", (fault, more) => {
  expect(checkResponsesRequest(responses(more))).toEqual([fault]);
});
