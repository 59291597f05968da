import type { TranscriptMessage } from "@smith/contract/message";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  comboOf,
  createLayOut,
  createPager,
  createTheme,
  drawPager,
  frameOf,
  type Key,
  loadMarkdown,
  type PagerDocument,
  type PagerSection,
  type PagerSize,
  type PagerState,
  pressPager,
  refitPager,
  reloadPager,
  toEnd,
  transcriptDocument,
  width,
} from "../src/index.ts";

const theme = createTheme({ colour: false, kind: "none" });
const look = { theme, unicode: true, news: "" };
const drawMarkdown = await loadMarkdown(theme);
const sizeOf = (columns: number, rows: number): PagerSize => ({
  columns,
  rows,
  layOut: createLayOut({ theme, unicode: true, drawMarkdown }),
});

const part = (id: string, text: string, markdown = false): PagerSection => ({
  ...{ id, title: `part ${id}`, kind: "note", text, markdown },
});
const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}${at + 1}`).join("\n");
const document: PagerDocument = { title: "doc", sections: [part("a", numbered("a", 8)), part("b", numbered("b", 8))] };

/** Names of keys; a letter is text. */
const keyOf = (name: string): Key => ([...name].length === 1 ? { type: "text", text: name } : { type: "key", name });
const press = (state: PagerState, size: PagerSize, ...names: readonly string[]) =>
  names.reduce((at, name) => pressPager(at, keyOf(name), size), state);
const rows = (state: PagerState, size: PagerSize) => drawPager(state, size, look).map((row) => row.trimEnd());
/** The first row in view without what stands before it. */
const first = (state: PagerState, size: PagerSize) => rows(state, size)[0]?.slice(2);

describe("the keys of the pager", () => {
  // 20 rows of text: part a, a1 … a8, empty, part b, b1 … b8, empty.
  const size = sizeOf(40, 6);
  const start = createPager(document);
  test.each<readonly [keys: readonly string[], first: string]>([
    [["j"], "a1"],
    [["down", "down"], "a2"],
    [[" ", " ", "k"], "a1"],
    [["up"], "part a"],
    [["J"], "a5"],
    [["pagedown", "ctrl-f"], "part b"],
    [["J", "K"], "part a"],
    [["ctrl-f", "pageup"], "part a"],
    [["G"], "b4"],
    [["end", "ctrl-b", "k"], "a8"],
    [["end", "g"], "part a"],
    [["G", "home"], "part a"],
    [["G", "j", "J"], "b4"],
    [["ctrl-d"], "a3"],
    [["]"], "part b"],
    [["]", "["], "part a"],
    [["j", "["], "part a"],
    [["]", "]"], "part b"],
  ])("U33 %j brings %s to the top", (keys, wanted) => {
    expect(first(press(start, size, ...keys), size)).toBe(wanted);
  });

  test("U33 / searches as it is typed and Enter goes there; n and b go on, round the end, and say so", () => {
    const found = press(start, size, "/", "b", "3", "enter");
    expect(rows(found, size).find((row) => row.startsWith(">"))).toBe("> b3");
    const letters = press(start, size, "/", "A", "enter");
    expect(frameOf(letters).hit).toBe(null); // capitals are meant
    expect(rows(letters, size).at(-1)).toContain("not found: A");
    const five = press(start, size, "/", "5", "enter");
    expect([five, press(five, size, "n"), press(five, size, "n", "n")].map((at) => frameOf(at).hit)).toEqual([
      { section: 0, row: 5 },
      { section: 1, row: 5 },
      { section: 0, row: 5 },
    ]);
    expect(rows(press(five, size, "n", "n"), size).at(-1)).toContain("from the top again");
    expect(frameOf(press(five, size, "b")).hit).toEqual({ section: 1, row: 5 });
    expect(rows(press(five, size, "b"), size).at(-1)).toContain("from the end again");
    expect(press(start, size, "/", "x", "escape").typing).toBe(null);
    expect(press(start, size, "/", "x", "backspace", "backspace").typing).toBe(null);
    expect(rows(press(start, size, "/", "q"), size).at(-1)).toBe("/q_"); // q is typed, not meant
    expect(pressPager(start, { type: "text", text: "/b3" }, size).typing).toBe("b3"); // in one piece
  });

  test("U33 a hit is found where a row is broken in it, and where Markdown stands between its letters", () => {
    const text = "one **two** three four five six seven eight";
    const narrow = sizeOf(22, 6);
    const state = createPager({ title: "doc", sections: [part("a", text, true)] });
    const found = press(state, narrow, "/", ..."two three".split(""), "enter");
    expect([rows(found, narrow), frameOf(found).hit?.row]).toEqual([
      ["  part a", "> one two three four", "  five six seven eight", "", "~", "- doc · all"],
      1,
    ]);
    const broken = press(state, narrow, "/", ..."four five".split(""), "enter");
    expect(frameOf(broken).hit?.row).toBe(1);
  });

  test("U33 Tab marks a part, Enter opens it alone, Backspace goes back to the same place, y copies it", () => {
    const at = press(start, size, "j", "j", "tab");
    expect([frameOf(at).focus, first(at, size)]).toEqual([1, "part b"]); // it was out of view
    const alone = press(at, size, "enter");
    expect(rows(alone, size)[0]).toBe("  part b");
    expect(rows(press(alone, size, "G"), size).at(-1)).toContain("Backspace goes back");
    expect(frameOf(press(alone, size, "G", "backspace"))).toEqual(frameOf(at));
    expect(frameOf(press(alone, size, "escape"))).toEqual(frameOf(at));
    const copied = press(at, size, "y");
    expect([copied.effect, copied.said]).toEqual([
      { type: "copy", text: numbered("b", 8) },
      "23 characters for the clipboard",
    ]);
    expect(press(copied, size, "j").effect).toBe(null);
    expect(frameOf(press(at, size, "shift-tab")).focus).toBe(0);
  });

  test("U33 s takes the status row away, l numbers the rows, Ctrl-R shows the source, ? the keys, q leaves", () => {
    const text = createPager({ title: "doc", sections: [part("a", "# Head\n\n**bold**", true)] });
    expect(rows(text, size)).toEqual([
      "  part a",
      "  # Head",
      "",
      "  bold",
      "",
      "- doc · all    q leaves, / finds, ? keys",
    ]);
    expect(rows(press(text, size, "ctrl-r"), size)).toEqual([
      ...["  part a", "  # Head", "", "  **bold**", "", "- doc · all · source"],
    ]);
    expect(rows(press(text, size, "s"), size)).toEqual(["  part a", "  # Head", "", "  bold", "", "~"]);
    expect(rows(press(text, size, "l"), size).slice(0, 2)).toEqual(["      1 part a", "      2 # Head"]);
    const help = press(text, size, "?");
    expect([
      frameOf(help).title,
      press(help, size, "?").frames.length,
      press(help, size, "escape").frames.length,
    ]).toEqual([...["keys", 2, 1]]);
    for (const name of ["q", "escape", "ctrl-c"]) expect(press(start, size, name).effect).toEqual({ type: "quit" });
  });
});

test("U33 fault 214 at another width the place and the hit stay with their words", () => {
  const text = Array.from({ length: 12 }, (_, at) => `word${at + 1} and some more of it`).join("\n");
  const [wide, narrow] = [sizeOf(60, 6), sizeOf(21, 6)];
  const start = createPager({ title: "doc", sections: [part("a", text, false)] });
  const found = press(refitPager(start, wide), wide, "/", ..."word9".split(""), "enter");
  const hit = (state: PagerState, size: PagerSize) => rows(state, size).find((row) => row.startsWith(">"));
  expect(hit(found, wide)).toBe("> word9 and some more of it");
  const small = refitPager(found, narrow);
  expect([hit(small, narrow), first(small, narrow)]).toEqual([
    "> word9 and some more",
    first(found, wide)?.slice(0, 19).trimEnd(),
  ]);
  const back = refitPager(small, wide);
  expect([hit(back, wide), first(back, wide)]).toEqual([hit(found, wide), first(found, wide)]);
});

test("U33 what grows is read anew: whoever stood at the end goes along, everybody else stays", () => {
  const size = sizeOf(40, 6);
  const grown = { ...document, sections: [...document.sections, part("c", "c1")] };
  const atEnd = toEnd(createPager(document), size);
  expect(first(reloadPager(atEnd, grown, size), size)).toBe("b7");
  const inside = press(createPager(document), size, "J");
  expect(first(reloadPager(inside, grown, size), size)).toBe("a5");
  const shrunk = { ...document, sections: [part("a", "a1")] };
  expect(rows(reloadPager(atEnd, shrunk, size), size).slice(0, 2)).toEqual(["  part a", "  a1"]);
});

test("U33 B66 whatever is paged, pressed and resized, the screen is full and no row too long; nothing is drawn raw", () => {
  const names = ["j", "k", "J", "K", "g", "G", "]", "[", "tab", "shift-tab", "enter", "backspace", "n", "b", "s", "l"];
  const key = fc.constantFrom(...names, "ctrl-r", "?", "/", "a", "你", "escape", "ctrl-d", "ctrl-u", "y");
  const text = fc.string({
    unit: fc.constantFrom("a", " ", "\n", "你", "👨‍👩‍👧", "`", "#", "*", "\t", "\u001b[2J", "é"),
    maxLength: 60,
  });
  const sections = fc.array(fc.tuple(text, fc.boolean()), { maxLength: 4 });
  const sizes = fc.tuple(fc.integer({ min: 2, max: 50 }), fc.integer({ min: 1, max: 9 }));
  fc.assert(
    fc.property(sections, fc.array(fc.tuple(key, fc.option(sizes, { freq: 5 })), { maxLength: 12 }), (texts, keys) => {
      let size = sizeOf(30, 6);
      let state = createPager({
        title: "doc",
        sections: texts.map(([each, md], at) => part(`${at}${each}`, each, md)),
      });
      for (const [name, resized] of keys) {
        if (resized !== null) size = sizeOf(...resized);
        state = refitPager(press(state, size, name), size);
        const drawn = drawPager(state, size, look);
        expect(drawn.length).toBe(size.rows);
        for (const row of drawn) expect(width(row)).toBeLessThanOrEqual(size.columns);
        expect(drawn.join("")).not.toMatch(/\p{Control}/u);
      }
    }),
    { numRuns: 60 },
  );
});

