import { expect, test } from "vitest";
import { createEventBus } from "../src/index.ts";

const note = (text: string) => ({ type: "notice", level: "info", text }) as const;

test("E10 E12 events are stamped, kept and drained", () => {
  let clock = 0;
  const bus = createEventBus(() => ++clock);
  bus.emit("t1", note("a"));
  expect(bus.events()).toEqual([{ ...note("a"), ts: 1, turn_id: "t1" }]);
  expect(bus.drain()).toEqual([{ ...note("a"), ts: 1, turn_id: "t1" }]);
  expect(bus.drain()).toEqual([]);
  expect(() => bus.emit("t1", { ...note("a"), type: "" } as never)).toThrow("An event needs a type.");
});

test("E10 the bus keeps the last ten thousand", () => {
  const bus = createEventBus(() => 0);
  for (let n = 0; n < 25_000; n++) bus.emit("t1", note(String(n)));
  const texts = bus.events().map((event) => (event.type === "notice" ? event.text : ""));
  expect([texts.length, texts[0], texts.at(-1)]).toEqual([10_000, "15000", "24999"]);
});

test("E11 E14 fault 7 a subscriber that throws, rejects or unsubscribes in the middle disturbs nobody", async () => {
  const bus = createEventBus(() => 0);
  const heard: string[] = [];
  bus.subscribe(() => {
    throw new Error("mine");
  });
  bus.subscribe(() => Promise.reject(new Error("mine too")));
  const off = bus.subscribe(() => {
    heard.push("first");
    off();
  });
  bus.subscribe(() => heard.push("second"));
  bus.emit("t1", note("a"));
  bus.emit("t1", note("b"));
  await Promise.resolve();
  expect(heard).toEqual(["first", "second", "second"]);
});
