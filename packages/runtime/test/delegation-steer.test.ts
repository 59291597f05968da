import { expect, test } from "vitest";
import { asked, bash, bodyOf, dispatch, report, type Scene, scene } from "./delegation-scene.ts";

/** Puts a line in as soon as an event of this kind has been told, once. */
function steerAt({ runtime }: Scene, type: string, text: string): boolean[] {
  const said: boolean[] = [];
  runtime.subscribe((event) => {
    if (event.type === type && event.source_role === undefined && said.length === 0) said.push(runtime.steer(text));
  });
  return said;
}

const told = (here: Scene, n: number) =>
  bodyOf(asked(here.llm, "direct")[n])
    .messages.slice(1)
    .map(({ role, content }) => `${role}: ${content ?? ""}`);

test("T1 a line put in while a tool runs stands as a user message before the next request", async () => {
  const here = await scene({ direct: [{ call: [bash("a", "echo hi")] }, { say: "Very well." }] });
  const said = steerAt(here, "tool_execution_started", "use the other file");
  const result = await here.runtime.run("go");
  expect([said, result.text]).toEqual([[true], "Very well."]);
  expect(told(here, 1)).toEqual(["user: go", "assistant: ", "tool: hi\n[exit 0]", "user: use the other file"]);
  expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
});

test("T3 a line put in while the final answer streams makes the turn go on with it", async () => {
  const here = await scene({ direct: [{ say: "All done." }, { say: "That too." }] });
  const said = steerAt(here, "llm_text_delta", "and the tests?");
  const result = await here.runtime.run("go");
  expect([said, result.rounds, result.text]).toEqual([[true], 2, "That too."]);
  expect(told(here, 1)).toEqual(["user: go", "assistant: All done.", "user: and the tests?"]);
});

test("T1 D5 a line put in while children run goes to the parent alone, after their results", async () => {
  const here = await scene({
    direct: [{ call: [dispatch("a", "explorer")] }, { say: "Very well." }],
    explorer: [{ call: [bash("b", "echo hi")] }, { call: [report()] }],
  });
  steerAt(here, "dispatch_started", "hurry");
  await here.runtime.run("go");
  const all = here.llm.requests.map(({ role, raw }) => `${role} ${raw.includes("hurry")}`);
  expect(all).toEqual(["direct false", "explorer false", "explorer false", "direct true"]);
  expect(told(here, 1).at(-1)).toBe("user: hurry");
});

test("T1 when no turn runs there is nothing to put a line into", async () => {
  const here = await scene({ direct: [{ say: "Hello." }] });
  expect(here.runtime.steer("too early")).toBe(false);
  await here.runtime.run("go");
  expect(here.runtime.steer("too late")).toBe(false);
});

test("T7 B54 a line that came with a cancel is named in a notice, and the next turn is accepted", async () => {
  const here = await scene({ direct: [{ call: [bash("a", "sleep 30")] }, { say: "Yes?" }] });
  here.runtime.subscribe((event) => {
    if (event.type !== "tool_execution_started") return;
    here.runtime.steer("never mind");
    void here.runtime.cancel("ctrl-c");
  });
  const result = await here.runtime.run("go");
  expect(result.notices).toEqual([
    { level: "warn", text: 'The turn ended before this line could be put in; say it again: "never mind"' },
  ]);
  expect([(await here.runtime.run("again")).text, here.llm.requests.length]).toEqual(["Yes?", 2]);
});
