import type { ChildOutcome } from "@smith/contract/dispatch";
import type { ToolCall } from "@smith/contract/message";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import { jobId } from "@smith/engine";
import { openStore } from "@smith/store";
import { expect, test } from "vitest";
import { hashFile } from "../src/hash.ts";
import { call, deadStore, goOn, intent, openTurn } from "./killed-scene.ts";
import { model, place } from "./place.ts";

const CUT = "interrupted: the process ended before this call finished\nmutation_state:";

test("promises P2 P3 fault 4 the next turn finds out by hash what the open calls of a killed one did, and says so in one line", async () => {
  const here = place();
  const [same, other, made] = [here.file("same.txt", "as it was"), here.file("other.txt", "old"), here.file("x", "")];
  const store = await deadStore(here);
  const calls = ["edit", "edit", "write", "bash", "read", "write"].map((name, at) => call(`k${at}`, name));
  const turn = await openTurn(store, { calls });
  await turn.intend(intent("k0", "edit", { [same]: await hashFile(same) }));
  await turn.intend(intent("k1", "edit", { [other]: await hashFile(other) }));
  await turn.intend(intent("k2", "write", { [made]: null }));
  await turn.intend(intent("k3", "bash", null));
  here.file("other.txt", "new");

  const { result, events, results } = await goOn(here);
  expect(results).toEqual({
    k0: `${CUT} none (unchanged: ${same})`,
    k1: `${CUT} attempted (changed since: ${other})`,
    k2: `${CUT} attempted (changed since: ${made})`,
    k3: `${CUT} unknown (it may have run in part or in full; look at what it was to change before you repeat it)`,
    k4: `${CUT} none (it had not begun, or has no side effects)`,
    k5: `${CUT} none (it had not begun, or has no side effects)`,
  });
  const told =
    "recovered t1, which its process did not finish: 1 round kept, cut off: edit (none), edit (attempted), write (attempted), bash (unknown), read (none), write (none). Nothing is run again by itself.";
  expect(result).toMatchObject({ turn_id: "t2", text: "went on", notices: [{ level: "warn", text: told }] });
  expect(events.filter(({ type }) => type === "turn_recovered")).toMatchObject([
    { turn_id: "t1", rounds: 1, open_calls: 6 },
  ]);
});

test("promise P2 fault 1 text that had streamed is kept, marked as cut off, and nothing is told twice", async () => {
  const here = place();
  const store = await deadStore(here);
  const turn = await openTurn(store, { calls: [] });
  await turn.partial("Half a sen");
  const first = await goOn(here);
  expect(first.result.notices.map(({ text }) => text)).toEqual([
    "recovered t1, which its process did not finish: 1 round kept, no call was open. Nothing is run again by itself.",
  ]);
  const stored = (await first.store.conversation.messages("c1")).messages;
  expect(stored.map(({ content }) => content)).toEqual(["do it", "At it.", "Half a sen", "and now?", "went on"]);
  expect(stored[2]).toMatchObject({ role: "assistant", is_error: true });
  expect((await goOn(here)).result).toMatchObject({ turn_id: "t3", notices: [] });
});

const task = { target_role: "worker", task: "mend a.ts" };
const job = (call_id: string, conversation_id = "c1") => jobId({ conversation_id, turn_id: "t1", call_id });

const outcome: ChildOutcome = {
  ...{ report: null, invalid_reports: 0, stop_reason: "completed", cancelled: false, error: null, last_text: "" },
  ...{ rounds: 2, tool_calls: 3, files_changed: [], usage: UNKNOWN_USAGE, duration_ms: 5, dispatches: [], account: [] },
};
const report = { status: "ok" as const, summary: "mended", findings: [], evidence: [], changes: [], verification: [] };

