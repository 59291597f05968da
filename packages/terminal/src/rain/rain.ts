import { GLYPH_COLUMNS, GLYPH_ROWS, GLYPHS } from "./glyphs.ts";

/** One column of falling signs. */
interface Drop {
  /** The row of its head; above the field while it has not come in. */
  readonly head: number;
  /** Rows a frame. */
  readonly speed: number;
  readonly length: number;
  /** Which signs it leaves: another for each row. */
  readonly seed: number;
}

/** A field of rain: pure, chance comes in as an argument. */
export interface RainField {
  readonly columns: number;
  readonly rows: number;
  readonly drops: readonly Drop[];
}

/** From 0 to below 1. */
export type Chance = () => number;

/** Dots between two signs. */
const GAP = 1;
const CELL_COLUMNS = GLYPH_COLUMNS + GAP;
const CELL_ROWS = GLYPH_ROWS + GAP;

export const createField = (columns: number, rows: number, chance: Chance): RainField => ({
  columns,
  rows,
  drops: Array.from({ length: columns }, () => ({
    ...newDrop(rows, chance),
    head: Math.floor(chance() * 2 * rows) - rows,
  })),
});

/** Above the field, so that it comes in some frames later. */
const newDrop = (rows: number, chance: Chance): Drop => ({
  head: -Math.floor(chance() * rows) - 1,
  speed: 0.4 + 0.8 * chance(),
  length: 3 + Math.floor(chance() * rows),
  seed: Math.floor(chance() * GLYPHS.length),
});

/** A frame later. */
export const fall = (field: RainField, chance: Chance): RainField => ({
  ...field,
  drops: field.drops.map((drop) => {
    const head = drop.head + drop.speed;
    return head - drop.length > field.rows ? newDrop(field.rows, chance) : { ...drop, head };
  }),
});

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, opacity. */
  readonly bytes: Uint8Array;
}

export type Rgb = readonly [red: number, green: number, blue: number];

/** The signs in a colour that fades behind each head; all else is clear, so that it suits any background. */
export function paintField({ columns, rows, drops }: RainField, colour: Rgb): Pixels {
  const [width, height] = [columns * CELL_COLUMNS, rows * CELL_ROWS];
  const bytes = new Uint8Array(width * height * 4);
  for (const [column, { head, length, seed }] of drops.entries()) {
    const last = Math.floor(head);
    for (let row = Math.max(0, last - length + 1); row <= Math.min(last, rows - 1); row++) {
      const age = (last - row) / length;
      const glyph = GLYPHS[(seed + row * 7) % GLYPHS.length] ?? [];
      const opacity = Math.round(200 * (1 - age));
      stamp(bytes, { glyph, left: column * CELL_COLUMNS, top: row * CELL_ROWS, width, colour, opacity });
    }
  }
  return { width, height, bytes };
}

interface Stamp {
  readonly glyph: readonly boolean[];
  readonly left: number;
  readonly top: number;
  /** Of the whole picture. */
  readonly width: number;
  readonly colour: Rgb;
  readonly opacity: number;
}

function stamp(bytes: Uint8Array, { glyph, left, top, width, colour, opacity }: Stamp): void {
  for (const [at, dot] of glyph.entries()) {
    if (!dot) continue;
    const x = left + (at % GLYPH_COLUMNS);
    const y = top + Math.floor(at / GLYPH_COLUMNS);
    bytes.set([...colour, opacity], (y * width + x) * 4);
  }
}
