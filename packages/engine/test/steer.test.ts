import { expect, test } from "vitest";
import { call, play, tool } from "./scene.ts";

const shape = (messages: readonly { role: string; content?: unknown }[]) =>
  messages.map(({ role, content }) => `${role}: ${String(content)}`);

test("T1 a line that comes while a tool runs stands as a user message before the next round", async () => {
  const lines: string[] = [];
  const slow = tool("slow", {
    run: async () => {
      lines.push("use the other file", "and be quick");
      return { ok: true, content: "slow done" };
    },
  });
  const { added, requests } = await play({
    answers: [[call("a", "slow"), call("b", "read")], "ok"],
    tools: [slow, tool("read")],
    lines,
  });
  expect(shape(added)).toEqual([
    "assistant: ",
    "tool: slow done",
    "tool: read done",
    "user: use the other file",
    "user: and be quick",
    "assistant: ok",
  ]);
  expect(shape(requests[1]?.messages.slice(-2) ?? [])).toEqual(["user: use the other file", "user: and be quick"]);
  expect(lines).toEqual([]);
});

test("T3 a line that comes with the final answer makes the turn go on", async () => {
  const lines: string[] = [];
  const { added, end } = await play({
    answers: ["All done.", "Now really."],
    lines,
    onEvent: (event) => {
      if (event.type === "llm_request_completed" && event.round === 1) lines.push("one thing more");
    },
  });
  expect(shape(added)).toEqual(["assistant: All done.", "user: one thing more", "assistant: Now really."]);
  expect([end.stop_reason, end.rounds]).toEqual(["completed", 2]);
  expect(added.map(({ round }) => round)).toEqual([1, 1, 2]);
});

test("T8 a line that comes when the rounds are spent is kept, and the turn ends as out of budget", async () => {
  const lines: string[] = [];
  const { added, end } = await play({
    answers: ["All done."],
    lines,
    limits: { max_rounds: 1 },
    onEvent: (event) => void (event.type === "llm_request_completed" && lines.push("one thing more")),
  });
  expect(shape(added)).toEqual(["assistant: All done.", "user: one thing more"]);
  expect([end.stop_reason, end.which]).toEqual(["budget_exhausted", "max_rounds"]);
});

test("T7 a line that comes with a cancel starts no round", async () => {
  const lines: string[] = [];
  const { end, requests } = await play({
    answers: [[call("a", "read")]],
    tools: [tool("read")],
    lines,
    onEvent: (event, cancel) => {
      if (event.type !== "tool_execution_finished") return;
      lines.push("go on");
      cancel("ctrl-c");
    },
  });
  expect([end.stop_reason, requests.length, lines]).toEqual(["cancelled", 1, ["go on"]]);
});
