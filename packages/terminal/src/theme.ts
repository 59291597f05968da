import pc from "picocolors";
import { safeLine } from "./safe.ts";

/** Puts colour around a text, or gives it back as it is. */
export type Paint = (text: string) => string;

export interface ThemeOptions {
  /** False under NO_COLOR, on a dumb terminal and in a pipe: the door knows. */
  readonly colour: boolean;
  /** What the terminal's background is like; `none` paints nothing. A function is asked for each text: it may learn more. */
  readonly kind: "dark" | "light" | "none" | (() => "dark" | "light");
}

/** How what is drawn looks. Every member gives its text back unchanged where there is no colour. */
export interface Theme {
  /** False: marks and words must carry what colour can't. */
  readonly colour: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly strike: Paint;
  /** Letters and background swapped. */
  readonly invert: Paint;
  readonly error: Paint;
  readonly warn: Paint;
  /** What a tool call came to. */
  readonly running: Paint;
  readonly ok: Paint;
  readonly failed: Paint;
  readonly cancelled: Paint;
  readonly heading: Paint;
  readonly code: Paint;
  readonly quote: Paint;
  readonly link: Paint;
  readonly keyword: Paint;
  readonly name: Paint;
  readonly string: Paint;
  readonly number: Paint;
  readonly comment: Paint;
  readonly added: Paint;
  readonly removed: Paint;
  readonly hunk: Paint;
  readonly prompt: PromptPaints;
  /** The alias of a role in its colour: Smith, Tank, Niobe, Link; another role by its own name, made safe. */
  role(role: string): string;
}

/** The parts of the prompt line. */
export interface PromptPaints {
  readonly mode: Paint;
  readonly model: Paint;
  readonly path: Paint;
  /** Context use: at most 70 %, above it, above 90 %. */
  readonly calm: Paint;
  readonly high: Paint;
  readonly critical: Paint;
  readonly cost: Paint;
  readonly mark: Paint;
}

const ALIASES: Readonly<Record<string, string>> = Object.freeze({
  direct: "Smith",
  orchestrator: "Tank",
  worker: "Niobe",
  explorer: "Link",
});

/** What people call a role: its alias, or its name made safe to draw. */
export const aliasOf = (role: string): string =>
  (Object.hasOwn(ALIASES, role) ? ALIASES[role] : undefined) ?? safeLine(role);

export function createTheme({ colour, kind }: ThemeOptions): Theme {
  const on = colour && kind !== "none";
  const c = pc.createColors(on);
  const isLight = () => (typeof kind === "function" ? kind() : kind) === "light";
  const [dark, light] = [onDark(c), onLight(c)];
  const hue =
    (name: keyof typeof dark): Paint =>
    (text) =>
      (isLight() ? light : dark)[name](text);
  const [good, bad, warm, cool, other] = [hue("good"), hue("bad"), hue("warm"), hue("cool"), hue("other")];
  const plain: Paint = (text) => text;
  const roles: Readonly<Record<string, readonly [onDark: Paint, onLight: Paint]>> = {
    direct: [good, plain], // of the three colours for light the fourth role has none
    orchestrator: [other, other],
    worker: [warm, bad],
    explorer: [cool, cool],
  };
  const role = (name: string) => {
    const [onDark, onLight] = (Object.hasOwn(roles, name) ? roles[name] : undefined) ?? [plain, plain];
    return c.bold((isLight() ? onLight : onDark)(aliasOf(name)));
  };
  return Object.freeze({
    colour: on,
    ...weights(c),
    error: bad,
    warn: warm,
    running: cool,
    ok: good,
    failed: bad,
    cancelled: warm,
    heading: (text: string) => c.bold(cool(text)),
    code: warm,
    quote: c.dim,
    link: (text: string) => c.underline(cool(text)),
    keyword: other,
    name: cool,
    string: good,
    number: warm,
    comment: c.dim,
    added: good,
    removed: bad,
    hunk: cool,
    prompt: Object.freeze({
      mode: warm,
      model: c.dim,
      path: cool,
      calm: c.dim,
      high: warm,
      critical: bad,
      cost: c.dim,
      mark: c.bold,
    }),
    role,
  });
}

type Colours = ReturnType<typeof pc.createColors>;

/**
 * Of the 16 colours a terminal has by itself, those that can be read on its background by the palettes in use (xterm, VGA,
 * Tango, Solarized): plain red and magenta are too dark on black, grey is the very background of one.
 */
const onDark = (c: Colours) => ({
  ...{ good: c.green, bad: c.redBright, warm: c.yellow, cool: c.cyan, other: c.magentaBright },
});

/** Green, yellow and cyan can't be read on white. */
const onLight = (c: Colours) => ({ good: c.blue, bad: c.red, warm: c.magenta, cool: c.blue, other: c.magenta });

const weights = (c: Colours) => ({
  bold: c.bold,
  dim: c.dim,
  italic: c.italic,
  underline: c.underline,
  strike: c.strikethrough,
  invert: c.inverse,
});
