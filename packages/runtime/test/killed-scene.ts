import { spawnSync } from "node:child_process";
import type { AgentEvent } from "@smith/contract/event";
import type { AssistantMessage, ToolCall } from "@smith/contract/message";
import type { Intent, OpenTurn, Store } from "@smith/contract/store";
import { canonical } from "@smith/engine";
import { openStore } from "@smith/store";
import { hash16 } from "../src/hash.ts";
import { model, type Place } from "./place.ts";

/** A store of a process that is gone, as far as its turns tell. */
export async function deadStore({ database }: Place): Promise<Store> {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  return (await openStore({ file: database, now: () => 1_000, pid })).store; // never closed: it was killed
}

interface Opened {
  readonly id?: string;
  readonly parent?: string | null;
  readonly role?: string;
  readonly project_id?: string;
  readonly calls: readonly ToolCall[];
}

export async function openTurn(store: Store, opened: Opened): Promise<OpenTurn> {
  const { id = "c1", parent = null, role = "direct", project_id = "p", calls } = opened;
  const user = { role: "user" as const, content: "do it", round: 0, ts: 1_000 };
  const turn = await store.turn.open({ conversation_id: id, project_id, parent, role, ts: 1_000, user });
  const message: AssistantMessage = {
    role: "assistant",
    content: "At it.",
    turn_id: turn.turn_id,
    round: 1,
    ts: 1_001,
  };
  await turn.append(calls.length === 0 ? message : { ...message, tool_calls: [...calls] });
  return turn;
}

export const call = (id: string, name: string, args: object = {}): ToolCall => ({
  id,
  name,
  arguments: JSON.stringify(args),
});

export const intent = (
  call_id: string,
  tool: string,
  files_before: Intent["files_before"],
  args: object = {},
): Intent => ({ call_id, tool, args_hash: hash16(canonical(args)), files_before, ts: 1_001 });

/** The next turn of the conversation in a living process. */
export async function goOn(here: Place) {
  const llm = await model([{ say: "went on" }]);
  const runtime = here.runtime({ config: llm.config });
  const events: AgentEvent[] = [];
  runtime.subscribe((event) => void events.push(event));
  const result = await runtime.run("and now?", { conversation_id: "c1" });
  const { services } = await runtime.start();
  const { messages } = await services.persistence.conversation.messages("c1");
  const results = messages.flatMap((message) =>
    message.role === "tool" ? [[message.tool_call_id, message.content]] : [],
  );
  return {
    runtime,
    result,
    events,
    store: services.persistence,
    results: Object.fromEntries(results) as Record<string, string>,
  };
}
