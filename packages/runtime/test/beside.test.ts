import type { AgentEvent } from "@smith/contract/event";
import type { TranscriptMessage } from "@smith/contract/message";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recentPart } from "../src/recent.ts";
import { bodyOf, conversationIn, model, place } from "./place.ts";

describe("a session beside the runtime's own", () => {
  test("G2 G3 its turns run while others do, each in its own conversation", async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const llm = await model([{ say: "slow", after: held }, { say: "quick" }, { say: "own" }, { say: "again" }]);
    const runtime = place().runtime({ config: llm.config });
    const [a, b] = [runtime.beside(), runtime.beside()];
    const events: AgentEvent[] = [];
    a.subscribe((event) => void events.push(event));

    const slow = a.run("one");
    await llm.received(1);
    const quick = await b.run("two");
    const own = await runtime.run("three");
    await expect(a.run("no")).rejects.toMatchObject({ code: "turn_active" });
    answer();
    const first = await slow;
    const again = await a.run("four");

    expect([first.text, quick.text, own.text, again.text]).toEqual(["slow", "quick", "own", "again"]);
    expect(new Set([first, quick, own].map((each) => each.conversation_id)).size).toBe(3);
    expect(again).toMatchObject({ conversation_id: first.conversation_id, turn_id: "t2" });
    expect(conversationIn(llm.requests[3])).toEqual(["one", "slow", "four"]);
    expect(events.filter(({ type }) => type === "turn_persisted").map(({ turn_id }) => turn_id)).toEqual(["t1", "t2"]);
    expect(runtime.events().some(({ type }) => type === "notice")).toBe(false);
  });

  test("G3 its cancel and the runtime's end stop its turn, and leave others alone", async () => {
    const llm = await model([{ stall: true }, { stall: true }]);
    const runtime = place().runtime({ config: llm.config });
    const [a, b] = [runtime.beside(), runtime.beside()];
    const first = a.run("one");
    await llm.received(1);
    const second = b.run("two");
    await llm.received(2);
    await a.cancel("stop");
    expect([(await first).stop_reason, a.busy(), b.busy()]).toEqual(["cancelled", false, true]);
    await runtime.close();
    expect((await second).cancel?.reason).toBe("the session ended");
  });

  test("G4 it goes on with a stored conversation, is sent its newest part, and knows where that stands", async () => {
    const llm = await model(Array.from({ length: 6 }, (_, at) => ({ say: `answer ${at + 1}` })));
    const runtime = place().runtime({ config: llm.config });
    const first = runtime.beside({ max_messages: 4 });
    for (const line of ["1", "2", "3", "4", "5"]) await first.run(line);
    const { conversation_id } = await first.enter();
    await first.close();

    const second = runtime.beside({ conversation_id, max_messages: 4 });
    expect(await second.enter()).toEqual({ conversation_id, turns: 5 });
    await second.run("6");
    expect(llm.requests.map((request) => bodyOf(request).messages.length - 1)).toEqual([1, 3, 5, 3, 5, 3]);
    expect(conversationIn(llm.requests[5])).toEqual(["5", "answer 5", "6"]);
    const unknown = runtime.beside({ conversation_id: "gone" });
    await expect(unknown.enter()).rejects.toMatchObject({ code: "unknown_conversation" });
  });
});

/** Turns of a line, some tool rounds and an answer, some with a steering line in the midst. */
const history = fc
  .array(fc.record({ calls: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 9 }), steered: fc.boolean() }))
  .map((turns) => turns.flatMap(({ calls, steered }, at) => turnOf(`t${at + 1}`, calls, steered)));

function turnOf(turn_id: string, calls: readonly number[], steered: boolean): TranscriptMessage[] {
  const at = { turn_id, round: 1, ts: 0 };
  const rounds = calls.flatMap((count, round): TranscriptMessage[] => {
    const ids = Array.from({ length: count }, (_, n) => `${turn_id}-${round}-${n}`);
    const tool_calls = ids.map((id) => ({ id, name: "read", arguments: "{}" }));
    const results = ids.map(
      (id) => ({ role: "tool", content: "", tool_call_id: id, name: "read", ok: true, ...at }) as const,
    );
    return [{ role: "assistant", content: "", tool_calls, ...at }, ...results];
  });
  const line: TranscriptMessage = { role: "user", content: "line", ...at };
  return [line, ...rounds, ...(steered ? [line] : []), { role: "assistant", content: "answer", ...at }];
}

test("G4 G5 the newest part is never over the cap, parts no call from its result, and begins with a line of the user's", () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 2, max: 40 }), (all, max) => {
      const frozen = Object.freeze(all);
      const part = recentPart(frozen, max);
      expect(part.length).toBeLessThanOrEqual(Math.max(max, 2));
      if (all.length <= max) expect(part).toBe(frozen);
      if (part.length > 0) expect(part[0]?.role).toBe("user");
      expect(part.at(-1)).toEqual(all.at(-1));
      const asked = part.flatMap((each) =>
        each.role === "assistant" ? (each.tool_calls ?? []).map(({ id }) => id) : [],
      );
      const answered = part.flatMap((each) => (each.role === "tool" ? [each.tool_call_id] : []));
      expect(answered).toEqual(asked);
    }),
    { numRuns: 500 },
  );
});
