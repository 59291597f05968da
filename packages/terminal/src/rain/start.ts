import type { Screen } from "../screen.ts";
import { SPINNER_MS } from "../spinner.ts";
import { DELETE_PICTURE, type PictureBox, showPicture } from "./kitty.ts";
import { type Chance, createField, fall, paintField, type RainField, type Rgb } from "./rain.ts";

export interface Rain {
  /** False: nothing is drawn, now or later, and somebody else must show that work goes on. */
  readonly active: boolean;
  /** Takes the picture away at once. Twice is as once. */
  stop(): void;
}

export interface RainOptions {
  /** Who works. The user's own roles have the spinner. */
  readonly role: string;
  /** Whether the terminal draws pictures. */
  readonly graphics: boolean;
  readonly screen: Pick<Screen, "size" | "picture">;
  readonly chance?: Chance;
}

const INERT: Rain = Object.freeze({ active: false, stop() {} });

const OF_THE_USER: readonly string[] = ["direct", "orchestrator"];

/** By role, as its label is; readable on dark and on light. */
const COLOURS: Readonly<Record<string, Rgb>> = { worker: [200, 140, 0], explorer: [0, 150, 170] };
const GREEN: Rgb = [0, 160, 60];

/** Of the terminal's columns. */
const SHARE = 0.4;
/** Signs side by side and one below the other, so that a frame stays small on any terminal. A sign takes two cells. */
const MOST_COLUMNS = 24;
const MOST_ROWS = 10;
const LEAST_COLUMNS = 4;
const LEAST_ROWS = 3;

/** Falling signs behind the rows above the cursor, ten frames a second, until stopped. It keeps no process alive. */
export function startRain({ role, graphics, screen, chance = Math.random }: RainOptions): Rain {
  if (!graphics || OF_THE_USER.includes(role)) return INERT;
  const colour = (Object.hasOwn(COLOURS, role) ? COLOURS[role] : undefined) ?? GREEN;
  let field: RainField | null = null;
  const draw = () => {
    const box = boxIn(screen.size());
    if (box === null) return screen.picture(null);
    const [columns, rows] = [box.columns / 2, box.rows];
    const isSame = field !== null && field.columns === columns && field.rows === rows;
    field = field !== null && isSame ? fall(field, chance) : createField(columns, rows, chance);
    screen.picture({ show: showPicture(paintField(field, colour), box), erase: DELETE_PICTURE });
  };
  const timer = setInterval(draw, SPINNER_MS);
  timer.unref();
  draw();
  return Object.freeze({
    active: true,
    stop() {
      clearInterval(timer);
      screen.picture(null);
    },
  });
}

/** Null: there is no room for it. */
function boxIn({ columns, rows }: { readonly columns: number; readonly rows: number }): PictureBox | null {
  const across = Math.min(MOST_COLUMNS, Math.floor((columns * SHARE) / 2));
  const down = Math.min(MOST_ROWS, Math.floor(rows / 2));
  return across < LEAST_COLUMNS || down < LEAST_ROWS ? null : { columns: across * 2, rows: down, left: 1 };
}
