import { findCommand, splitWords, takeFlags } from "@smith/commands";
import type { CommandAnswer, CommandHost } from "@smith/contract/command";
import { AgentError } from "@smith/contract/error";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import type { Store } from "@smith/contract/store";
import { createMemoryStore } from "@smith/testkit";
import { expect, test } from "vitest";
import { createConversationService } from "../src/conversation.ts";
import { createSessions } from "../src/sessions-host.ts";

const TS = new Date(2026, 0, 31, 9, 5).getTime();

/** The command over a store with five conversations, two of them jobs' and one of another project. */
async function scene() {
  const store = createMemoryStore();
  await play(store, { id: "abc1", ts: TS });
  await play(store, { id: "abd2", ts: TS + 60_000 });
  await play(store, { id: "job9", ts: TS + 120_000, parent: "abc1" });
  await play(store, { id: "job8", ts: TS + 180_000, parent: "job9" });
  await play(store, { id: "far7", ts: TS + 240_000, project_id: "p2" });
  // Only the parts that `sessions` works on; the others are proved through whole runtimes.
  let copies = 0;
  const conversation = createConversationService({ store, newId: () => "new1", recover: async () => null });
  const parts = {
    store,
    conversation,
    projectId: () => "p1",
    newId: () => `copy${++copies}`,
    tell: async () => {},
    now: () => TS + 300_000,
  };
  const session = { conversation: conversation.current, startAfresh: conversation.leave };
  const host = { sessions: createSessions(parts).port, session } as CommandHost;
  const run = async (line: string): Promise<CommandAnswer> => {
    const command = findCommand("sessions", "cli");
    if (command === undefined) throw new Error("no command sessions");
    const call = takeFlags(splitWords(line), command);
    return "say" in call ? call : command.run(call, host);
  };
  return {
    store,
    run,
    ids: async (line: string) => ((await run(line)).data as { id: string }[]).map(({ id }) => id),
    /** `code: message` of what it throws. */
    refused: async (line: string): Promise<string> =>
      await run(line).then(
        (answer) => `answered: ${answer.say}`,
        (error: unknown) => (error instanceof AgentError ? `${error.code}: ${error.message}` : String(error)),
      ),
  };
}

interface Played {
  readonly id: string;
  readonly ts: number;
  readonly parent?: string | null;
  readonly project_id?: string;
}

async function play(store: Store, { id, ts, parent = null, project_id = "p1" }: Played) {
  const user = { role: "user" as const, content: `fix ${id}`, round: 0, ts };
  const turn = await store.turn.open({ conversation_id: id, project_id, parent, role: "direct", ts, user });
  const tool_calls = [{ id: "k1", name: "read", arguments: '{"path":"a.ts"}' }];
  const place = { turn_id: turn.turn_id, round: 1, ts };
  await turn.append({ role: "assistant", content: "I look.", tool_calls, ...place });
  await turn.append({ role: "tool", content: "a.ts · 1 lines", tool_call_id: "k1", name: "read", ok: true, ...place });
  await turn.append({ role: "assistant", content: "Done.", ...place, round: 2 });
  const spent = { model: "m", provider: "default", rounds: 2, tool_calls: 1, usage: UNKNOWN_USAGE, children: [] };
  await turn.close({ ts, stop_reason: "completed", ...spent });
}

test("sessions list has this project's, last used first; --children adds those of jobs, --all those of every project", async () => {
  const { run, ids } = await scene();
  expect(await ids("list")).toEqual(["abd2", "abc1"]);
  expect(await ids("")).toEqual(["abd2", "abc1"]);
  expect(await ids("list --children")).toEqual(["job8", "job9", "abd2", "abc1"]);
  expect(await ids("list --all")).toEqual(["far7", "abd2", "abc1"]);
  expect(await ids("list --all --children")).toEqual(["far7", "job8", "job9", "abd2", "abc1"]);
  expect((await run("list --children")).say.split("\n").at(1)).toBe(
    "job9        2026-01-31 09:07  1 turn, 4 messages      fix job9  (job of abc1)",
  );
});

test("sessions list as JSON has exactly the fields of the contract", async () => {
  const { run } = await scene();
  const { data } = await run("list");
  expect(JSON.stringify((data as unknown[])[1])).toBe(
    `{"id":"abc1","name":"fix abc1","project_id":"p1","turns":1,"messages":4,"updated_at":${TS},"parent":null}`,
  );
});

