import type { Config } from "@smith/contract/config";
import {
  backgroundOf,
  createScreen,
  createTerminalQuestion,
  createTheme,
  type Key,
  type Keys,
  mayHaveGraphics,
  readKeys,
  type Screen,
  type Theme,
} from "@smith/terminal";

/** What is drawn on, and how. */
export interface Look {
  readonly screen: Screen;
  readonly theme: Theme;
  /** False: marks of ASCII. */
  readonly unicode: boolean;
  /** Whether the terminal has said that it draws pictures. */
  graphics(): boolean;
}

/** Who reads the keys. */
export interface KeyReader {
  onKey(key: Key): void;
  /** The terminal has told of itself: what stands there may look otherwise now. */
  onTold(): void;
  /** The terminal is gone. */
  onEnd(): void;
}

/** This process's terminal, read from now on: what is typed waits for its reader. */
export interface Terminal {
  readonly keys: Keys;
  readonly look: Look;
  readBy(reader: KeyReader): void;
}

export interface TerminalOptions {
  readonly colour: boolean;
  /** As configured. */
  readonly ui: Pick<Config["ui"], "theme" | "rain">;
}

/** How long a terminal may take to tell of its background, ms. What it says later is read, and counts for nothing. */
const TELL_MS = 1000;

export function openTerminal({ colour, ui }: TerminalOptions): Terminal {
  const screen = createScreen({ out: stdout(), crlf: true });
  const isAuto = colour && ui.theme === "auto" && canTell();
  const question = createTerminalQuestion({
    background: isAuto,
    graphics: colour && ui.rain && mayHaveGraphics(process.env),
  });
  let reader: KeyReader | null = null;
  const early: ((to: KeyReader) => void)[] = [];
  const tell = (what: (to: KeyReader) => void) => (reader === null ? void early.push(what) : what(reader));
  const askedAt = performance.now();
  let background = backgroundOf(process.env["COLORFGBG"]) ?? "dark";
  const keys = readKeys(process.stdin, {
    onKey: (key) => tell((to) => to.onKey(key)),
    onAnswer(answer) {
      question.take(answer);
      if (performance.now() - askedAt > TELL_MS) return;
      background = question.facts().background ?? background;
      reader?.onTold();
    },
    onEnd: () => tell((to) => to.onEnd()),
  });
  if (question.text !== "") screen.send(question.text);
  const theme = createTheme({ colour, kind: ui.theme === "auto" ? () => background : ui.theme });
  const look = Object.freeze({ screen, theme, unicode: speaksUnicode(), graphics: () => question.facts().graphics });
  return Object.freeze<Terminal>({
    ...{ keys, look },
    readBy(next: KeyReader) {
      reader = next;
      for (const what of early.splice(0)) what(next);
    },
  });
}

/** The consoles of Linux take such a question for letters. */
const canTell = (): boolean => !["", "dumb", "linux", "unknown"].includes(process.env["TERM"] ?? "");

/** stdout as the screen writes to it. */
const stdout = () => ({
  write: (text: string) => process.stdout.write(text),
  columns: () => process.stdout.columns,
  rows: () => process.stdout.rows,
  isTty: true,
  onDrain: (again: () => void) => void process.stdout.once("drain", again),
});

/** By the locale, as programs do; without one it is taken for granted. */
const speaksUnicode = (): boolean => {
  const locale = process.env["LC_ALL"] || process.env["LC_CTYPE"] || process.env["LANG"];
  return locale === undefined || locale === "" || /utf-?8/i.test(locale);
};
