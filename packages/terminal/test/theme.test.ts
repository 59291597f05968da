import { describe, expect, test } from "vitest";
import {
  backgroundOf,
  createTerminalQuestion,
  createTheme,
  type Key,
  mayHaveGraphics,
  readKeys,
  type Theme,
} from "../src/index.ts";

/** The 16 colours as terminals have them, after their own background; black to white, then the bright ones. */
const PALETTES: Readonly<Record<"dark" | "light", Readonly<Record<string, string>>>> = {
  dark: {
    xterm:
      "000000 000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    vga: "000000 000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    tango:
      "2e3436 2e3436 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf 555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec",
    solarized:
      "002b36 073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3",
  },
  light: {
    xterm:
      "ffffff 000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    vga: "ffffff 000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    tango:
      "ffffff 2e3436 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf 555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec",
    solarized:
      "fdf6e3 073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3",
  },
};

/** Relative luminance and contrast, after WCAG. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.039_28 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const ROLES = ["direct", "orchestrator", "worker", "explorer", "another"];

/** What each paint puts before a text: the numbers of its sequences. */
function codesOf(theme: Theme): readonly (readonly [string, number])[] {
  const { role, colour: _colour, prompt, ...paints } = theme;
  const painted = [
    ...Object.entries({ ...paints, ...prompt }).map(([name, paint]) => [name, paint("x")] as const),
    ...ROLES.map((name) => [`role ${name}`, role(name)] as const),
  ];
  return painted.flatMap(([name, text]) => {
    const parts = text.split("\u001b[").slice(1);
    const before = parts.slice(0, parts.findIndex((part) => !part.endsWith("m") || /m./.test(part)) + 1);
    return before.map((part) => [name, Number.parseInt(part, 10)] as const);
  });
}

const isWeight = (code: number): boolean => [1, 2, 3, 4, 7, 9].includes(code);

/** Which of the 16 colours a code is; null: none. */
function indexOf(code: number): number | null {
  if (code >= 30 && code <= 37) return code - 30;
  return code >= 90 && code <= 97 ? code - 82 : null;
}

const contrastsOf = (kind: "dark" | "light", index: number) =>
  Object.entries(PALETTES[kind]).map(([palette, colours]) => {
    const [background = "", ...sixteen] = colours.split(" ");
    return { palette, ratio: contrast(sixteen[index] ?? "", background) };
  });

describe("themes", () => {
  test.each(["dark", "light"] as const)(
    "U8 on a terminal of 16 colours everything of the %s theme can be read",
    (kind) => {
      const codes = codesOf(createTheme({ colour: true, kind }));
      expect(codes.length).toBeGreaterThan(20);
      const poor = codes.flatMap(([name, code]) => {
        if (isWeight(code)) return [];
        const index = indexOf(code);
        if (index === null) return [`${name}: ${code} is none of the 16 colours`];
        return contrastsOf(kind, index)
          .filter(({ ratio }) => ratio < 3)
          .map(
            ({ palette, ratio }) =>
              `${name}: ${code} has a contrast of ${ratio.toFixed(1)} by the palette of ${palette}`,
          );
      });
      expect(poor).toEqual([]);
    },
  );

  test("U8 what is added and what is removed, done and failed differ in every theme; the roles among themselves", () => {
    for (const kind of ["dark", "light"] as const) {
      const theme = createTheme({ colour: true, kind });
      expect(theme.added("x")).not.toBe(theme.removed("x"));
      expect(theme.ok("x")).not.toBe(theme.failed("x"));
      const own = ROLES.slice(0, 4).map((role) => theme.role(role).split(/[A-Z][a-z]+/)[0]);
      expect(new Set(own).size).toBe(4);
    }
  });
});

/** What was read of a terminal that sends these pieces. */
function read(...pieces: readonly string[]) {
  let send = (_piece: string): void => {};
  const stream = {
    on(event: string, listener: (piece: string) => void) {
      if (event === "data") send = listener;
    },
    ...{ off() {}, resume() {}, pause() {} },
  };
  const [keys, answers]: [Key[], string[]] = [[], []];
  const reader = readKeys(stream, { onKey: (key) => keys.push(key), onAnswer: (answer) => answers.push(answer) });
  for (const piece of pieces) send(piece);
  reader.close();
  return { keys, answers };
}

