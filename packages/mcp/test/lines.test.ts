import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineReader } from "../src/lines.ts";

function read(pieces: readonly Uint8Array[], max_bytes = 1000) {
  const lines: string[] = [];
  let tooLong = 0;
  const reader = createLineReader({ max_bytes, onLine: (line) => lines.push(line), onTooLong: () => void tooLong++ });
  for (const piece of pieces) reader.add(piece);
  return { lines, tooLong };
}

test("B94 lines come out whole, however the bytes are cut; empty ones don't", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, ""));
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom("\n", "\r\n"), fc.integer({ min: 1, max: 7 }), (texts, end, size) => {
      const bytes = Buffer.from(texts.map((text) => text + end).join(""));
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(read(pieces)).toEqual({ lines: texts.filter((text) => text.trim() !== ""), tooLong: 0 });
    }),
  );
});

test("a line beyond the bound ends the reading, told once, also when it never ends", () => {
  const flood = Array.from({ length: 100 }, () => new Uint8Array(300).fill(120));
  expect(read([Buffer.from("one\n"), ...flood, Buffer.from("\ntwo\n")])).toEqual({ lines: ["one"], tooLong: 1 });
  expect(read([Buffer.from(`${"x".repeat(1000)}\n${"y".repeat(1001)}\nz\n`)])).toEqual({
    lines: ["x".repeat(1000)],
    tooLong: 1,
  });
});
