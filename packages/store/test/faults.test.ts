import { describe, expect, test } from "vitest";
import { answers, asks, closing, opening, play, refusal, says, stored, user } from "./support/example.ts";
import { beside, newFile, open, recordAt, refuse, rowsOf } from "./support/place.ts";

describe("what fails", () => {
  test("PS2 PS21 a fault inside the transaction that closes a turn leaves the turn open and its messages whole", async () => {
    const file = newFile();
    const store = await open(file);
    const turn = await store.turn.open(opening("c1"));
    await turn.append(says("hello"));
    const before = rowsOf(file);
    const lift = refuse(file, "usage");
    const { kind, code } = await refusal(turn.close(closing()));
    expect([kind, code]).toEqual(["persistence", "sqlite"]);
    expect(rowsOf(file)).toEqual(before);
    lift();
    await turn.close(closing());
    expect(recordAt(file, "turn", "c1:00000001")).toMatchObject({ state: "closed", stop_reason: "completed" });
  });

  test("PS21 a close that the disk refused is made up for by the next turn, which is not locked out", async () => {
    const file = newFile();
    const store = await open(file);
    const turn = await store.turn.open(opening("c1"));
    const lift = refuse(file, "usage");
    await refusal(turn.close(closing({ stop_reason: "cancelled" })));
    await refusal(store.turn.open(opening("c1")));
    lift();
    expect((await store.turn.open(opening("c1"))).turn_id).toBe("t2");
    expect(recordAt(file, "turn", "c1:00000001")).toMatchObject({ state: "closed", stop_reason: "cancelled" });
  });

  test("PS21 messages that the disk refused are written by the next append, once and in order", async () => {
    const file = newFile();
    const store = await open(file);
    const turn = await store.turn.open(opening("c1"));
    const lift = refuse(file, "message");
    const first = asks("k1");
    await refusal(turn.append(first));
    await refusal(turn.append(first));
    await refusal(turn.append(answers("k1")));
    expect(await stored(store, "c1")).toEqual([user()]);
    lift();
    await turn.append(says("done"));
    await turn.close(closing());
    expect(await stored(store, "c1")).toEqual([user(), first, answers("k1"), says("done")]);
    expect(await store.conversation.get("c1")).toMatchObject({ turns: 1, messages: 4 });
  });

  test("a message or a closing that is no record is refused and does not stand in the way of the next", async () => {
    const store = await open(null);
    const turn = await store.turn.open(opening("c1"));
    expect((await refusal(turn.append(says("x", { round: -1 })))).code).toBe("bad_record");
    expect((await refusal(turn.close(closing({ rounds: 0.5 })))).code).toBe("bad_record");
    await turn.append(says("fine"));
    await turn.close(closing());
    expect(await stored(store, "c1")).toEqual([user(), says("fine")]);
  });

  test("B57 a message, a conversation and a turn cut in half cost only themselves, and later turns survive", async () => {
    const file = newFile();
    const store = await open(file);
    await play(store, opening("c1"), "one");
    await play(store, opening("c1"), "two");
    const cut = beside(file).prepare("UPDATE kv SET value = substr(value, 1, 20) WHERE keyspace = ? AND key = ?");
    cut.run("message", "c1:00000004");
    cut.run("conversation", "c1");
    cut.run("turn", "c1:00000002");
    const before = await store.conversation.messages("c1");
    expect([before.messages.map(({ content }) => content), before.unreadable]).toEqual([
      ["fix the parser", "one", "fix the parser"],
      1,
    ]);
    expect(await store.conversation.list({ project_id: null, children: true })).toEqual([]);
    await play(store, opening("c1"), "three");
    await play(store, opening("c1"), "four");
    await store.close();
    const again = await open(file);
    const after = await again.conversation.messages("c1");
    expect([after.messages.map(({ content }) => content), after.unreadable]).toEqual([
      ["fix the parser", "one", "fix the parser", "fix the parser", "three", "fix the parser", "four"],
      1,
    ]);
    expect(await again.conversation.get("c1")).toMatchObject({ id: "c1", turns: 4, messages: 8 });
  });
});