test("sessions show tells the transcript, by a whole id or a unique beginning", async () => {
  const { run } = await scene();
  const { say, data } = await run("show abc");
  expect(say).toBe(
    [
      "abc1  2026-01-31 09:05  fix abc1",
      "> fix abc1",
      'I look.\n[call read {"path":"a.ts"}]',
      "[read] a.ts · 1 lines",
      "Done.",
    ].join("\n\n"),
  );
  expect(data).toMatchObject({ id: "abc1", parent: null, unreadable: 0, messages: [{ role: "user" }, {}, {}, {}] });
  expect((await run("show far7")).say).toContain("fix far7");
  expect((await run("show job9")).say).toContain("fix job9");
});

test("sessions delete removes a session with those of its jobs, and nothing else", async () => {
  const { run, ids } = await scene();
  expect((await run("delete abc")).say).toBe("deleted abc1: fix abc1");
  expect(await ids("list --all --children")).toEqual(["far7", "abd2"]);
});

test("an id that means no session, or more than one, is refused, and nothing is deleted", async () => {
  const { refused, ids } = await scene();
  expect(await refused("delete ab")).toBe(
    'unknown_conversation: No one session is meant by "ab". It begins 2 ids: abd2, abc1.',
  );
  for (const id of ["far", "zzz", "abc12", "a:b", "%", "a_"]) {
    expect(await refused(`delete ${id}`)).toBe(
      `unknown_conversation: No one session is meant by ${JSON.stringify(id)}. Nothing of this project begins so, and no session of any project is called so. smith sessions list --all shows them.`,
    );
  }
  expect((await ids("list --all --children")).length).toBe(5);
});

test("a call that does not fit is answered with the usage", async () => {
  const { run } = await scene();
  for (const line of [
    "delete",
    'delete ""',
    "show",
    "list x",
    "delete a b",
    "drop abc1",
    "rename abc1",
    "rename",
    "export",
    "export abc1 --format pdf",
    "fork",
  ]) {
    expect(await run(line)).toMatchObject({ ok: false, misuse: true });
  }
});

test("a session in which a turn runs is not deleted", async () => {
  const { store, refused, ids } = await scene();
  const user = { role: "user" as const, content: "more", round: 0, ts: TS };
  await store.turn.open({ conversation_id: "abc1", project_id: "p1", parent: null, role: "direct", ts: TS, user });
  expect(await refused("delete abc1")).toMatch(/^conversation_busy: /);
  expect(await ids("list --children")).toHaveLength(4);
});

test("S1 sessions export is Markdown, or JSON lines of meta and messages, or one object", async () => {
  const { run } = await scene();
  expect((await run("export abc")).say).toBe(
    [
      "# fix abc1",
      "Session abc1, 2026-01-31 09:05, 1 turns.",
      "## User",
      "fix abc1",
      "## Smith",
      "I look.",
      "Calls **read**",
      '```\n{"path":"a.ts"}\n```',
      "**read**",
      "```\na.ts · 1 lines\n```",
      "## Smith",
      "Done.",
    ].join("\n\n"),
  );
  const lines = (await run("export abc1 --format jsonl")).say.split("\n").map((line) => JSON.parse(line));
  const shown = (await run("show abc1")).data as { messages: { ts: number }[] };
  const { messages, unreadable, ...row } = shown as typeof shown & { unreadable: number };
  expect(lines).toEqual([
    { ts: TS, kind: "meta", meta: { type: "session", ...row, messages: 4, unreadable } },
    ...messages.map((message) => ({ ts: message.ts, kind: "message", message })),
  ]);
  const { say, data } = await run("export abc1 --format json");
  expect(JSON.parse(say)).toEqual(shown);
  expect(data).toEqual(shown);
});

test("sessions rename names, fork copies up to a turn and prints the new id", async () => {
  const { run, refused, ids, store } = await scene();
  expect((await run("rename abc the  parser")).say).toBe("renamed abc1: the parser");
  await play(store, { id: "abc1", ts: TS + 240_000 });
  expect(await run("fork abc1 --turn t1")).toMatchObject({
    say: "copy1",
    data: { name: "the parser (fork)", turns: 1 },
  });
  expect(await ids("list")).toEqual(["copy1", "abc1", "abd2"]);
  expect(await refused("fork abd2 --turn t9")).toBe(
    'unknown_turn: The session abd2 has no finished turn "t9"; its turns are t1 to t1.',
  );
  expect(await ids("list --all --children")).toHaveLength(6);
});
