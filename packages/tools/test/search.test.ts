import { expect, test } from "vitest";
import { memoryScene, NOW } from "./memory-scene.ts";

const REPORT = JSON.stringify({ job_id: "j1", target_role: "explorer", summary: "The parser is in lexer.ts" });
const AT = new Date(NOW).toISOString().slice(0, 16).replace("T", " ");

/** Two conversations of one project, and one of another; something of each kind in the first. */
async function filled() {
  const scene = memoryScene();
  await scene.talk("c1", "p1", "The parser is mended.");
  await scene.talk("c2", "p1", "No such thing here.");
  await scene.talk("c3", "p2", "Another parser.");
  await scene.store.note.put("c1", "scratchpad:plan", "first the parser");
  await scene.store.note.put("c1", "scratchpad:dispatch/j1", REPORT);
  await scene.store.memory.put("p1", { id: "m1", content: "parser: ours", updated_at: NOW });
  return scene;
}

/** The keys that an answer names, in the order of the alphabet. */
const keysIn = (answer: string): string[] => Array.from(answer.matchAll(/^(\S+) \(/gm), ([, key]) => key ?? "").sort();

test("PS12 search names what it found in this project with where it was, and recall gives the whole of each by its key", async () => {
  const { told } = await filled();
  const here = await told("search", { query: "parser" });
  expect(keysIn(here)).toEqual(["dispatch/j1", "memory/m1", "message/c1/4", "plan"]);
  expect(here).toContain(`message/c1/4 (assistant, this conversation, ${AT})\n  The parser is mended.`);
  const there = await told("search", { query: "parser" }, { conversation_id: "c2" });
  const keys = keysIn(there);
  expect(keys).toEqual(["dispatch/j1", "memory/m1", "message/c1/4", "note/c1/plan"]);
  expect(there).toContain(`message/c1/4 (assistant, "line of c1", ${AT})`);
  const whole = await Promise.all(keys.map((key) => told("recall", { key }, { conversation_id: "c2" })));
  expect(whole).toEqual([REPORT, "parser: ours", "The parser is mended.", "first the parser"]);
  const near = { conversation_id: "c2", reach: "conversation" } as const;
  expect(keysIn(await told("search", { query: "parser" }, near))).toEqual(["memory/m1"]);
  const within = await Promise.all([...keys, "message/c2/4"].map((key) => told("recall", { key }, near)));
  expect(within.map((answer) => answer.startsWith("not_found:"))).toEqual([true, false, true, true, false]);
  const foreign = { conversation_id: "c3", project_id: "p2" };
  const refused = await Promise.all(keys.map((key) => told("recall", { key }, foreign)));
  expect(refused.map((answer) => answer.slice(0, 10))).toEqual(keys.map(() => "not_found:"));
});

test("PS12 search keeps to a kind, says that there is more, and that there is nothing", async () => {
  const { told, run, tool } = await filled();
  expect(keysIn(await told("search", { query: "parser", kind: "report" }))).toEqual(["dispatch/j1"]);
  const few = await told("search", { query: "parser", max_results: 1 });
  expect([keysIn(few).length, few.split("\n").at(-1)]).toEqual([
    1,
    "[there are more hits; add a word, a kind, or raise max_results]",
  ]);
  for (const query of ["nothing like it", "", "*", "(", 'a"b', "NEAR("]) {
    expect([query, await told("search", { query })]).toEqual([query, "nothing in this project has all these words"]);
  }
  const line = tool("search").result_renderer?.(
    { query: "x" },
    await run("search", { query: "parser", max_results: 2 }),
  );
  expect(line).toBe("2 hits and more");
  expect(tool("search").schema.safeParse({ query: "x", kind: "thing" }).success).toBe(false);
  expect(tool("search").schema.safeParse({ query: "x", project_id: "p2" }).success).toBe(false);
});
