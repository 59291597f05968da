import type { Inspected, InspectRow } from "@smith/contract/inspect";
import type { TranscriptMessage } from "@smith/contract/message";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createInspect,
  createLayOut,
  createTheme,
  drawInspect,
  type InspectState,
  type Key,
  loadMarkdown,
  type PagerSize,
  pressInspect,
  reloadInspect,
  tellInspect,
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
const size = sizeOf(80, 6);

const at = (turn_id: string, round: number) => ({ turn_id, round, ts: 0 });
const row = (seq: number, message: TranscriptMessage, takes = [seq], undone = false): InspectRow => ({
  ...{ seq, message, takes, undone },
});
const call = { id: "c", name: "read", arguments: "{}" };
const rows: readonly InspectRow[] = [
  row(1, { role: "user", content: "look at\nit", ...at("t1", 0) }, [1, 2, 3, 5]),
  row(2, { role: "assistant", content: "", tool_calls: [call], ...at("t1", 1) }, [2, 3]),
  row(3, { role: "tool", tool_call_id: "c", name: "read", content: "no file", ok: false, ...at("t1", 1) }, [2, 3]),
  row(5, { role: "assistant", content: "# Done\n\nAll **of** it.", ...at("t1", 2) }),
  row(6, { role: "user", content: "again", ...at("t2", 0) }, [6, 7], true),
  row(7, { role: "assistant", content: "half", is_error: true, ...at("t2", 1) }, [7], true),
];
const found: Inspected = { conversation: null, rows, unreadable: 0, last_change: null };

const keyOf = (name: string): Key => ([...name].length === 1 ? { type: "text", text: name } : { type: "key", name });
const press = (state: InspectState, ...names: readonly string[]) =>
  names.reduce((now, name) => pressInspect(now, keyOf(name), size), state);
const drawn = (state: InspectState) => drawInspect(state, size, look).map((each) => each.trimEnd());
const marked = (state: InspectState) => state.rows[state.at]?.seq;

test("U13 the list shows each message in a row, begins at the newest, and moves by rows, pages and turns", () => {
  const start = createInspect(found);
  expect(drawn(start)).toEqual([
    "  2 t1  Smith [read]",
    "  3 t1  read failed no file",
    "  5 t1  Smith # Done",
    "  6 t2  you (undone) again",
    "▌ 7 t2  Smith (cut off) (undone) half",
    "- messages · 6 of 6          Enter views, e edits, d deletes, u undoes, q leaves",
  ]);
  expect(drawn(press(start, "g"))[0]).toBe("▌ 1 t1  you look at");
  const moves: readonly (readonly [readonly string[], number])[] = [
    ...([
      [["k"], 6],
      [["up", "up"], 5],
      [["g"], 1],
      [["home", "j", " ", "down"], 5],
      [["g", "J"], 7],
    ] as const),
    ...([
      [["K"], 1],
      [["["], 6],
      [["[", "["], 1],
      [["g", "]"], 6],
      [["g", "G"], 7],
      [["g", "]", "]"], 7],
    ] as const),
  ];
  expect(moves.map(([keys]) => marked(press(start, ...keys)))).toEqual(moves.map(([, seq]) => seq));
});

test("U13 U14 d marks all that goes along and asks; only y deletes", () => {
  const asked = press(createInspect(found), "g", "j", "d");
  expect(drawn(asked).map((each) => each.slice(0, 4))).toEqual(["  1 ", "x 2 ", "x 3 ", "  5 ", "  6 ", "Dele"]);
  expect(drawn(asked).at(-1)).toBe("Delete message 2 and 1 more that can't stand without it (the call and its result");
  expect(asked.effect).toBe(null);
  expect(press(asked, "y").effect).toEqual({ type: "remove", row: rows[1] });
  for (const name of ["n", "enter", "escape", "q", "d"]) {
    expect([press(asked, name).effect, press(asked, name).asks, press(asked, name).said]).toEqual([
      null,
      false,
      "nothing was deleted",
    ]);
  }
  const letters = pressInspect(createInspect(found), { type: "text", text: "dyd" }, size); // in one piece
  expect(letters.effect).toEqual({ type: "remove", row: rows[5] });
  expect(pressInspect(asked, { type: "paste", text: "y" }, size)).toMatchObject({ asks: false, effect: null });
});

