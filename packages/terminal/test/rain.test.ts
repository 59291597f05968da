import { inflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createScreen } from "../src/index.ts";
import { GLYPHS } from "../src/rain/glyphs.ts";
import { createField, fall, paintField } from "../src/rain/rain.ts";
import { startRain } from "../src/rain/start.ts";
import { createEmulator } from "./support/emulator.ts";

/** Every write to a terminal, which shows them, too. */
function open(columns = 80, rows = 24) {
  const terminal = createEmulator(columns, rows);
  const writes: string[] = [];
  let drains: (() => void)[] = [];
  let isSlow = false;
  const write = (text: string) => {
    writes.push(text);
    terminal.write(text);
    return !isSlow;
  };
  const out = {
    write,
    columns: terminal.columns,
    rows: terminal.height,
    isTty: true,
    onDrain: (f: () => void) => void drains.push(f),
  };
  const screen = createScreen({ out, crlf: true });
  screen.print("printed\n".repeat(rows));
  screen.live(["status", "> typed"], { row: 1, column: 7 });
  writes.length = 0;
  const slow = (on: boolean) => {
    isSlow = on;
    if (!on) for (const each of drains.splice(0)) each();
  };
  drains = [];
  return { terminal, writes, screen, slow };
}

/** Chance that always goes the same way. */
function dice(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const rainOn = (screen: ReturnType<typeof open>["screen"], role = "worker") =>
  startRain({ role, graphics: true, screen, chance: dice() });

const DELETE = "\u001b_Ga=d,d=I,i=7077,q=2\u001b\\";

describe("the rain on a recording terminal", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("U6 each frame is one write, all of it shown at once: cursor kept, up, to the column, the picture behind the letters, back", () => {
    const { writes, screen, terminal } = open();
    const rain = rainOn(screen);
    expect(rain.active).toBe(true);
    vi.advanceTimersByTime(1_000);
    rain.stop();
    const frames = writes.slice(0, -1);
    expect(frames.length).toBe(11); // the first at once, then ten a second
    const shape =
      /^<\?2026h><7><11A><1G>G\(a=T,q=2,f=32,o=z,s=96,v=80,i=7077,p=1,c=32,r=10,z=-10,C=1,m=\d\)(?:G\(q=2,m=\d\))*<8><\?2026l>$/;
    for (const frame of frames) {
      const told = frame
        .replaceAll("\u001b", "^")
        .replaceAll(/\^_G([^;]*);[A-Za-z0-9+/=]*\^\\/g, "G($1)")
        .replaceAll(/\^\[?([?0-9]*[A-Za-z]|[78])/g, "<$1>");
      expect(told).toMatch(shape);
      expect(frame.length).toBeLessThan(6_000);
    }
    expect(new Set(frames).size).toBe(frames.length); // it falls
    expect(writes.at(-1)).toBe(DELETE);
    expect([terminal.pictures().size, terminal.rows().slice(-2), terminal.cursor()]).toEqual([
      ...[0, ["status", "> typed"], { row: 23, column: 7, visible: true }],
    ]);
    vi.advanceTimersByTime(1_000);
    expect([writes.length, vi.getTimerCount()]).toEqual([12, 0]); // nothing comes after
    rain.stop();
    expect(writes.length).toBe(12);
  });

  test("U6 the data is a whole picture in the role's colour, and stands above the cursor as text scrolls by", () => {
    const { screen, terminal } = open();
    const rain = rainOn(screen, "explorer");
    vi.advanceTimersByTime(500);
    const { row, column, data } = terminal.pictures().get("7077") ?? expect.fail("no picture");
    expect([row, column]).toEqual([12, 0]); // ten rows and one below: the cursor is in row 23
    const bytes = inflateSync(Buffer.from(data, "base64"));
    expect(bytes.length).toBe(96 * 80 * 4);
    const dots = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.subarray(at * 4, at * 4 + 4)).filter(
      (dot) => dot[3] !== 0,
    );
    expect(dots.length).toBeGreaterThan(50);
    expect(new Set(dots.map((dot) => [...dot.subarray(0, 3)].join()))).toEqual(new Set(["0,150,170"]));
    screen.print("more\n".repeat(5));
    vi.advanceTimersByTime(100);
    expect(terminal.pictures().get("7077")?.row).toBe(12);
    rain.stop();
  });

  test("U6 without graphics, for the user's own roles, and without room nothing at all is written", () => {
    const { writes, screen } = open();
    for (const role of ["direct", "orchestrator"]) expect(rainOn(screen, role).active).toBe(false);
    expect(startRain({ role: "worker", graphics: false, screen }).active).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect([writes, vi.getTimerCount()]).toEqual([[], 0]);
    for (const [columns, rows] of [
      [19, 24],
      [80, 5],
    ] as const) {
      const small = open(columns, rows);
      const rain = rainOn(small.screen);
      vi.advanceTimersByTime(1_000);
      rain.stop();
      expect(small.writes).toEqual([]);
    }
  });

  test("U6 fault 222 the picture goes before anybody else has the terminal, and comes back after; a slow terminal is spared frames", () => {
    const { writes, screen, terminal, slow } = open();
    const rain = rainOn(screen);
    const leave: readonly (() => void)[] = [() => screen.suspend(), () => screen.full(["a page"])];
    const back: readonly (() => void)[] = [() => screen.resume(), () => screen.full(null)];
    for (const [at, away] of leave.entries()) {
      away();
      expect(terminal.pictures().size).toBe(0);
      const count = writes.length;
      vi.advanceTimersByTime(1_000);
      expect(writes.length).toBe(count);
      back[at]?.();
      vi.advanceTimersByTime(100);
      expect(terminal.pictures().size).toBe(1);
    }
    slow(true);
    vi.advanceTimersByTime(100);
    const count = writes.length;
    vi.advanceTimersByTime(1_000);
    expect(writes.length).toBe(count);
    slow(false);
    vi.advanceTimersByTime(100);
    expect(writes.length).toBeGreaterThan(count);
    screen.close();
    expect([terminal.pictures().size, terminal.modes()]).toEqual([0, []]);
    vi.advanceTimersByTime(1_000);
    expect(terminal.pictures().size).toBe(0);
    rain.stop();
  });

  test("U6 resized it takes its share of the new size, at most 24 signs by 10", () => {
    const { screen, terminal } = open(40, 12);
    const rain = rainOn(screen);
    const box = () => {
      vi.advanceTimersByTime(100);
      const keys = terminal.pictures().get("7077")?.keys;
      return [keys?.["c"], keys?.["r"], keys?.["s"], keys?.["v"]];
    };
    const sizes: readonly (readonly [number, number])[] = [
      [40, 12],
      [300, 60],
      [25, 8],
    ];
    const boxes = sizes.map(([columns, rows]) => {
      terminal.resize(columns, rows);
      screen.live(["status", "> typed"], { row: 1, column: 7 });
      return box();
    });
    expect(boxes).toEqual([
      ["16", "6", "48", "48"],
      ["48", "10", "144", "80"],
      ["10", "4", "30", "32"],
    ]);
    rain.stop();
  });
});

test("U6 signs are of five by seven dots; they fall for ever, within their field, and fade behind their head", () => {
  expect(new Set(GLYPHS.map((glyph) => glyph.length))).toEqual(new Set([35]));
  expect(new Set(GLYPHS.map((glyph) => glyph.join())).size).toBe(GLYPHS.length);
  const chance = dice(7);
  let field = createField(6, 8, chance);
  let wet = 0;
  for (let frame = 0; frame < 500; frame++) {
    field = fall(field, chance);
    const { width, height, bytes } = paintField(field, [1, 2, 3]);
    expect([width, height, bytes.length]).toEqual([36, 64, 36 * 64 * 4]);
    if (bytes.some((byte) => byte !== 0)) wet++;
  }
  expect(wet).toBeGreaterThan(450);
});