test("U8 a theme that learns of its background late paints what follows for it", () => {
  let background: "dark" | "light" = "dark";
  const theme = createTheme({ colour: true, kind: () => background });
  const dark = [theme.ok("x"), theme.heading("x"), theme.role("worker"), theme.prompt.path("x")];
  background = "light";
  const light = [theme.ok("x"), theme.heading("x"), theme.role("worker"), theme.prompt.path("x")];
  const as = (kind: "dark" | "light") => {
    const { ok, heading, role, prompt } = createTheme({ colour: true, kind });
    return [ok("x"), heading("x"), role("worker"), prompt.path("x")];
  };
  expect([dark, light]).toEqual([as("dark"), as("light")]);
});

describe("what a terminal tells of itself", () => {
  const ask = () => createTerminalQuestion({ background: true, graphics: true });

  test("U8 the background's colour makes it dark or light, in every spelling; anything else tells nothing", () => {
    const told = (answer: string) => {
      const question = ask();
      question.take(answer);
      return question.facts().background;
    };
    expect(
      [
        "rgb:0000/0000/0000",
        "rgb:ffff/ffff/ffff",
        "rgb:f/f/f",
        "rgba:fd/f6/e3/ff",
        "rgb:00/2b/36",
        "rgb:zz/0/0",
        "?",
      ].map((colour) => told(`\u001b]11;${colour}\u001b\\`)),
    ).toEqual(["dark", "light", "light", "light", "dark", null, null]);
    expect([told("\u001b[?62;22c"), told("\u001b]10;rgb:ffff/ffff/ffff\u0007")]).toEqual([null, null]);
  });

  test("fault 224 U6 the probe for graphics: only its own OK counts; what is not asked is not written", () => {
    const question = ask();
    expect(question.text).toBe("\u001b]11;?\u001b\\\u001b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u001b\\");
    question.take("\u001b_Gi=31;ENODATA:no\u001b\\");
    question.take("\u001b_Gi=7;OK\u001b\\");
    expect(question.facts().graphics).toBe(false);
    question.take("\u001b_Gi=31;OK\u001b\\");
    expect(question.facts()).toEqual({ background: null, graphics: true });
    expect(createTerminalQuestion({ background: false, graphics: false }).text).toBe("");
    expect(createTerminalQuestion({ background: true, graphics: false }).text).toBe("\u001b]11;?\u001b\\");
  });

  test("fault 224 answers come whole, in whatever pieces, and none of their letters is typed", () => {
    const answer = "\u001b]11;rgb:ffff/ffff/ffff\u001b\\";
    const all = `a${answer}b\u001b_Gi=31;OK\u001b\\\u001b[?62;4cc`;
    const answers = [answer, "\u001b_Gi=31;OK\u001b\\", "\u001b[?62;4c"];
    for (const pieces of [[all], [...all], [all.slice(0, 9), all.slice(9, 30), all.slice(30)]]) {
      const { keys, answers: got } = read(...pieces);
      expect([keys.map((key) => (key.type === "text" ? key.text : key)).join(""), got]).toEqual(["abc", answers]);
    }
  });

  test("U8 COLORFGBG and the names of terminals", () => {
    expect(["15;0", "0;15", "0;default;7", "7;8", "12;9", "", "x", undefined].map(backgroundOf)).toEqual([
      ...["dark", "light", "light", "dark", "light", null, null, null],
    ]);
    const names = [
      { TERM: "xterm-kitty" },
      { TERM_PROGRAM: "WezTerm" },
      { TERM: "xterm-ghostty" },
      { KITTY_WINDOW_ID: "1" },
    ];
    expect(names.map(mayHaveGraphics)).toEqual([true, true, true, true]);
    const others = [
      {},
      { TERM: "xterm-256color" },
      { TERM: "xterm-kitty", TMUX: "/x" },
      { TERM: "screen", STY: "1", KITTY_WINDOW_ID: "1" },
    ];
    expect(others.map(mayHaveGraphics)).toEqual([false, false, false, false]);
  });
});
