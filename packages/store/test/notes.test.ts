import { UNKNOWN_USAGE } from "@smith/contract/model";
import { expect, test } from "vitest";
import { leaseOf } from "../src/lease.ts";
import { closing, NOW, opening, play, refusal, says, USAGE } from "./support/example.ts";
import { beside, namesOf, newFile, open, recordAt, refuse, rowsOf } from "./support/place.ts";

test("D15 PS16 the usage of jobs is written by job id, under the child's role, when the turn closes", async () => {
  const file = newFile();
  const store = await open(file);
  const turn = await store.turn.open(opening("c1"));
  const children = [
    { job_id: "j1", role: "explorer", usage: USAGE },
    { job_id: "j2", role: "worker", usage: UNKNOWN_USAGE },
  ];
  await turn.close(closing({ children }));
  const place = { conversation_id: "c1", turn_id: "t1", ts: NOW + 900 };
  expect(namesOf(file).filter((name) => name.startsWith("usage"))).toEqual([
    "usage c1:t1:child:j1",
    "usage c1:t1:child:j2",
    "usage c1:t1:parent",
  ]);
  expect(recordAt(file, "usage", "c1:t1:child:j1")).toEqual({ ...USAGE, ...place, job_id: "j1", role: "explorer" });
  expect(recordAt(file, "usage", "c1:t1:child:j2")).toEqual({
    ...UNKNOWN_USAGE,
    ...place,
    job_id: "j2",
    role: "worker",
  });
  expect(recordAt(file, "usage", "c1:t1:parent")).toEqual({ ...USAGE, ...place, model: "m1", provider: "default" });
});

test("D15 PS2 the usage of jobs and the closed row come together or not at all", async () => {
  const file = newFile();
  const store = await open(file);
  const turn = await store.turn.open(opening("c1"));
  const before = rowsOf(file);
  const lift = refuse(file, "usage");
  const children = [{ job_id: "j1", role: "explorer", usage: USAGE }];
  await refusal(turn.close(closing({ children })));
  expect(rowsOf(file)).toEqual(before);
  lift();
  await turn.close(closing({ children }));
  expect(namesOf(file)).toContain("usage c1:t1:child:j1");
  expect(recordAt(file, "turn", "c1:00000001")).toMatchObject({ state: "closed" });
});

test("D15 a job id that fits no key is refused before anything is written, and the turn can be closed without it", async () => {
  const file = newFile();
  const store = await open(file);
  const turn = await store.turn.open(opening("c1"));
  const wrong = closing({ children: [{ job_id: "c1:child:j1", role: "explorer", usage: USAGE }] });
  expect((await refusal(turn.close(wrong))).code).toBe("bad_key");
  await turn.close(closing());
  expect(namesOf(file).filter((name) => name.startsWith("usage"))).toEqual(["usage c1:t1:parent"]);
});

test("PS3 each repository gives back what it was given, whole, and refuses what is no record of its kind", async () => {
  const file = newFile();
  const store = await open(file);
  await play(store, opening("c1"), "said");
  await store.note.put("c1", "scratchpad:plan", "first");
  const memory = { id: "m1", content: "use pnpm", updated_at: NOW };
  await store.memory.put("p1", memory);
  await store.config.setPatch({ max_rounds: 5 });
  expect([
    (await store.conversation.get("c1"))?.name,
    (await store.conversation.messages("c1")).messages.map(({ content }) => content),
    await store.note.get("c1", "scratchpad:plan"),
    (await store.usage.list({ project_id: "p1", since: 0 })).map(({ usage }) => usage),
    [await store.memory.get("p1", "m1"), await store.memory.list("p1")],
    await store.config.patch(),
  ]).toEqual(["fix the parser", ["fix the parser", "said"], "first", [USAGE], [memory, [memory]], { max_rounds: 5 }]);
  const before = rowsOf(file);
  const wrong = [
    store.note.put("c1", "scratchpad:x", 7 as never),
    store.memory.put("p1", { ...memory, updated_at: "now" as never }),
    store.config.setPatch({ size: 10n }),
  ];
  expect((await Promise.all(wrong.map(refusal))).map(({ kind, code }) => [kind, code])).toEqual(
    wrong.map(() => ["persistence", "bad_record"]),
  );
  expect(rowsOf(file)).toEqual(before);
});

