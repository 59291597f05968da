import { spawnSync } from "node:child_process";
import { openStore } from "@smith/store";
import { describe, expect, test } from "vitest";
import { decode } from "../src/codec.ts";
import { leaseOf } from "../src/lease.ts";
import { answers, asks, closing, NOW, opening, refusal, says, stored } from "./support/example.ts";
import { beside, newFile, open, recordAt } from "./support/place.ts";

describe("two writers", () => {
  test("PS20 a conversation with a running turn refuses a second one, and names who runs it", async () => {
    const file = newFile();
    const [mine, other] = [await open(file), await open(file, { pid: process.ppid })];
    const turn = await mine.turn.open(opening("c1"));
    const { message: _, ...error } = (await refusal(other.turn.open(opening("c1")))).toJSON();
    expect(error).toMatchObject({
      kind: "persistence",
      code: "conversation_busy",
      data: { conversation_id: "c1", turn_id: "t1", pid: process.pid },
    });
    expect((await refusal(mine.turn.open(opening("c1")))).message).toContain("--fork");
    await turn.close(closing());
    const theirs = await other.turn.open(opening("c1"));
    expect(theirs.turn_id).toBe("t2");
    expect((await refusal(mine.turn.open(opening("c1")))).message).toContain(`process ${process.ppid}`);
    expect((await mine.turn.open(opening("c2"))).turn_id).toBe("t1");
  });

  test.each([
    ["a process that is gone", () => ({ ...leaseOf(deadPid()), process_start: "1" })],
    ["a process of an earlier start of the machine", () => ({ ...leaseOf(process.ppid), boot_id: "another" })],
    ["another process that got the same number", () => ({ ...leaseOf(process.ppid), process_start: "1" })],
  ])("PS20 a turn left by %s is taken over", async (_, lease) => {
    const file = newFile();
    const [mine, other] = [await open(file), await open(file)];
    await mine.turn.open(opening("c1"));
    const row = decode("turn", JSON.stringify(recordAt(file, "turn", "c1:00000001")));
    const change = beside(file).prepare("UPDATE kv SET value = ? WHERE keyspace = 'turn'");
    change.run(JSON.stringify({ ...row, lease: lease() }));
    expect((await other.turn.open(opening("c1"))).turn_id).toBe("t2");
    expect(recordAt(file, "turn", "c1:00000001")).toMatchObject({ state: "closed", stop_reason: "interrupted" });
  });

  test("PS20 a turn that was taken over writes nothing more into the transcript", async () => {
    const file = newFile();
    const [mine, other] = [await open(file), await open(file)];
    const lost = await mine.turn.open(opening("c1"));
    const row = decode("turn", JSON.stringify(recordAt(file, "turn", "c1:00000001")));
    const gone = { ...leaseOf(process.pid), boot_id: "another" };
    beside(file)
      .prepare("UPDATE kv SET value = ? WHERE keyspace = 'turn'")
      .run(JSON.stringify({ ...row, lease: gone }));
    const turn = await other.turn.open(opening("c1"));
    const codes = [await refusal(lost.append(says("late"))), await refusal(lost.close(closing()))].map(
      ({ code }) => code,
    );
    expect(codes).toEqual(["turn_lost", "turn_lost"]);
    await turn.append(says("mine", { turn_id: "t2" }));
    await turn.close(closing());
    expect((await stored(mine, "c1")).map(({ content }) => content)).toEqual([
      "fix the parser",
      "fix the parser",
      "mine",
    ]);
    expect((await mine.turn.open(opening("c1"))).turn_id).toBe("t3");
  });

  test("a store that is closed ends its open turns as interrupted, answers nothing more, and may be closed twice", async () => {
    const file = newFile();
    const { store } = await openStore({ file, now: () => NOW });
    const turn = await store.turn.open(opening("c1"));
    await turn.append(asks("k1"));
    await store.close();
    await store.close();
    const codes = [
      await refusal(store.conversation.get("c1")),
      await refusal(store.turn.open(opening("c1"))),
      await refusal(turn.append(says("late"))),
      await refusal(store.config.patch()),
    ].map(({ kind, code }) => `${kind}/${code}`);
    expect(codes).toEqual(Array(4).fill("persistence/closed"));
    const again = await open(file);
    expect((await stored(again, "c1")).slice(1)).toEqual([
      asks("k1"),
      answers("k1", { ...INTERRUPTED, ts: NOW + 100 }),
    ]);
    expect(await again.conversation.get("c1")).toMatchObject({ turns: 1, messages: 3 });
  });
});

const INTERRUPTED = { content: "interrupted: the process ended before this call finished", ok: false };

/** The number of a process that has just ended. */
const deadPid = (): number => spawnSync(process.execPath, ["--version"]).pid;
