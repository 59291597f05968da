import { createCancel } from "@smith/contract/cancel";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import type { AnyTool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { createMemoryStore } from "@smith/testkit";
import { createMemoryTools } from "../src/index.ts";

export const NOW = 1_700_000_000_000;

/** The memory tools over a store in memory; new notes are named `m1`, `m2`, …. */
export function memoryScene() {
  const store = createMemoryStore();
  let ids = 0;
  const tools = createMemoryTools(store, { now: () => NOW, newId: () => String(++ids) });
  const { signal } = createCancel();
  const context = (over: Partial<ToolContext>): ToolContext => ({
    role: "direct",
    conversation_id: "c1",
    turn_id: "t1",
    project_id: "p1",
    job_id: null,
    mode: "full",
    call_id: "k1",
    cwd: "/",
    project_root: null,
    signal,
    isCancelled: () => false,
    ...over,
  });
  const tool = (name: string): AnyTool => {
    const found = tools.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  const run = async (name: string, args: unknown, over: Partial<ToolContext> = {}): Promise<ToolOutcome> =>
    await tool(name).run(tool(name).schema.parse(args), context(over));
  return {
    store,
    tools,
    tool,
    run,
    /** What the model reads; a failure as `code: message`. */
    async told(name: string, args: unknown, over: Partial<ToolContext> = {}): Promise<string> {
      const { ok, content, error } = await run(name, args, over);
      return ok ? content : `${error?.code}: ${error?.message}`;
    },
    /** One whole turn: a line and an answer. */
    async talk(conversation_id: string, project_id: string, answer: string): Promise<void> {
      const user = { role: "user" as const, content: `line of ${conversation_id}`, round: 0, ts: NOW };
      const turn = await store.turn.open({ conversation_id, project_id, parent: null, role: "direct", ts: NOW, user });
      const calls = [{ id: "k1", name: "read", arguments: '{"path": "a.ts"}' }];
      const place = { turn_id: turn.turn_id, round: 1, ts: NOW };
      await turn.append({ role: "assistant", content: "", tool_calls: calls, ...place });
      await turn.append({
        role: "tool",
        content: "one 🌍\r\n",
        tool_call_id: "k1",
        name: "read",
        ok: true,
        ...place,
      });
      await turn.append({ role: "assistant", content: answer, ...place, round: 2 });
      const closing = { ts: NOW, model: "m", provider: "default", rounds: 2, tool_calls: 1, children: [] };
      await turn.close({ ...closing, stop_reason: "completed", usage: UNKNOWN_USAGE });
    },
  };
}
