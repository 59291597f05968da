import fc from "fast-check";
import { expect, test } from "vitest";
import { createScreen, type ScreenOut } from "../src/index.ts";
import { createEmulator } from "./support/emulator.ts";

function open(columns = 20, rows = 6, options: { crlf?: boolean; dumb?: boolean; isTty?: boolean } = {}) {
  const terminal = createEmulator(columns, rows);
  const writes: string[] = [];
  const out: ScreenOut = {
    write(text) {
      writes.push(text);
      terminal.write(text);
      return true;
    },
    columns: terminal.columns,
    rows: terminal.height,
    isTty: options.isTty ?? true,
  };
  const screen = createScreen({ out, crlf: options.crlf ?? true, dumb: options.dumb ?? false });
  return { screen, terminal, writes };
}

test("U7 U4 what is printed stands above the live area, which is redrawn in place by one write each", () => {
  const { screen, terminal, writes } = open();
  screen.live(["thinking", "> hello"], { row: 1, column: 7 });
  screen.print("first\nsecond\n");
  screen.live(["streaming", "> hello", "  you"], { row: 2, column: 5 });
  screen.print("third\n");
  expect(terminal.rows()).toEqual(["first", "second", "third", "streaming", "> hello", "  you"]);
  expect(terminal.cursor()).toEqual({ row: 5, column: 5, visible: true });
  expect(writes.length).toBe(4);
  screen.live(["streaming", "> hello", "  you"], { row: 2, column: 5 });
  expect(writes.length).toBe(4); // nothing changed
  screen.live(["> "], { row: 0, column: 2 });
  expect(terminal.all()).toEqual(["first", "second", "third", ">"]);
  expect(terminal.modes()).toEqual(["2004"]);
});

test("U7 a printed line that has not ended waits on top of the live area until it does", () => {
  const { screen, terminal } = open();
  screen.live(["> "], { row: 0, column: 2 });
  screen.print("one ");
  screen.print("two");
  expect(terminal.rows().slice(0, 2)).toEqual(["one two", ">"]);
  screen.print(" three\nfour");
  expect(terminal.all()).toEqual(["one two three", "four", ">"]);
  screen.close();
  expect(terminal.all()).toEqual(["one two three", "four"]);
});

test("U2 bare line feeds become CR LF in raw mode and are left alone elsewhere", () => {
  const raw = open();
  raw.screen.print("a\nb\r\nc\n");
  expect(raw.writes.join("")).toContain("a\r\nb\r\nc\r\n");
  const cooked = open(20, 6, { crlf: false });
  cooked.screen.print("a\nb\n");
  expect(cooked.writes.join("")).toContain("a\nb\n");
});

test("B66 U7 live lines are cut to the columns, and a wide character is never split at the edge", () => {
  const { screen, terminal } = open(10, 4);
  screen.live(["你好你好你好", "123456789012", "x你好你好你"]);
  expect(terminal.rows()).toEqual(["你好你好你", "1234567890", "x你好你好", ""]);
  expect(terminal.cursor().visible).toBe(false);
});

test("B68 live lines keep their colours and nothing else that moves or sets the terminal", () => {
  const { screen, terminal } = open(30, 4);
  screen.live(["\u001b[31mred\u001b[39m \u001b[2J\u001b]0;owned\u0007\u001b[1A\u009b31mplain\rover\nline\tx"]);
  expect(terminal.rows()[0]).toBe("red plain over line    x");
  expect([terminal.colourAt(0, 0), terminal.colourAt(0, 5)]).toEqual(["31", "31;39"]);
});

test("U7 a live area taller than the terminal shows the rows around the cursor", () => {
  const { screen, terminal } = open(10, 3);
  const lines = ["a", "b", "c", "d", "e"];
  screen.live(lines, { row: 4, column: 1 });
  expect(terminal.rows()).toEqual(["c", "d", "e"]);
  screen.live(lines, { row: 1, column: 1 });
  expect([terminal.rows(), terminal.cursor()]).toEqual([["b", "c", "d"], { row: 0, column: 1, visible: true }]);
  screen.print("text\n");
  expect(terminal.all()).toEqual(["text", "b", "c", "d"]);
});

test("U7 after a resize the live area is where it was, and nothing printed is lost", () => {
  const { screen, terminal } = open(20, 8);
  const draw = () => screen.live(["s".repeat(terminal.columns()), "> 你好你好你好".slice(0, 6)], { row: 1, column: 2 });
  screen.print("kept one\nkept two\n");
  draw();
  for (const columns of [9, 20, 5, 40, 12]) {
    terminal.resize(columns, 8);
    draw();
  }
  expect(terminal.all().slice(-2)).toEqual(["ssssssssssss", "> 你好你好"]);
  expect(terminal.all().join("")).toMatch(/^kept onekept two/);
  expect(terminal.all().join("\n").match(/> /g)?.length).toBe(1);
});

test("U7 suspend hands the terminal over plain, and resume draws the live area anew", () => {
  const { screen, terminal } = open();
  screen.live(["busy", "> x"], { row: 1, column: 3 });
  screen.suspend();
  expect([terminal.all(), terminal.modes(), terminal.cursor()]).toEqual([[], [], { row: 0, column: 0, visible: true }]);
  screen.print("pager\n");
  screen.live(["idle", "> y"], { row: 1, column: 3 });
  expect(terminal.all()).toEqual(["pager"]);
  screen.resume();
  expect([terminal.all(), terminal.modes()]).toEqual([["pager", "idle", "> y"], ["2004"]]);
});