test("PS6 PS7 notes and memories stand under their keys", async () => {
  const file = newFile();
  const store = await open(file);
  await store.note.put("c1", "scratchpad:dispatch/j1", '{"status":"ok"}');
  const memory = { id: "m1", content: "tests run offline", updated_at: NOW - 5 };
  await store.memory.put("p1", memory);
  expect(recordAt(file, "conversation_note", "c1:scratchpad:dispatch/j1")).toEqual({
    text: '{"status":"ok"}',
    updated_at: NOW,
  });
  expect(recordAt(file, "project_memory", "p1:m1")).toEqual(memory);
});

test("B57 a damaged note or memory is left out, and its neighbours stay readable", async () => {
  const file = newFile();
  const store = await open(file);
  for (const id of ["a", "b"]) {
    await store.note.put("c1", id, `of ${id}`);
    await store.memory.put("p1", { id, content: `of ${id}`, updated_at: 1 });
  }
  beside(file).exec("UPDATE kv SET value = substr(value, 1, 9) WHERE key LIKE '%:a'");
  expect(await store.note.list("c1", "")).toEqual([{ id: "b", chars: 4 }]);
  expect([await store.note.get("c1", "a"), await store.memory.get("p1", "a")]).toEqual([null, null]);
  expect(await store.memory.list("p1")).toEqual([{ id: "b", content: "of b", updated_at: 1 }]);
  expect(await store.memory.delete("p1", "a")).toBe(true);
});

test("PS17 a deleted conversation leaves no row, and is no longer the active one of its project or of all", async () => {
  const file = newFile();
  const store = await open(file);
  await play(store, opening("other"));
  await store.note.put("other", "scratchpad:k", "v");
  await play(store, opening("c2", { project_id: "p2" }));
  const before = namesOf(file);
  await play(store, opening("c1"));
  const children = [{ job_id: "j1", role: "explorer", usage: USAGE }];
  const turn = await store.turn.open(opening("c1"));
  await turn.close(closing({ children }));
  await play(store, opening("child", { parent: "c1" }));
  await store.note.put("c1", "scratchpad:k", "v");
  expect(await store.conversation.delete("c1")).toBe(true);
  const cleared = ["meta active_conversation_id", "meta active_conversation_id:p1"];
  expect(namesOf(file)).toEqual(before.filter((name) => !cleared.includes(name)));
  expect(recordAt(file, "meta", "active_conversation_id:p2")).toBe("c2");
});

test("PS17 deleting a conversation that is not the active one leaves the active one", async () => {
  const file = newFile();
  const store = await open(file);
  for (const id of ["c1", "c2"]) await play(store, opening(id));
  await store.conversation.delete("c1");
  const active = ["", ":p1"].map((end) => recordAt(file, "meta", `active_conversation_id${end}`));
  expect(active).toEqual(["c2", "c2"]);
});

test("PS2 a deletion that fails in the middle deletes nothing", async () => {
  const file = newFile();
  const store = await open(file);
  await play(store, opening("c1"));
  await play(store, opening("child", { parent: "c1" }));
  const before = rowsOf(file);
  const db = beside(file);
  db.exec("CREATE TRIGGER refuse BEFORE DELETE ON kv WHEN OLD.key = 'child' BEGIN SELECT RAISE(ABORT, 'refused'); END");
  await refusal(store.conversation.delete("c1"));
  expect(rowsOf(file)).toEqual(before);
});

test("PS20 a conversation with a turn in another process is not deleted; one that a dead process left open is", async () => {
  const file = newFile();
  const [mine, other] = [await open(file), await open(file, { pid: process.ppid })];
  await other.turn.open(opening("c1"));
  const { code, data } = await refusal(mine.conversation.delete("c1"));
  expect([code, data["pid"]]).toEqual(["conversation_busy", process.ppid]);
  const row = { ...(recordAt(file, "turn", "c1:00000001") as object) };
  const gone = { ...row, lease: { ...leaseOf(process.ppid), boot_id: "another" } };
  beside(file).prepare("UPDATE kv SET value = ? WHERE keyspace = 'turn'").run(JSON.stringify(gone));
  expect(await mine.conversation.delete("c1")).toBe(true);
});

test("a turn whose conversation was deleted by hand writes nothing more", async () => {
  const file = newFile();
  const store = await open(file);
  const turn = await store.turn.open(opening("c1"));
  beside(file).exec("DELETE FROM kv WHERE key LIKE 'c1%'");
  expect((await refusal(turn.append(says("late")))).code).toBe("turn_lost");
  expect(namesOf(file).filter((name) => name.includes(" c1"))).toEqual([]);
});
