import fc from "fast-check";
import { expect, test } from "vitest";
import { createSafeStream, safeLine, safeText } from "../src/index.ts";

test("B68 escape sequences from content are dropped and their letters kept", () => {
  const nasty = [
    ["\u001b]0;owned\u0007title", "title"],
    ["\u001b]52;c;aGk=\u001b\\clip", "clip"],
    ["\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u001b[2Jcleared", "cleared"],
    ["\u001b[1A\u001b[2Kline", "line"],
    ["\u009b31mred", "red"],
    ["\u001bP1$r\u001b\\dcs", "dcs"],
    ["over\rwrite", "over\nwrite"],
    ["dos\r\nline", "dos\nline"],
    ["bell\u0007\u0008\u0000", "bell"],
    ["a\u202eb", "ab"],
    ["unfinished\u001b[12", "unfinished"],
    ["tab\tstays\nhere 你好👨‍👩‍👧", "tab\tstays\nhere 你好👨‍👩‍👧"],
  ];
  expect(nasty.map(([text]) => safeText(text ?? ""))).toEqual(nasty.map(([, safe]) => safe));
});

test("B68 nothing that moves a cursor survives, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const left = [...safeText(text)].filter((c) => c < " " && c !== "\t" && c !== "\n");
      expect(left).toEqual([]);
      expect(safeLine(text)).not.toContain("\n");
    }),
  );
});

test("B68 a stream is safe however a sequence is split over its pieces, and says the same as the whole", () => {
  const nasty = fc.constantFrom(
    "\u001b]0;own\u0007",
    "\u001b[2J",
    "\u009b31m",
    "\u001b[1A\u001b[2K",
    "\r\n",
    "\r",
    "a",
    "你",
    "\u001b]52;c;aGk=\u001b\\",
  );
  fc.assert(
    fc.property(fc.array(nasty, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 6 }), (parts, cuts) => {
      const whole = parts.join("");
      const stream = createSafeStream();
      let drawn = "";
      let from = 0;
      for (const cut of [...cuts.map((at) => at % (whole.length + 1)).sort((a, b) => a - b), whole.length]) {
        drawn += stream.write(whole.slice(from, cut));
        from = cut;
      }
      expect(drawn + stream.end()).toBe(safeText(whole));
    }),
    { numRuns: 500 },
  );
});
