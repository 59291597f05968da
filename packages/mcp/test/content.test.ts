import { expect, test } from "vitest";
import { Answer, outcomeOf } from "../src/content.ts";

const PNG = "iVBORw0KGgo".repeat(1000);
const outcome = (given: unknown) => outcomeOf(Answer.parse(given));

test("an answer is text; what no transcript holds is named with its type and size", () => {
  const content = [
    { type: "text", text: "plain \u001b[31mred\u001b[0m \u0007 \ud800" },
    { type: "image", data: PNG, mimeType: "image/png" },
    { type: "audio", data: "", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///a", name: "a", description: "the first" },
    { type: "resource", resource: { uri: "file:///b", mimeType: "text/plain", text: "inside" } },
    { type: "resource", resource: { uri: "file:///c", blob: "AAAA" } },
    { type: "hologram", x: 1 },
    "text",
    { type: "text" },
  ];
  expect(outcome({ content })).toEqual({
    ok: true,
    content: [
      "plain red  \ufffd",
      "[image image/png, 8.3 KB: left out, a tool's answer is text here]",
      "[audio audio/wav, 0 B: left out, a tool's answer is text here]",
      "[resource a at file:///a] the first",
      "[resource file:///b (text/plain)]\ninside",
      "[resource file:///c, 3 B: left out, a tool's answer is text here]",
      "[a part of the answer has no known form: hologram]",
      "[a part of the answer has no known form: string]",
      "[a part of the answer has no known form: text]",
    ].join("\n"),
  });
});

test("data alone is shown as JSON, beside text it is not shown twice, and nothing is said to be nothing", () => {
  expect(outcome({ structuredContent: { a: [1] } }).content).toBe('{\n "a": [\n  1\n ]\n}');
  expect(outcome({ content: [{ type: "text", text: "1" }], structuredContent: { a: 1 } }).content).toBe("1");
  expect([outcome({}).content, outcome({ content: [] }).content]).toEqual(Array(2).fill("[the tool answered nothing]"));
});

test("a tool that says that it failed is a failed call, its words the message, and whole where they are long", () => {
  const failed = (text: string) => outcome({ isError: true, content: [{ type: "text", text }] });
  expect(failed("no such file")).toEqual({
    ...{ ok: false, content: "" },
    error: { code: "tool_error", message: "no such file" },
  });
  const long = "x".repeat(5000);
  expect(failed(long)).toEqual({
    ok: false,
    content: long,
    error: { code: "tool_error", message: `${long.slice(0, 1999)}…` },
  });
  expect(outcome({ isError: true }).error?.message).toBe("The tool failed and did not say why.");
});
