import { expect, test } from "vitest";
import { bodyOf, model, place } from "./place.ts";

const bash = (id: string) => ({ id, name: "bash", args: { command: "true" } });

test("PL10 PL11 a hook that only looks and hangs costs its time once a turn, and says so; a guard that hangs is asked each time", async () => {
  const here = place();
  const hang = (hook: string) => `${hook}() { calls.push("${hook}"); return new Promise(() => {}); }`;
  const file = here.file(
    "hangs.mjs",
    `export const calls = []; export default { name: "hangs", hooks: { ${hang("after_tool_call")} } };`,
  );
  const llm = await model([
    { call: [bash("a"), bash("b")] },
    { call: [bash("c")] },
    { say: "Done." },
    { call: [bash("d")] },
    { say: "Done." },
  ]);
  const runtime = here.runtime({ config: { ...llm.config, plugins: ["./hangs.mjs"] } });
  const { calls } = (await import(file)) as { calls: string[] };
  const warned = {
    level: "warn",
    text: "The plugin hangs: its after_tool_call did not answer within 5 s; it is not called again in this turn.",
  };
  for (const turn of [1, 2]) {
    expect((await runtime.run("go")).notices).toEqual([warned]);
    expect(calls.length).toBe(turn);
  }
  const guard = here.file(
    "guard.mjs",
    `export const calls = []; export default { name: "guard", hooks: { ${hang("before_tool_call")} } };`,
  );
  const strict = await model([{ call: [bash("a"), bash("b")] }, { say: "Done." }]);
  await here.runtime({ config: { ...strict.config, plugins: ["./guard.mjs"] } }).run("go");
  expect(((await import(guard)) as { calls: string[] }).calls.length).toBe(2);
  const told = bodyOf(strict.requests[1]).messages.slice(-2);
  expect(told.map(({ content }) => content.includes("hook_error"))).toEqual([true, true]);
}, 60_000);
