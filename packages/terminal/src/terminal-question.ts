/** What a terminal tells of itself; null: it does not. */
export interface TerminalFacts {
  readonly background: "dark" | "light" | null;
  /** It draws pictures by Kitty's protocol. */
  readonly graphics: boolean;
}

/** One question to the terminal about all that is asked, and what its answers come to. */
export interface TerminalQuestion {
  /** What to write; empty: nothing is asked. */
  readonly text: string;
  take(answer: string): void;
  facts(): TerminalFacts;
}

export interface TerminalWishes {
  readonly background: boolean;
  readonly graphics: boolean;
}

/**
 * Asks for the background's colour (OSC 11) and for graphics (a picture of one pixel that is not kept). Nobody waits for it:
 * who does not know such a question does not answer.
 */
export function createTerminalQuestion(wishes: TerminalWishes): TerminalQuestion {
  let facts: TerminalFacts = { background: null, graphics: false };
  const asked = [
    ...(wishes.background ? [`${ESC}]11;?${ESC}\\`] : []),
    ...(wishes.graphics ? [`${ESC}_Gi=${PROBE_ID},s=1,v=1,a=q,t=d,f=24;AAAA${ESC}\\`] : []),
  ];
  return Object.freeze({
    text: asked.join(""),
    take(answer: string) {
      const background = backgroundIn(answer);
      if (background !== null) facts = { ...facts, background };
      if (GRAPHICS.test(answer)) facts = { ...facts, graphics: true };
    },
    facts: () => facts,
  });
}

/** Dark or light, by the colour of an answer to OSC 11; null: it is no such answer. */
function backgroundIn(answer: string): "dark" | "light" | null {
  const [, red = "", green = "", blue = ""] = BACKGROUND.exec(answer) ?? [];
  if (red === "") return null;
  const part = (digits: string) => Number.parseInt(digits, 16) / (16 ** digits.length - 1);
  return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue) > 0.5 ? "light" : "dark";
}

/** By `COLORFGBG`, as `15;0`: the last number is the background's among the 16 colours. Null: it does not tell. */
export function backgroundOf(colorfgbg: string | undefined): "dark" | "light" | null {
  const last = /(?:^|;)(\d{1,2})$/.exec(colorfgbg ?? "")?.[1];
  if (last === undefined) return null;
  return last === "7" || Number(last) > 8 ? "light" : "dark";
}

/**
 * Whether a terminal, by the names it gives itself, is one that draws pictures by Kitty's protocol. Others are not even
 * asked: some would show the question, and tmux takes it for a title.
 */
export function mayHaveGraphics(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env["TMUX"] || env["STY"]) return false;
  if (env["KITTY_WINDOW_ID"] || env["GHOSTTY_RESOURCES_DIR"]) return true;
  return /kitty|ghostty|wezterm/i.test(`${env["TERM"] ?? ""} ${env["TERM_PROGRAM"] ?? ""}`);
}

/** Of the picture that is asked with; no other of ours has it. */
const PROBE_ID = 31;

const ESC = "\u001b";
const HEX = "([0-9a-f]{1,4})";
const BACKGROUND = new RegExp(`^${ESC}\\]11;rgba?:${HEX}/${HEX}/${HEX}`, "i");
const GRAPHICS = new RegExp(`^${ESC}_Gi=${PROBE_ID};OK`);

/** Hands a text to the clipboard (OSC 52); whether it is taken is up to the terminal. */
export const clipboardText = (text: string): string => `${ESC}]52;c;${Buffer.from(text).toString("base64")}\u0007`;
