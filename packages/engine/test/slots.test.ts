import { createCancel } from "@smith/contract/cancel";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSlots } from "../src/index.ts";

/** A piece of work that ends when it is told to. */
function held<T>(value: T) {
  let release = () => {};
  const done = new Promise<T>((resolve) => {
    release = () => resolve(value);
  });
  return { done, release: () => release() };
}

/** Lets everything that is due come to pass. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const signal = new AbortController().signal;

test("D21 as many run as there are places, the others in the order they asked", async () => {
  const slots = createSlots(() => 2);
  const works = ["a", "b", "c", "d"].map(held);
  const begun: string[] = [];
  const runs = works.map(({ done }, n) =>
    slots.run(signal, () => {
      begun.push("abcd"[n] ?? "");
      return done;
    }),
  );
  await settle();
  expect(begun).toEqual(["a", "b"]);
  works[1]?.release();
  await settle();
  expect(begun).toEqual(["a", "b", "c"]);
  for (const { release } of works) release();
  expect(await Promise.all(runs)).toEqual(["a", "b", "c", "d"]);
});

test("D21 work that fails gives its place back and its error to who asked", async () => {
  const slots = createSlots(() => 1);
  const failed = slots.run(signal, () => Promise.reject(new Error("no")));
  const next = slots.run(signal, async () => "next");
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("next");
});

test("D8 a cancel frees whoever waits, with its reason; the work never begins and the place goes to the next", async () => {
  const slots = createSlots(() => 1);
  const first = held("first");
  using cancel = createCancel();
  const running = slots.run(signal, () => first.done);
  let began = false;
  const waiting = slots.run(cancel.signal, async () => {
    began = true;
  });
  const after = slots.run(signal, async () => "after");
  cancel.request("ctrl-c");
  await expect(waiting).rejects.toMatchObject({ kind: "cancelled", message: "ctrl-c" });
  await expect(slots.run(cancel.signal, async () => "late")).rejects.toMatchObject({ kind: "cancelled" });
  first.release();
  expect([await running, await after, began]).toEqual(["first", "after", false]);
});

test("D8 a cancel in the same breath as the place still keeps the work from beginning", async () => {
  const slots = createSlots(() => 1);
  using cancel = createCancel();
  let began = false;
  const run = slots.run(cancel.signal, async () => {
    began = true;
  });
  cancel.request("now");
  await expect(run).rejects.toMatchObject({ kind: "cancelled", message: "now" });
  expect(began).toBe(false);
  expect(await slots.run(signal, async () => "free")).toBe("free");
});

test("D21 when there are more places than before, all of them are filled", async () => {
  let places = 1;
  const slots = createSlots(() => places);
  const works = ["a", "b", "c", "d"].map(held);
  let running = 0;
  const runs = works.map(({ done }) =>
    slots.run(signal, () => {
      running++;
      return done;
    }),
  );
  places = 3;
  works[0]?.release();
  await settle();
  expect(running).toBe(4); // the first has ended, three run
  for (const { release } of works) release();
  await Promise.all(runs);
});

test("D21 never more at once than places, none is lost, whatever is cancelled when", async () => {
  const work = fc.record({ turns: fc.nat({ max: 4 }), fails: fc.boolean(), cancelAt: fc.option(fc.nat({ max: 6 })) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(work, { maxLength: 8 }), async (places, works) => {
      const slots = createSlots(() => places);
      const count = { now: 0, most: 0, begun: 0 };
      const ends = works.map(async ({ turns, fails, cancelAt }) => {
        using cancel = createCancel();
        if (cancelAt !== null) void ticks(cancelAt).then(() => cancel.request("x"));
        const run = slots.run(cancel.signal, async () => {
          count.begun++;
          count.most = Math.max(count.most, ++count.now);
          await ticks(turns);
          count.now--;
          if (fails) throw new Error("failed");
        });
        return run.then(
          () => "done",
          (error: Error) => error.message,
        );
      });
      const ended = await Promise.all(ends);
      expect(count.most).toBeLessThanOrEqual(places);
      expect([count.now, ended.filter((each) => each !== "x").length]).toEqual([0, count.begun]);
      expect(await slots.run(signal, async () => "free")).toBe("free");
    }),
  );
});

async function ticks(n: number): Promise<void> {
  for (let left = n; left > 0; left--) await Promise.resolve();
}