test("U13 Enter opens a message in the pager and comes back from it; e, y, u, r and q ask for what they say", () => {
  const start = press(createInspect(found), "g", "j", "j", "j");
  const open = press(start, "enter");
  expect(drawn(open).slice(0, 4)).toEqual(["  t1 · Smith", "  # Done", "", "  All of it."]);
  expect(press(open, "/", "o", "f", "enter").open?.pattern).toBe("of");
  for (const name of ["q", "escape", "ctrl-c", "backspace"])
    expect([press(open, name).open, press(open, name).effect]).toEqual([null, null]);
  expect(press(open, "/", "x", "backspace").open).not.toBe(null);
  expect(press(open, "y").effect).toEqual({ type: "copy", text: "# Done\n\nAll **of** it." });
  expect(press(start, "y").effect).toEqual({ type: "copy", text: "# Done\n\nAll **of** it." });
  expect(press(start, "e").effect).toEqual({ type: "edit", row: rows[3] });
  expect([press(start, "r").effect, press(start, "q").effect]).toEqual([{ type: "reload" }, { type: "quit" }]);
  expect([press(start, "u").effect, press(start, "u").said]).toEqual([
    null,
    "nothing was changed here since smith began",
  ]);
  expect(press(reloadInspect(start, { ...found, last_change: "the edit of 5" }), "u").effect).toEqual({
    type: "take_back",
  });
});

test("U13 read anew the mark stays on its message, or where that was; what is told stands in the last row", () => {
  const start = press(createInspect(found), "g", "j");
  const less = { ...found, rows: rows.filter(({ seq }) => seq !== 2 && seq !== 3), unreadable: 1 };
  const after = tellInspect(reloadInspect(start, less), "deleted 2, 3");
  expect([marked(after), drawn(after).at(-1)]).toEqual([5, "- messages · 2 of 4 · 1 damaged left out · deleted 2, 3"]);
  expect(marked(reloadInspect(after, found))).toBe(5);
  const none = reloadInspect(after, { ...found, rows: [] });
  expect(drawn(none)[0]).toBe("Nothing is stored of this session yet.");
  expect(["d", "e", "y", "enter", "j", "]"].map((name) => press(none, name).effect)).toEqual(Array(6).fill(null));
});

test("U13 B66 whatever is pressed and whatever stands in messages, the screen is full and no row too long", () => {
  const key = fc.constantFrom("j", "k", "J", "K", "g", "G", "[", "]", "d", "n", "enter", "escape", "tab", "s", "l");
  const text = fc.string({ unit: fc.constantFrom("a", " ", "\n", "你", "👨‍👩‍👧", "\u001b[2J", "\t"), maxLength: 30 });
  const sizes = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 8 }));
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 6 }),
      fc.array(key, { maxLength: 10 }),
      sizes,
      (texts, keys, [columns, count]) => {
        const shown = sizeOf(columns, count);
        const listed = texts.map((content, n) => row(n + 1, { role: "user", content, ...at(`t${n}`, 0) }));
        let state = createInspect({ ...found, rows: listed });
        for (const name of keys) {
          state = pressInspect(state, keyOf(name), shown);
          const lines = drawInspect(state, shown, look);
          expect(lines.length).toBe(count);
          for (const each of lines) expect(width(each)).toBeLessThanOrEqual(Math.max(columns, 2));
          expect(lines.join("")).not.toMatch(/\p{Control}/u);
        }
      },
    ),
    { numRuns: 60 },
  );
});
