import { expect, test } from "vitest";
import { z } from "zod";
import { createToolRegistry } from "../src/index.ts";
import { call, play, told, tool } from "./scene.ts";

const contents = (added: readonly { role: string; content: unknown }[]) =>
  added.filter((message) => message.role === "tool").map((message) => message.content);

test("TL8 TL12 fault 135 an unknown tool is answered with the names there are, as JSON the model can read", async () => {
  const { added } = await play({ answers: [[call("a", "grab")], "ok"], tools: [tool("read"), tool("bash")] });
  const message = "unknown_tool: grab. The tools are: read, bash.";
  expect(contents(added)).toEqual([
    JSON.stringify({ ok: false, output: "", error: { kind: "tool", code: "unknown_tool", message } }),
  ]);
});

test("P7 P9 fault 135 a tool that its own lists deny to the role is neither offered nor run", async () => {
  let ran = 0;
  const secret = tool("secret", { role_denylist: ["direct"], run: async () => ({ ok: true, content: `${++ran}` }) });
  const only = tool("only", { role_allowlist: ["worker"] });
  const { added, requests } = await play({
    answers: [[call("a", "secret"), call("b", "only")], "ok"],
    tools: [secret, only, tool("read")],
  });
  expect(requests[0]?.tools.map((spec) => spec.name)).toEqual(["read"]);
  expect(told(added)).toEqual([
    "a: secret is denied: secret is not for direct (tool's own list). Allowed: read.",
    "b: only is denied: only is not for direct (tool's own list). Allowed: read.",
  ]);
  expect(ran).toBe(0);
});

test("T16 TL13 B41 arguments that are no JSON object or don't fit never run, and the answer says where", async () => {
  const ran: unknown[] = [];
  const write = tool("write", {
    schema: z.strictObject({ path: z.string() }),
    side_effects: "some",
    run: async (args) => {
      ran.push(args);
      return { ok: true, content: "written" };
    },
  });
  const { added, intents } = await play({
    answers: [
      [
        call("a", "write", '{"path": "x"'),
        call("b", "write", "[1]"),
        call("c", "write", "{}"),
        call("d", "write", '{"path":"x","mode":1}'),
        call("e", "write", '{"path":"x"}'),
      ],
      "ok",
    ],
    tools: [write],
  });
  const lines = told(added);
  expect(lines[0]).toMatch(/^a: The arguments are no JSON object: .*position 12.* The call was not run/);
  expect(lines.slice(1)).toEqual([
    "b: The arguments are no JSON object: expected an object, got an array. The call was not run; send it again with valid JSON.",
    "c: The arguments of write don't fit: ✖ Invalid input: expected string, received undefined   → at path",
    'd: The arguments of write don\'t fit: ✖ Unrecognized key: "mode"',
    "e: written",
  ]);
  expect(ran).toEqual([{ path: "x" }]);
  expect(intents.map((intent) => intent.call_id)).toEqual(["e"]);
});

test("B36 empty argument text runs a tool that needs none, once, with an empty object", async () => {
  const ran: unknown[] = [];
  const list = tool("list", {
    schema: z.strictObject({}),
    run: async (args) => {
      ran.push(args);
      return { ok: true, content: "none" };
    },
  });
  await play({ answers: [[call("a", "list", ""), call("b", "list", " ")], "ok"], tools: [list] });
  expect(ran).toEqual([{}, {}]);
});

test("TL3 a handler that throws anything, or returns nothing, is a failed result", async () => {
  const throwing = (thrown: unknown) => tool(`t${String(thrown)}`, { run: () => Promise.reject(thrown) });
  const nothing = tool("nothing", { run: async () => undefined as never });
  const { added } = await play({
    answers: [[call("a", "tx"), call("b", "t7"), call("c", "tundefined"), call("d", "nothing")], "ok"],
    tools: [throwing("x"), throwing(7), throwing(undefined), nothing],
  });
  expect(told(added)).toEqual([
    "a: x",
    "b: Something that is no error was thrown: 7",
    "c: Something that is no error was thrown: undefined",
    "d: The tool nothing returned no result.",
  ]);
});

test("TL3 fault 183 the same tool twice at once, throws of what is no error, and what is no outcome: one result each, in call order", async () => {
  let started = 0;
  let both = () => {};
  const together = new Promise<void>((resolve) => {
    both = resolve;
  });
  const twin = tool("twin", {
    run: async ({ n }) => {
      if (++started === 2) both();
      await together; // the first ends only when the second has begun
      return { ok: true, content: `twin ${n}` };
    },
  });
  const odd: Readonly<Record<string, () => unknown>> = {
    nothing: () => undefined,
    nil: () => null,
    text: () => "done",
    number: () => ({ ok: true, content: 5 }),
    empty: () => ({}),
    sync: () => {
      throw { message: "half an error" };
    },
    symbol: () => Promise.reject(Symbol("s")),
    nilThrown: () => Promise.reject(null),
  };
  const names = Object.keys(odd);
  const { added, end } = await play({
    answers: [
      [call("x", "twin", { n: 1 }), call("y", "twin", { n: 2 }), ...names.map((name) => call(name, name))],
      "ok",
    ],
    tools: [twin, ...names.map((name) => tool(name, { run: odd[name] as never }))],
  });
  expect(told(added)).toEqual([
    ...["x: twin 1", "y: twin 2"],
    ...["nothing", "nil", "text", "number", "empty"].map((name) => `${name}: The tool ${name} returned no result.`),
    "sync: half an error",
    "symbol: Something that is no error was thrown: Symbol(s)",
    "nilThrown: Something that is no error was thrown: null",
  ]);
  expect([end.stop_reason, end.tool_calls]).toEqual(["completed", names.length + 2]);
});