const place = (turn_id: string, round: number) => ({ turn_id, round, ts: Date.UTC(2026, 0, 5, 12) });
const big = "x".repeat(3_000);
const talk: readonly TranscriptMessage[] = [
  { role: "user", content: "look at it", ...place("t1", 0) },
  {
    ...{ role: "assistant", content: "", reasoning: "I should read." },
    tool_calls: [
      { id: "1", name: "read", arguments: '{"path":"a.ts"}' },
      { id: "2", name: "write", arguments: JSON.stringify({ path: "b.ts", content: "one\ntwo" }) },
    ],
    ...place("t1", 1),
  },
  { role: "tool", tool_call_id: "1", name: "read", content: big, ok: true, ...place("t1", 1) },
  { role: "tool", tool_call_id: "2", name: "write", content: "no room", ok: false, ...place("t1", 1) },
  {
    role: "user",
    content: [
      { type: "text", text: "and this" },
      { type: "image", media_type: "image/png", blob: "0" },
    ],
    ...place("t1", 1),
  },
  { role: "assistant", content: "# Done", ...place("t1", 2) },
  { role: "user", content: "again", ...place("t2", 0) },
  { role: "assistant", content: "hal", is_error: true, ...place("t2", 1) },
];

test("W11 U17 the transcript holds every message and output whole, with the tools that each turn used", () => {
  const { sections } = transcriptDocument({ messages: talk, unreadable: 1, undone: ["t3"] });
  const clock = new Date(place("t1", 0).ts).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });
  expect(sections.map(({ title, text }) => [title, text])).toEqual([
    ["", "One damaged record is left out."],
    ["", "Undone and left out: t3."],
    [`t1 · you · ${clock} · read × 1 · write × 1`, "look at it"],
    ["t1 · reasoning", "I should read."],
    ['call read {"path":"a.ts"}', ""],
    ["call write", "path: b.ts\ncontent:\none\ntwo"],
    ["result of read · 3,000 characters", big],
    ["result of write (failed) · 7 characters", "no room"],
    [`t1 · you, meanwhile · ${clock}`, "and this\n[a picture]"],
    ["t1 · Smith", "# Done"],
    [`t2 · you · ${clock}`, "again"],
    ["t2 · Smith (cut off)", "hal"],
  ]);
  expect(transcriptDocument({ messages: [], unreadable: 0, undone: [] }).sections.map(({ text }) => text)).toEqual([
    "No messages in current conversation.",
  ]);
});

test("U11 U12 U13 key combinations as people write them, by the names that keys have", () => {
  expect(["ALT+h", "alt-i", "Ctrl+Shift+Up", "shift-ctrl-x", "F4", "ctrl-space"].map(comboOf)).toEqual([
    "alt-h",
    "alt-i",
    "ctrl-shift-up",
    "ctrl-shift-x",
    "f4",
    "ctrl-space",
  ]);
  expect(["h", "", "shift-h", "alt-", "alt-alt-h", "hyper-h", "f13", "alt-foo", "ctrl-i"].map(comboOf)).toEqual(
    Array(9).fill(null),
  );
});
