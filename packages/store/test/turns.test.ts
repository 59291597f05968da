import { describe, expect, test } from "vitest";
import { createKv } from "../src/kv.ts";
import { leaseOf } from "../src/lease.ts";
import { turns } from "../src/turns.ts";
import { answers, asks, closing, NOW, opening, play, refusal, says, stored, USAGE, user } from "./support/example.ts";
import { beside, namesOf, newFile, open, recordAt, rowsOf } from "./support/place.ts";

describe("a turn", () => {
  test("S7 an opened store holds the schema version and nothing else", async () => {
    const file = newFile();
    await open(file);
    expect(rowsOf(file)).toEqual([{ keyspace: "meta", key: "schema_version", value: "1" }]);
  });

  test("PS6 PS7 PS14 PS15 PS16 PS17 a closed turn leaves exactly these records", async () => {
    const file = newFile();
    const store = await open(file);
    const turn = await store.turn.open(opening("c1"));
    await turn.append(asks("k1"));
    await turn.intend({ call_id: "k1", tool: "read", args_hash: "00", files_before: { "/a": null }, ts: NOW });
    await turn.append(answers("k1"));
    await turn.partial("The fault");
    await turn.append(says("The fault is in line 3."));
    await turn.close(closing());
    expect(namesOf(file)).toEqual([
      "conversation c1",
      "conversation_note c1:turn_record-t1",
      "message c1:00000001",
      "message c1:00000002",
      "message c1:00000003",
      "message c1:00000004",
      "meta active_conversation_id",
      "meta active_conversation_id:p1",
      "meta schema_version",
      "turn c1:00000001",
      "usage c1:t1:parent",
    ]);
    const head = { turn_id: "t1", role: "direct", first_seq: 1, opened_at: NOW, closed_at: NOW + 900 };
    const { ts: _, children: __, ...said } = closing();
    expect(recordAt(file, "conversation_note", "c1:turn_record-t1")).toEqual({
      ...head,
      ...said,
      conversation_id: "c1",
      last_seq: 4,
    });
    expect(recordAt(file, "usage", "c1:t1:parent")).toEqual({
      ...USAGE,
      conversation_id: "c1",
      turn_id: "t1",
      model: "m1",
      provider: "default",
      ts: NOW + 900,
    });
    expect(recordAt(file, "turn", "c1:00000001")).toEqual({ ...head, state: "closed", stop_reason: "completed" });
    expect(await stored(store, "c1")).toEqual([user(), asks("k1"), answers("k1"), says("The fault is in line 3.")]);
  });

  test("PS14 an open turn stands in the database with its lease, its intents and the text so far", async () => {
    const file = newFile();
    const store = await open(file);
    const turn = await store.turn.open(opening("c1"));
    await turn.append(asks("k1"));
    const intents = [
      { call_id: "k1", tool: "read", args_hash: "00", files_before: null, ts: NOW },
      { call_id: "k2", tool: "edit", args_hash: "01", files_before: { "/a": "02" }, ts: NOW },
    ];
    for (const intent of intents) await turn.intend(intent);
    await turn.partial("Hel");
    await turn.partial("Hello");
    expect(rowsOf(file).filter(({ keyspace }) => keyspace === "turn")).toEqual(
      [
        {
          key: "c1:00000001",
          value: {
            first_seq: 1,
            lease: leaseOf(process.pid),
            opened_at: NOW,
            role: "direct",
            state: "open",
            turn_id: "t1",
          },
        },
        { key: "c1:00000001:intent:00000001", value: intents[0] },
        { key: "c1:00000001:intent:00000002", value: intents[1] },
        { key: "c1:00000001:partial", value: { text: "Hello" } },
      ].map(({ key, value }) => ({ keyspace: "turn", key, value: expect.toSatisfy(isJsonOf(value)) })),
    );
    await turn.append(answers("k1"));
    expect(namesOf(file)).not.toContain("turn c1:00000001:partial");
  });

  test("PS17 the active conversation is written each turn, for all and per project, and is never a child", async () => {
    const file = newFile();
    const store = await open(file);
    const active = () => ["", ":p1", ":p2"].map((end) => recordAt(file, "meta", `active_conversation_id${end}`));
    await play(store, opening("c1"));
    expect(active()).toEqual(["c1", "c1", null]);
    await play(store, opening("c2", { project_id: "p2" }));
    expect(active()).toEqual(["c2", "c1", "c2"]);
    await play(store, opening("child", { parent: "c2", project_id: "p2" }));
    expect(active()).toEqual(["c2", "c1", "c2"]);
    await play(store, opening("c1"));
    expect(active()).toEqual(["c1", "c1", "c2"]);
  });

  test("PS8 an id with a colon is refused by every door, before anything is written", async () => {
    const file = newFile();
    const store = await open(file);
    const refused = [
      await refusal(store.turn.open(opening("a:b"))),
      await refusal(store.turn.open(opening(""))),
      await refusal(store.turn.open(opening("a", { project_id: "p:1" }))),
      await refusal(store.turn.open(opening("a", { parent: "x:y" }))),
      await refusal(store.conversation.get("a:b")),
      await refusal(store.conversation.messages("a:b")),
    ];
    expect(refused.map(({ kind, code }) => `${kind}/${code}`)).toEqual(Array(6).fill("persistence/bad_key"));
    expect(namesOf(file)).toEqual(["meta schema_version"]);
  });

  test("PS14 the transaction that closes a turn is flushed to disk, those before are not", async () => {
    const file = newFile();
    await (await open(file)).close();
    const db = beside(file);
    db.pragma("synchronous = NORMAL");
    const kv = createKv(db);
    const modes: unknown[] = [];
    const watched =
      <T>(run: (work: () => T) => T) =>
      (work: () => T) =>
        run(() => {
          modes.push(db.pragma("synchronous", { simple: true }));
          return work();
        });
    const watchedKv = { ...kv, write: watched(kv.write), writeDurably: watched(kv.writeDurably) } as typeof kv;
    const access = {
      kv: watchedKv,
      lease: leaseOf(process.pid),
      now: () => NOW,
      run: async <T>(work: () => T) => work(),
    };
    const turn = await turns(access).port.open(opening("c1"));
    await turn.append(says("hello"));
    await turn.close(closing());
    expect([...modes, db.pragma("synchronous", { simple: true })]).toEqual([1, 1, 2, 1]);
  });

  test("names a conversation by the user's first words, on one line of at most 60 characters", async () => {
    const store = await open(null);
    const named = async (id: string, content: TurnContent) => {
      await play(store, opening(id, { user: { role: "user", content, round: 0, ts: NOW } }));
      return (await store.conversation.get(id))?.name;
    };
    expect(await named("a", "  fix\n\tthe   parser ")).toBe("fix the parser");
    expect(await named("b", "😀".repeat(70))).toBe(`${"😀".repeat(59)}…`);
    expect(await named("c", [{ type: "image", media_type: "image/png", blob: "00" }])).toBe("untitled");
    expect(await named("a", "something else")).toBe("fix the parser");
  });
});

type TurnContent = ReturnType<typeof opening>["user"]["content"];

const isJsonOf = (wanted: unknown) => (text: string) => {
  expect(JSON.parse(text)).toEqual(wanted);
  return true;
};
