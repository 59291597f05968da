import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { createTheme, cut, width, wrap } from "../src/index.ts";

const { failed, bold } = createTheme({ colour: true, kind: "dark" });

test("B66 fault 220 width counts columns: wide two, combining and escape sequences none, joined emoji two", () => {
  const texts = [
    "",
    "abc",
    "你好ab",
    "e\u0301",
    "👨‍👩‍👧",
    "🇨🇭",
    "1️⃣",
    "☝🏽",
    "❤️",
    "❤",
    "ｶﾞ",
    "\u001b[31mred\u001b[39m",
    "▸ • …",
    "a\tb",
  ];
  expect(texts.map(width)).toEqual([0, 3, 6, 1, 2, 2, 2, 2, 2, 1, 2, 3, 5, 6]);
});

test("B66 fault 220 width agrees with the string-width package on any text without tabs and loose jamo", () => {
  const sample = fc.constantFrom(
    "你",
    "é",
    "👍",
    "👨‍👩‍👧",
    "🇨🇭",
    "❤️",
    "e\u0301",
    "\u200b",
    "한",
    "ｱ",
    "\u001b[1m",
    "x",
    " ",
    "…",
    "क्षि",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(sample, fc.string({ unit: "grapheme" }))), (parts) => {
      const text = parts.join("");
      fc.pre(!/[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\t]/.test(text));
      expect(width(text)).toBe(stringWidth(text));
    }),
    { numRuns: 2000 },
  );
});

test("B66 cut never splits a wide character nor a colour sequence, and closes what it cut", () => {
  expect([
    cut("你好ab", 3),
    cut("你好ab", 4, "…"),
    cut("abc", 3, "…"),
    cut("abcd", 3, "…"),
    cut("abc", 0, "…"),
  ]).toEqual(["你", "你…", "abc", "ab…", ""]);
  expect(cut(failed("你好ab"), 5, "…")).toBe(failed("你好…"));
  expect(cut("a\tb", 4)).toBe("a   ");
});

test("B66 cut fits, is a beginning, and leaves all sequences whole, whatever the text and the columns", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(12), (text, columns) => {
      const painted = bold(text.replaceAll("\t", ""));
      const short = cut(painted, columns);
      expect(width(short)).toBeLessThanOrEqual(columns);
      expect(short.startsWith("\u001b[1m") && short.endsWith("\u001b[22m")).toBe(true);
      expect(text.replaceAll("\t", "").startsWith(short.slice(4, -5))).toBe(true);
    }),
  );
});

test("U1 wrap breaks at blanks, between wide characters and in words too long, and carries colours over", () => {
  expect(wrap("the quick brown fox", 9)).toEqual(["the quick", "brown fox"]);
  expect(wrap("- the quick brown", 9, "  ")).toEqual(["- the", "  quick", "  brown"]);
  expect(wrap("你好世界", 5)).toEqual(["你好", "世界"]);
  expect(wrap("abcdefgh ij", 3)).toEqual(["abc", "def", "gh", "ij"]);
  expect(wrap(`a ${failed("bb cc")} d`, 4)).toEqual([`a ${failed("bb")}`, `${failed("cc")} d`]);
  expect(wrap("你x", 1, "  ")).toEqual(["你", "x"]);
  expect(wrap("a\n\nb", 4)).toEqual(["a", "", "b"]);
  expect(wrap("x⺀𑤰", 2, "  ")).toEqual(["x", "⺀", "𑤰"]); // one character of three columns
  expect(wrap("⺀𑤰", 1)).toEqual(["⺀", "𑤰"]);
  expect(wrap(`क${"ा".repeat(5)}`, 3)).toEqual(["काा", "ााा"]);
  expect(wrap("👨‍👩‍👧x", 1)).toEqual(["👨‍👩‍👧", "x"]);
});

test("B68 U1 wrapped lines fit and keep every visible character in order", () => {
  const odd = ["👨‍👩‍👧", "⺀𑤰", `क${"ा".repeat(5)}`, "\u{11930}", "\u{d4e}a", "\u{1161}", "각"];
  const unit = fc.constantFrom("a", "b", " ", "你", "é", ...odd, "\u001b[1m", "\u001b[22m");
  fc.assert(
    fc.property(fc.array(unit), fc.integer({ min: 2, max: 12 }), fc.constantFrom("", "  "), (parts, columns, hang) => {
      const lines = wrap(parts.join(""), columns, hang);
      expect(lines.filter((line) => width(line) > columns)).toEqual([]);
      const visible = (text: string) => stripVTControlCharacters(text).replace(/\s/g, "");
      expect(visible(lines.join(""))).toBe(visible(parts.join("")));
    }),
  );
});
