import type { AssistantMessage, Message } from "@smith/contract/message";
import { expect, test } from "vitest";
import { NO_EDGES } from "../src/index.ts";
import { createSizes } from "../src/turn/size.ts";
import { rounds, system, user, windowOf } from "./window-scene.ts";

test("W6 Q14 a token is four characters of text and calls, rounded up, and a tool message is eight more", () => {
  const sizeOf = createSizes();
  const place = { turn_id: "t1", round: 1, ts: 0 };
  const tool_calls = [{ id: "a", name: "read", arguments: "{}" }]; // 43 characters as JSON
  const assistant: AssistantMessage = { role: "assistant", content: "abc", tool_calls, ...place };
  const output = (content: string): Message => ({
    ...{ role: "tool", content, tool_call_id: "a", name: "read", ok: true },
    ...place,
  });
  expect(JSON.stringify(tool_calls)).toHaveLength(43);
  const sized = [user(""), user("a"), user("abcd"), user("abcde"), assistant, output(""), output("abcde")].map(sizeOf);
  expect(sized.map(({ tokens }) => tokens)).toEqual([0, 1, 1, 2, 12, 8, 10]);
});

test("W1 each request's view is a copy: the transcript is as it was, to the byte, whatever was elided and dropped", () => {
  const window = windowOf({ elide_step: 0, context_window: 3_000 });
  const transcript = [system, user("go"), ...rounds(20, 1500)];
  const before = structuredClone(transcript);
  Object.freeze(transcript);
  let edges = NO_EDGES;
  const views = Array.from({ length: 20 }, (_, n) => {
    const fitted = window.fit(transcript.slice(0, 2 + 2 * (n + 1)), edges, false);
    edges = fitted.edges;
    return fitted;
  });
  expect(views.filter(({ moved }) => (moved?.elided ?? 0) > 0).length).toBeGreaterThan(1);
  expect(views.filter(({ moved }) => (moved?.dropped ?? 0) > 0).length).toBeGreaterThan(1);
  expect(transcript).toEqual(before);
});
