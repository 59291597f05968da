import type { Verdict } from "@smith/contract/confirm";
import { expect, test } from "vitest";
import { z } from "zod";
import type { TurnEffects } from "../src/index.ts";
import { call, type Played, play, told, tool } from "./scene.ts";

type Asked = Parameters<NonNullable<TurnEffects["confirm"]>>[0];

const YES: Verdict = { verdict: "yes" };
const kinds = ({ events }: Played) => events.map(({ type }) => type).filter((type) => type.startsWith("tool_"));

/** A turn in mode `ask` with one call of `write`, answered from the list; what was asked, and what ran. */
async function ask(...verdicts: readonly Verdict[]) {
  const asked: Asked[] = [];
  const ran: unknown[] = [];
  const write = tool("write", {
    schema: z.strictObject({ path: z.string(), count: z.number().default(1) }),
    side_effects: "some",
    targets: ({ path }) => [`/there/${path}`],
    run: async (args) => {
      ran.push(args);
      return { ok: true, content: "written" };
    },
  });
  const played = await play({
    mode: "ask",
    answers: [[call("a", "write", { path: "x" })], "ok"],
    tools: [write],
    async confirm(request) {
      asked.push(request);
      return verdicts[asked.length - 1] ?? expect.fail("asked once too often");
    },
  });
  return { ...played, asked, ran, told: told(played.added), kinds: kinds(played) };
}

const ASKED: Asked = {
  ...{ tool: "write", args: { path: "x", count: 1 }, role: "direct", job_id: null, cwd: "/work" },
  ...{ files: ["/there/x"], fault: null, doubt: null },
};

test("U39 in mode ask a call with side effects is asked about as it would run, and a yes runs it", async () => {
  const { asked, ran, told: lines, kinds: types } = await ask(YES);
  expect(asked).toEqual([ASKED]);
  expect([ran, lines]).toEqual([[{ path: "x", count: 1 }], ["a: written"]]);
  expect(types).toEqual(["tool_execution_started", "tool_execution_finished"]);
});

test("U39 a no refuses the call before it begins: one event, no intent; with a message the model reads it", async () => {
  const plain = await ask({ verdict: "no" });
  const why = await ask({ verdict: "no", message: " Put it into y. " });
  expect([plain.told, why.told]).toEqual([
    [
      "a: The user said no to this call of write: it was not run. Don't try the same another way; go on without it, or say what you would need it for.",
    ],
    ["a: The user said no to this call of write, it was not run. The user says: Put it into y."],
  ]);
  expect([plain.ran, plain.kinds, plain.intents, why.ran]).toEqual([[], ["tool_call_refused"], [], []]);
  expect(JSON.parse(String(plain.added[1]?.content)).error).toMatchObject({ kind: "policy", code: "declined" });
});

test("U39 edited arguments run in place of the model's, and the model is told which ones did", async () => {
  const { ran, told: lines, intents } = await ask({ verdict: "yes", args: { path: "y" } });
  expect(ran).toEqual([{ path: "y", count: 1 }]);
  expect(lines).toEqual([`a: written\n[the user edited the arguments; it ran with {"path":"y","count":1}]`]);
  expect(intents.map(({ args_hash, files_before }) => [args_hash, files_before])).toEqual([
    ['hash of {"count":1,"path":"y"}', { "/there/y": null }],
  ]);
});

test("U39 edited arguments that don't fit are asked about again with what is wrong; a plain yes does not run them", async () => {
  const bad = { verdict: "yes", args: { path: 7 } } as const;
  const { asked, ran } = await ask(bad, YES, { verdict: "always" }, { verdict: "yes", args: { path: "z" } });
  const fault = "✖ Invalid input: expected string, received number\n  → at path";
  const again = { ...ASKED, args: { path: 7 }, files: ["/there/7"], fault };
  expect(asked).toEqual([ASKED, again, again, again]);
  expect(ran).toEqual([{ path: "z", count: 1 }]);
  const never = await ask(...Array<Verdict>(20).fill(bad));
  expect([never.asked.length, never.ran]).toEqual([20, []]);
});

test("U39 nobody is asked about a call that does not fit, that the role may not make, or that has no side effects", async () => {
  const { added } = await play({
    mode: "ask",
    answers: [[call("a", "write", {}), call("b", "grab"), call("c", "secret"), call("d", "read")], "ok"],
    tools: [
      tool("write", { side_effects: "some", schema: z.strictObject({ path: z.string() }) }),
      tool("secret", { side_effects: "some", role_denylist: ["direct"] }),
      tool("read"),
    ],
    confirm: async ({ tool: name }) => expect.fail(`asked about ${name}`),
  });
  expect(told(added).map((line) => line.slice(0, 18))).toEqual([
    "a: The arguments o",
    "b: unknown_tool: g",
    "c: secret is denie",
    "d: read done",
  ]);
});

test("U39 decision 34: a tool that declares no side effects of its own is asked about too", async () => {
  const plugin = { ...tool("plugin__thing"), side_effects: undefined as never };
  const asked: string[] = [];
  await play({
    mode: "ask",
    answers: [[call("a", "plugin__thing")], "ok"],
    tools: [plugin],
    async confirm({ tool: name }) {
      asked.push(name);
      return YES;
    },
  });
  expect(asked).toEqual(["plugin__thing"]);
});

test("U39 TL9 the wait for an answer is not the call's own time", async () => {
  const quick = tool("quick", { side_effects: "some", deadlineS: () => 0.02 });
  const { added } = await play({
    mode: "ask",
    answers: [[call("a", "quick")], "ok"],
    tools: [quick],
    confirm: () => new Promise((resolve) => setTimeout(resolve, 60, YES)),
  });
  expect(told(added)).toEqual(["a: quick done"]);
});
