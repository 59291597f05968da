import { createScreen, createTheme, type Screen, type Theme } from "@smith/terminal";

/** What is drawn on, and how. */
export interface Look {
  readonly screen: Screen;
  readonly theme: Theme;
  /** False: marks of ASCII. */
  readonly unicode: boolean;
}

export interface LookOptions {
  readonly colour: boolean;
  /** As configured. */
  readonly theme: "dark" | "light" | "none" | "auto";
}

/** This process's terminal. */
export const createLook = ({ colour, theme }: LookOptions): Look => ({
  screen: createScreen({ out: stdout(), crlf: true }),
  theme: createTheme({ colour: colour && theme !== "none", kind: theme === "auto" ? "dark" : theme }),
  unicode: speaksUnicode(),
});

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
