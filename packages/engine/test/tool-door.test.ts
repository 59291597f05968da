import type { ToolContext, ToolResult } from "@smith/contract/tool";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  blindWatch,
  createExecutor,
  createReceiptBook,
  createRoles,
  createSlots,
  createToolRegistry,
  type PolicyOptions,
} from "../src/index.ts";
import { call, tool } from "./scene.ts";

const POLICY: PolicyOptions = { mode: "full", enabled: "all", extra: [] };
const direct = createRoles().resolve("direct");

test("TL1 the registry takes tools in, gives them back by name and in order, and makes one spec of each for the model", () => {
  const read = tool("read", { schema: z.strictObject({ path: z.string().describe("a file") }) });
  const registry = createToolRegistry([read]);
  const git = tool("git");
  const bash = tool("bash", { side_effects: "some" });
  for (const each of [git, bash]) registry.register(each);
  expect([registry.get("git"), registry.get("grab"), registry.get("toString")]).toEqual([git, undefined, undefined]);
  expect(registry.list()).toEqual([read, git, bash]);
  const own = registry.forRole(direct, POLICY);
  expect([own.names, own.get("bash"), own.role]).toEqual([["read", "bash"], bash, "direct"]); // git is not for direct
  expect(own.specs[0]).toEqual({
    name: "read",
    description: "read",
    parameters: {
      type: "object",
      properties: { path: { type: "string", description: "a file" } },
      required: ["path"],
      additionalProperties: false,
    },
  });
  expect(own.specs.map(({ name }) => name)).toEqual(own.names);
});

/** One call by the public executor, of a job of an explorer. */
async function run(over: Parameters<typeof tool>[1], signal = new AbortController().signal): Promise<ToolResult> {
  const scope = {
    ...{ conversation_id: "c", turn_id: "t7", project_id: "p", job_id: "j1", mode: "full" as const },
    ...{ cwd: "/there/sub", project_root: "/there" },
  };
  const execute = createExecutor({
    ...{ tools: createToolRegistry([tool("read", over)]).forRole(createRoles().resolve("explorer"), POLICY), scope },
    ...{ signal, emit: () => {}, now: () => 0, hashText: String, confirm: null, hooks: null },
    ...{ hashFile: async () => null, keepFile: async () => null, intend: async () => {} },
    processes: createSlots(() => 1),
    receipts: createReceiptBook({
      ...{ job_id: "j1", watch: blindWatch("no tree"), hashText: String },
      keep: async () => null,
    }),
  });
  return execute(call("k1", "read", {}));
}

test("TL5 Q7 a result has its call, verdict, content, error, cancel, mutation state and metadata, whatever became of the call", async () => {
  const file = { path: "/there/a", hash_before: null, hash_after: "h" };
  const made = await run({ run: async () => ({ ok: true, content: "x\n", files: [file], metadata: { n: 1 } }) });
  const shared = { call_id: "k1", tool: "read", terminal: false };
  expect(made).toEqual({
    ...{ ...shared, ok: true, content: "x\n[receipt r1]", error: null, cancelled: false, mutation_state: "none" },
    ...{ metadata: { n: 1 }, files: [file], ran: true },
  });
  const error = { kind: "tool", code: "gone", message: "It is gone." } as const;
  const failed = await run({ side_effects: "some", run: async () => ({ ok: false, content: "half", error }) });
  expect(failed).toEqual({
    ...{ ...shared, ok: false, content: expect.stringContaining('{"ok":false,"output":"half","error":{"kind":"tool"') },
    ...{ error: { ...error, retryable: false, origin: "tool", data: {}, cause: null }, cancelled: false },
    ...{ mutation_state: "attempted", metadata: {}, files: [], ran: true },
  });
  const cancelled = await run({}, AbortSignal.abort(new Error("ctrl-c")));
  expect([cancelled.call_id, cancelled.ok, cancelled.cancelled, cancelled.ran]).toEqual(["k1", false, true, false]);
});

test("TL7 a handler is given its role, turn, call, signal and the scope of whom it works for, frozen", async () => {
  const cancel = new AbortController();
  let seen: ToolContext | null = null;
  let before = true;
  await run(
    {
      run: async (_args, context) => {
        [seen, before] = [context, context.isCancelled()];
        cancel.abort(new Error("ctrl-c"));
        return { ok: true, content: "" };
      },
    },
    cancel.signal,
  );
  expect(seen).toEqual({
    ...{ role: "explorer", conversation_id: "c", turn_id: "t7", project_id: "p", job_id: "j1", mode: "full" },
    ...{ call_id: "k1", cwd: "/there/sub", project_root: "/there" },
    ...{ signal: expect.any(AbortSignal), isCancelled: expect.any(Function) },
  });
  const context = seen as ToolContext | null;
  expect([before, context?.isCancelled(), context?.signal.aborted, Object.isFrozen(context)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
});