test("promise P5 an open dispatch takes the outcome its child left, else what the child had reported or come to, exactly one each", async () => {
  const here = place();
  const file = here.file("a.ts", "before");
  const store = await deadStore(here);
  await openTurn(store, {
    calls: ["done", "reported", "told", "cut", "never", "bad"].map((id) =>
      call(id, "dispatch", { bad: {}, told: { ...task, target_role: "explorer" } }[id] ?? task),
    ),
  });
  await store.note.put(
    `job-${job("done")}`,
    "outcome",
    JSON.stringify({ ...outcome, report: { ...report, limitations: [] } }),
  );
  const child = (id: string, calls: readonly ToolCall[]) =>
    openTurn(store, { id: `job-${job(id)}`, parent: "c1", role: "worker", calls });
  const reported = await child("reported", [call("r", "report", { status: "ok", summary: "all well" })]);
  await reported.append({
    ...{
      role: "tool",
      content: "reported",
      tool_call_id: "r",
      name: "report",
      ok: true,
      turn_id: "t1",
      round: 1,
      ts: 1_002,
    },
  });
  const quote = { path: "a.ts", quote: "a line that only the child was shown" };
  const finding = { status: "ok", summary: "seen", findings: ["it is there"], evidence: [quote] };
  const told = await child("told", [call("l", "bash", {}), call("r", "report", finding)]);
  for (const [id, name, content] of [
    ["l", "bash", `${quote.quote}\n`],
    ["r", "report", "reported"],
  ] as const) {
    await told.append({ role: "tool", content, tool_call_id: id, name, ok: true, turn_id: "t1", round: 1, ts: 1_002 });
  }
  const explore = { target_role: "explorer", task: "look" };
  const cut = await child("cut", [call("e", "edit"), call("d", "dispatch", explore)]);
  await cut.intend(intent("e", "edit", { [file]: await hashFile(file) }));
  here.file("a.ts", "after");

  const { results, result, store: after } = await goOn(here);
  const found = (id: string) => JSON.parse(results[id] ?? "") as Record<string, unknown>;
  expect(found("done")).toMatchObject({ status: "ok", summary: "mended", synthetic: false, rounds: 2 });
  expect(found("reported")).toMatchObject({ status: "ok", summary: "all well", synthetic: false, error: null });
  expect(found("told")).toMatchObject({ status: "ok", findings: ["it is there"], evidence_check: [{ index: 0 }] });
  expect(found("cut")).toMatchObject({
    ...{ status: "partial", summary: "At it.", synthetic: true, cancelled: false, error: { code: "interrupted" } },
    changes: [{ path: file }],
    changes_check: { claimed_and_done: [file], claimed_not_done: [], done_not_claimed: [], shared: [] },
    verification_check: [],
  });
  expect(await after.receipt.list(`job-${job("cut")}`, "t1")).toMatchObject([
    { receipt_id: "r1", job_id: job("cut"), call_id: "e", tool: "edit", ok: false, mutation_state: "attempted" },
  ]);
  expect(found("never")).toMatchObject({ status: "blocked", synthetic: true, error: { code: "interrupted" } });
  expect(results["bad"]).toBe(`${CUT} none (it had not begun, or has no side effects)`);
  for (const id of ["done", "reported", "cut", "never"]) {
    expect(found(id)["recall_key"]).toBe(`dispatch/${job(id)}`);
    expect(await after.note.get("c1", `scratchpad:dispatch/${job(id)}`)).toBe(results[id]);
  }
  const inner = (await after.conversation.messages(`job-${job("cut")}`)).messages;
  expect(inner.slice(-2)).toMatchObject([
    { role: "tool", tool_call_id: "e", content: `${CUT} attempted (changed since: ${file})` },
    { role: "tool", tool_call_id: "d", ok: true, recall_key: `dispatch/${job("d", `job-${job("cut")}`)}` },
  ]);
  expect(result.notices[0]?.text).toContain(
    "dispatch (worker ok), dispatch (worker ok), dispatch (explorer ok), dispatch (worker partial), dispatch (worker blocked), dispatch (none)",
  );
});

test("fault 11 a conversation in which another process is at work is refused before anything is asked or written", async () => {
  const here = place();
  const living = (await openStore({ file: here.database, now: () => 1_000, pid: process.ppid })).store;
  const turn = await openTurn(living, { calls: [] });
  const llm = await model([]);
  const runtime = here.runtime({ config: llm.config });
  await expect(runtime.run("me too", { conversation_id: "c1" })).rejects.toMatchObject({
    ...{ code: "conversation_busy", data: { pid: process.ppid } },
    message: expect.stringMatching(new RegExp(`process ${process.ppid}.*--fork`)),
  });
  await turn.append({ role: "assistant", content: "still here", turn_id: "t1", round: 2, ts: 1_003 });
  expect((await living.conversation.messages("c1")).messages.map(({ content }) => content)).toEqual([
    ...["do it", "At it.", "still here"],
  ]);
});