test("TL9 fault 183 a call that never settles, and heeds no abort, does not hold a cancelled turn", async () => {
  const deaf = tool("deaf", { deadlineS: () => 600, run: () => new Promise(() => {}) });
  const begun = performance.now();
  const { added, end } = await play({
    answers: [[call("a", "deaf"), call("b", "deaf")]],
    tools: [deaf],
    onEvent: (event, cancel) => void (event.type === "tool_execution_started" && setImmediate(cancel, "ctrl-c")),
  });
  expect([end.stop_reason, end.error?.message, told(added)]).toEqual([
    "cancelled",
    "ctrl-c",
    ["a: ctrl-c", "b: ctrl-c"],
  ]);
  expect(performance.now() - begun).toBeLessThan(5000); // not the ten minutes of its own
});

test("TL9 TL10 N10 N11 a handler that hangs is stopped at its deadline, sees the abort, and its timer is gone", async () => {
  let aborted = false;
  const hang = tool("hang", {
    deadlineS: () => 0.05,
    run: (_args, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          resolve({ ok: false, content: "half", error: { code: "aborted", message: "stopped" } });
        });
      }),
  });
  const { added } = await play({ answers: [[call("a", "hang")], "ok"], tools: [hang] });
  expect(contents(added)).toEqual([
    JSON.stringify({ ok: false, output: "half", error: { kind: "tool", code: "timeout", message: "stopped" } }),
  ]);
  expect(aborted).toBe(true);
});

test("TL9 a handler that never settles can't hold the turn", async () => {
  const deaf = tool("deaf", { deadlineS: () => 0.02, run: () => new Promise(() => {}) });
  const { added } = await play({ answers: [[call("a", "deaf")], "ok"], tools: [deaf] });
  expect(told(added)).toEqual(["a: timeout: deaf exceeded 0.02 s and was stopped."]);
});

test("TL11 N12 output above the cap is cut and the cut is counted; a tool's own cap wins", async () => {
  const long = (name: string, max_chars?: number) =>
    tool(name, { run: async () => ({ ok: true, content: "x".repeat(25_000) }), ...(max_chars ? { max_chars } : {}) });
  const { added } = await play({
    answers: [[call("a", "plain"), call("b", "wide")], "ok"],
    tools: [long("plain"), long("wide", 30_000)],
  });
  expect(contents(added)).toEqual([`${"x".repeat(20_000)}\n[truncated, 5000 characters omitted]`, "x".repeat(25_000)]);
});

test("TL6 a cut-off call changed nothing when its files hash as before, else its receipt names them; unknown files are unknown", async () => {
  const cut = (name: string, targets?: readonly string[]) =>
    tool(name, {
      side_effects: "some",
      deadlineS: () => 0.01,
      run: () => new Promise(() => {}),
      ...(targets ? { targets: () => targets } : {}),
    });
  const hashes: Record<string, string | null> = { "/same": "h1", "/other": "h2" };
  const { events, receipts } = await play({
    answers: [[call("a", "same"), call("b", "other"), call("c", "bash"), call("d", "read"), call("e", "done")], "ok"],
    tools: [
      cut("same", ["/same"]),
      cut("other", ["/other"]),
      cut("bash"),
      tool("read", { deadlineS: () => 0.01, run: () => new Promise(() => {}) }),
      tool("done", { side_effects: "some" }),
    ],
    hashes,
    onEvent: (event) => {
      if (event.type === "tool_execution_started" && event.tool === "other")
        setImmediate(() => (hashes["/other"] = "h3"));
    },
  });
  const states = events.flatMap((event) =>
    event.type === "tool_execution_finished" ? [`${event.tool} ${event.mutation_state}`] : [],
  );
  expect(states).toEqual(["same none", "other attempted", "bash unknown", "read none", "done attempted"]);
  const touched = [{ path: "/other", hash_before: "h2", hash_after: "h3" }];
  expect(receipts.map(({ files }) => files)).toEqual([[], touched, [], [], []]);
});

test("TL4 E15 events come in pairs, an intent precedes each effect; a refused call has one event of its own", async () => {
  const { events, intents } = await play({
    answers: [[call("a", "write", { b: 1, a: 2 }), call("b", "gone", { c: 3 })], "ok"],
    tools: [tool("write", { side_effects: "some", targets: () => ["/f"] })],
    hashes: { "/f": "h" },
  });
  expect(events.filter((event) => event.type.startsWith("tool_")).map((event) => event.type)).toEqual([
    "tool_execution_started",
    "tool_execution_finished",
    "tool_call_refused",
  ]);
  expect(events.find((event) => event.type === "tool_call_refused")).toMatchObject({
    ...{ call_id: "b", tool: "gone", args: { c: 3 } },
    error: { kind: "tool", code: "unknown_tool", message: "unknown_tool: gone. The tools are: write." },
  });
  expect(intents).toEqual([
    { call_id: "a", tool: "write", args_hash: 'hash of {"a":2,"b":1}', files_before: { "/f": "h" }, ts: 0 },
  ]);
});

test("TL2 a second tool of the same name is refused", () => {
  expect(() => createToolRegistry([tool("read"), tool("read")])).toThrow("duplicate_tool: read");
});

test("TL50 a renderer that throws costs its summary, not the call", async () => {
  const odd = tool("odd", {
    result_renderer: () => {
      throw new Error("no");
    },
  });
  const { added, events } = await play({ answers: [[call("a", "odd")], "ok"], tools: [odd] });
  expect(told(added)).toEqual(["a: odd done"]);
  expect(events.flatMap((event) => (event.type === "tool_execution_finished" ? [event.summary] : []))).toEqual([
    "8 characters",
  ]);
});
