import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { split } from "../src/split.ts";

describe("the reply splitter", () => {
  test("G25 at a newline, else at a blank, else hard", () => {
    expect(split("short", { limit: 10 })).toEqual(["short"]);
    expect(split("first line\nsecond line", { limit: 15 })).toEqual(["first line", "second line"]);
    expect(split("some words that go on", { limit: 14, fences: false })).toEqual(["some words", "that go on"]);
    expect(split("abcdefghij", { limit: 4, fences: false })).toEqual(["abcd", "efgh", "ij"]);
    expect(split("😀😀😀", { limit: 3, fences: false })).toEqual(["😀", "😀", "😀"]);
    expect(split("  \n ", { limit: 4 })).toEqual([]);
  });

  test("G25 a code fence is closed at the end of a piece and opened again in the next", () => {
    const code = ["Look:", "```ts", "const a = 1;", "const b = 2;", "```", "Done."].join("\n");
    expect(split(code, { limit: 30 })).toEqual(["Look:\n```ts\nconst a = 1;\n```", "```ts\nconst b = 2;\n```\nDone."]);
  });

  test("B96 9,000 characters with a fence of 5,000 and emoji at the borders: all of it, in order, nothing torn", () => {
    const code = Array.from({ length: 250 }, (_, n) => `  line ${n} 😀 of it`.padEnd(19, "x")).join("\n");
    const text = `${"word 😀 ".repeat(250)}\n\`\`\`ts\n${code}\n\`\`\`\n${"end😀".repeat(400)}`;
    const pieces = split(text, { limit: 4096 });
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(4096);
      expect(piece.isWellFormed()).toBe(true);
      expect((piece.match(/```/g) ?? []).length % 2).toBe(0);
    }
    const bare = (all: string) => all.replaceAll(/```(ts)?|\s/g, "");
    expect(bare(pieces.join(""))).toBe(bare(text));
  });

  test("G18 G25 N16 for any text and limit: pieces fit, none is empty or torn, and no word is lost", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", " ", " ", "\n", "😀", "é", "```", "```js\n", "long-word"),
      maxLength: 300,
    });
    const bytes = (piece: string) => Buffer.byteLength(piece);
    fc.assert(
      fc.property(text, fc.integer({ min: 60, max: 200 }), fc.boolean(), (given, limit, inBytes) => {
        const options = inBytes ? { limit, size: bytes, fences: false } : { limit };
        const pieces = split(given, options);
        for (const piece of pieces) {
          expect(inBytes ? bytes(piece) : piece.length).toBeLessThanOrEqual(limit);
          expect(piece.isWellFormed()).toBe(true);
          expect(piece.trim()).not.toBe("");
        }
        const bare = (all: string) => all.replaceAll(/```(js)?|\s/g, "");
        expect(bare(pieces.join(""))).toBe(bare(given));
      }),
      { numRuns: 1000 },
    );
  });
});
