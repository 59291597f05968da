import { applyPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTheme, diffEdit, drawDiff } from "../src/index.ts";

const texts = async (before: string | null, after: string) =>
  (await diffEdit(before, after)).full.map(({ text }) => text);

test("U32 an edit is shown as a header, what went and what came, with its counts", async () => {
  expect(await diffEdit("a\nb\nc\n", "a\nB\nBB\nc\n")).toEqual({
    full: [
      { kind: "header", text: "@@ -2,1 +2,2 @@" },
      { kind: "removed", text: "-b" },
      { kind: "added", text: "+B" },
      { kind: "added", text: "+BB" },
    ],
    inline: [
      { kind: "header", text: "@@ -2,1 +2,2 @@" },
      { kind: "removed", text: "-b" },
      { kind: "added", text: "+B" },
      { kind: "added", text: "+BB" },
    ],
    reason: null,
    stats: { old_lines: 1, new_lines: 2, delta_lines: 1, changed_lines: 3, old_bytes: 2, new_bytes: 5, full_bytes: 25 },
  });
});

test("U32 edits far apart get a header each; a file that could not be read has no line numbers; a new one begins at 1", async () => {
  expect(await texts("a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\nF\n")).toEqual([
    "@@ -1,1 +1,1 @@",
    "-a",
    "+A",
    "@@ -5,1 +5,2 @@",
    "-e",
    "+E",
    "+F",
  ]);
  expect(await texts(null, "a\n")).toEqual(["@@ -?,0 +?,1 @@", "+a"]);
  expect(await texts("", "a\nb")).toEqual(["@@ -1,0 +1,2 @@", "+a", "+b"]);
  expect(await texts("a\nb\nc\n", "a\nc\n")).toEqual(["@@ -2,1 +2,0 @@", "-b"]);
  expect(await texts("same\n", "same\n")).toEqual([]);
});

test("U32 where only line ends change, they are told", async () => {
  expect(await texts("a\r\nb", "a\nb\n")).toEqual([
    "@@ -1,2 +1,2 @@",
    "-a (CRLF)",
    "-b (no line end)",
    "+a (LF)",
    "+b (LF)",
  ]);
});

test("U32 above 20 changed lines or 4096 bytes nothing is shown in place, the reason is given and the whole kept", async () => {
  const lines = (count: number, text = "x") => `${text}\n`.repeat(count);
  const cases = [
    await diffEdit("", lines(20)),
    await diffEdit("", lines(21)),
    await diffEdit(lines(11, "o"), lines(10, "n")),
  ];
  const [small, large] = [await diffEdit("", "y".repeat(4079)), await diffEdit("", "y".repeat(4080))];
  expect(
    [...cases, small, large].map(({ reason, inline, full, stats }) => [
      reason,
      inline.length,
      full.length,
      stats.full_bytes,
    ]),
  ).toEqual([
    [null, 21, 21, 76],
    ["line_limit", 0, 22, 79],
    ["line_limit", 0, 22, 80],
    [null, 2, 2, 4096],
    ["byte_limit", 0, 2, 4097],
  ]);
});

test("U32 B68 lines are coloured by what they are, cut to the columns, and safe", async () => {
  const theme = createTheme({ colour: true, kind: "dark" });
  const { inline } = await diffEdit("\u001b[2Jold and long\n", "n\te\u0007w\n");
  expect(drawDiff(inline, { columns: 15, theme })).toEqual([
    theme.hunk("@@ -1,1 +1,1 @@"),
    theme.removed("-old and long"),
    theme.added("+n    ew"),
  ]);
  expect(drawDiff(inline, { columns: 5, theme })).toEqual([
    theme.hunk("@@ -…"),
    theme.removed("-old…"),
    theme.added("+n  …"),
  ]);
});

test("U32 two texts with nothing in common are compared in bounded time", async () => {
  const text = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}\n`).join("");
  const { stats, reason, full } = await diffEdit(text("old"), text("new"));
  expect([stats.old_lines, stats.new_lines, reason, full.length]).toEqual([20_000, 20_000, "line_limit", 40_001]);
});

test("U32 the hunks turn the text before into the text after", async () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d")).map((lines) => lines.map((line) => `${line}\n`).join(""));
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const lines = (await texts(before, after)).map((line) =>
        line.replace(/^@@ -(\d+),0/, (_all, at) => `@@ -${Number(at) - 1},0`),
      );
      const patch = [
        "--- a",
        "+++ b",
        ...lines.map((line) => line.replace(/\+(\d+),0 @@$/, (_all, at) => `+${Number(at) - 1},0 @@`)),
        "",
      ].join("\n");
      expect(lines.length === 0 ? before : applyPatch(before, patch)).toBe(after);
    }),
  );
});