test("U24 close leaves a clean terminal, twice too, and what is printed afterwards still comes out", () => {
  const { screen, terminal } = open();
  screen.print("answer\n");
  screen.live(["busy"]);
  screen.close();
  screen.close();
  screen.live(["late"]);
  screen.print("bye\n");
  expect([terminal.all(), terminal.modes(), terminal.cursor()]).toEqual([
    ["answer", "bye"],
    [],
    { row: 2, column: 0, visible: true },
  ]);
});

test("B70 without a terminal, or on a dumb one, print passes text as it is and live draws nothing", () => {
  const pipe = open(20, 6, { isTty: false });
  pipe.screen.live(["status"]);
  pipe.screen.print("a\nb");
  pipe.screen.clear();
  pipe.screen.suspend();
  pipe.screen.resume();
  pipe.screen.close();
  expect([pipe.writes, pipe.screen.isLive]).toEqual([["a\nb"], false]);
  const dumb = open(20, 6, { dumb: true });
  dumb.screen.live(["status"]);
  dumb.screen.print("a\nb");
  dumb.screen.close();
  expect(dumb.writes).toEqual(["a\r\nb"]);
});

test("U7 clear empties the screen and draws the live area at its top", () => {
  const { screen, terminal } = open();
  screen.print("old\n");
  screen.live(["> x"], { row: 0, column: 3 });
  screen.clear();
  expect([terminal.rows()[0], terminal.cursor()]).toEqual(["> x", { row: 0, column: 3, visible: true }]);
});

test("U7 a terminal that has gone, or has no size, or one column, does no harm", () => {
  const gone = createScreen({
    out: {
      write: () => {
        throw new Error("EPIPE");
      },
      columns: () => 0,
      rows: () => 0,
      isTty: true,
    },
    crlf: true,
  });
  gone.live(["a"], { row: 7, column: 99 });
  gone.print("b\n");
  gone.close();
  expect(gone.size()).toEqual({ columns: 80, rows: 24 });
  const { screen, terminal } = open(1, 2);
  screen.live(["你好", "ab"], { row: 1, column: 5 });
  screen.print("ab\n");
  expect(terminal.rows().at(-1)).toBe("a");
});

test("U7 while the reader is slow only the newest live area waits, and permanent text is all kept", () => {
  const written: string[] = [];
  let drain = () => {};
  const out: ScreenOut = {
    write: (text) => written.push(text) < 0,
    columns: () => 20,
    rows: () => 5,
    isTty: true,
    onDrain: (listener) => {
      drain = listener;
    },
  };
  const screen = createScreen({ out, crlf: true });
  screen.live(["frame 0"]);
  for (let frame = 1; frame <= 50; frame++) screen.live([`frame ${frame}`]);
  screen.print("kept\n");
  expect(written.length).toBe(2);
  screen.live(["last"]);
  expect(written.length).toBe(2);
  drain();
  expect([written.length, written[2]?.includes("last")]).toEqual([3, true]);
});

test("U7 whatever is printed and drawn, the terminal shows all that was printed and then the live area", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "你", "é"), maxLength: 15 }).map((text) => `${text}|`);
  const step = fc.oneof(
    fc.record({ print: fc.array(line, { minLength: 1, maxLength: 3 }) }),
    fc.record({ live: fc.array(line, { maxLength: 4 }), row: fc.nat(4), column: fc.nat(25) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const { screen, terminal } = open(40, 9);
      const printed: string[] = [];
      let live: readonly string[] = [];
      for (const each of steps) {
        if ("print" in each) {
          printed.push(...each.print);
          screen.print(`${each.print.join("\n")}\n`);
        } else {
          live = each.live;
          screen.live(live, { row: each.row, column: each.column });
        }
      }
      expect(terminal.all()).toEqual([...printed, ...live].map((text) => text.trimEnd()));
    }),
    { numRuns: 300 },
  );
});

test("U12 U7 the whole terminal can be taken and given back: what was printed meanwhile stands above the live area then", () => {
  const { screen, terminal, writes } = open(20, 6);
  screen.print("before\n");
  screen.live(["status", "> typed"], { row: 1, column: 7 });
  screen.full(["one", "two 你好", "a row that is much too long"]);
  expect(terminal.rows()).toEqual(["one", "two 你好", "a row that is much t", "", "", ""]);
  expect(terminal.cursor().visible).toBe(false);
  screen.print("meanwhile\nopen");
  screen.live(["later", "> typed on"], { row: 1, column: 10 });
  screen.clear();
  const count = writes.length;
  screen.full(["one", "two 你好", "a row that is much too long"]);
  expect(writes.length).toBe(count); // nothing changed
  screen.full(["one", "three"]);
  expect(terminal.rows()).toEqual(["one", "three", "", "", "", ""]);
  expect(writes.at(-1)).not.toContain("one"); // only what changed
  terminal.resize(10, 4);
  screen.full(["one", "three and more"]);
  expect(terminal.rows()).toEqual(["one", "three and", "", ""]);
  terminal.resize(20, 6);
  screen.full(null);
  screen.full(null);
  expect(terminal.all()).toEqual(["before", "meanwhile", "open", "later", "> typed on"]);
  expect(terminal.cursor()).toEqual({ row: 4, column: 10, visible: true });
});

test("U12 fault 223 suspending leaves the whole terminal and comes back to it; closing leaves it for good, what was printed kept", () => {
  const { screen, terminal } = open(20, 6);
  screen.live(["> "], { row: 0, column: 2 });
  screen.full(["a page"]);
  screen.suspend();
  expect([terminal.all(), terminal.cursor().visible, terminal.modes()]).toEqual([[], true, []]);
  screen.resume();
  expect(terminal.rows()[0]).toBe("a page");
  screen.print("kept\n");
  screen.close();
  screen.full(["never"]);
  expect([terminal.all(), terminal.cursor().visible, terminal.modes()]).toEqual([["kept"], true, []]);
});
