import fc from "fast-check";
import { expect, test } from "vitest";
import { HISTORY_MAX, openHistory, remember } from "../src/index.ts";

test("U34 blank lines and repetitions of the last are not kept, and the oldest go first", () => {
  expect(["a", "a", " ", "b", "a", ""].reduce<readonly string[]>(remember, [])).toEqual(["a", "b", "a"]);
  const many = Array.from({ length: 600 }, (_, at) => `line ${at}`).reduce<readonly string[]>(remember, []);
  expect([many.length, many[0], many.at(-1)]).toEqual([HISTORY_MAX, "line 100", "line 599"]);
});

test("U34 no two neighbours are alike and the last line is there, whatever is kept", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "c\nd", " ")), (lines) => {
      const kept = lines.reduce<readonly string[]>(remember, []);
      expect(kept.some((line, at) => line === kept[at + 1] || line.trim() === "")).toBe(false);
      expect(kept.at(-1)).toBe(lines.findLast((line) => line.trim() !== ""));
    }),
  );
});

test("U34 the history is loaded from its port and each line kept there, and a failing port costs no more than itself", async () => {
  const stored: string[] = [];
  const history = await openHistory({
    load: async () => ["old", "old", "older\nlines"],
    append: (line) => void stored.push(line),
  });
  await history.add("new");
  await history.add("new");
  expect([history.entries(), stored]).toEqual([["old", "older\nlines", "new"], ["new"]]);
  const broken = await openHistory({
    load() {
      throw new Error("EACCES");
    },
    append: () => Promise.reject(new Error("ENOSPC")),
  });
  await broken.add("kept here");
  expect(broken.entries()).toEqual(["kept here"]);
});
