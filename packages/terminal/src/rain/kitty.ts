import { deflateSync } from "node:zlib";
import { SYNC_OFF, SYNC_ON } from "../live-area.ts";
import type { Pixels } from "./rain.ts";

/** Where a picture stands, in cells. */
export interface PictureBox {
  readonly columns: number;
  readonly rows: number;
  /** From 1. */
  readonly left: number;
}

/** Of the rain: one picture, put up once. Each frame takes the place of the one before. */
const IMAGE_ID = 7077;
const PLACEMENT_ID = 1;
/** Behind the letters. */
const DEPTH = -10;
/** Characters of a picture's data that one sequence may carry. */
const CHUNK = 4096;

/**
 * The picture in the rows above the cursor, in one piece: from the cursor up, to the column, put up without moving, back.
 * At the top of the screen going up ends by itself.
 */
export function showPicture({ width, height, bytes }: Pixels, { columns, rows, left }: PictureBox): string {
  const data = deflateSync(bytes).toString("base64");
  const keys = [
    ...[`a=T`, `q=2`, `f=32`, `o=z`, `s=${width}`, `v=${height}`, `i=${IMAGE_ID}`, `p=${PLACEMENT_ID}`],
    ...[`c=${columns}`, `r=${rows}`, `z=${DEPTH}`, `C=1`],
  ].join(",");
  const chunks = Array.from({ length: Math.ceil(data.length / CHUNK) }, (_, at) =>
    data.slice(at * CHUNK, (at + 1) * CHUNK),
  );
  const sent = chunks.map((chunk, at) => {
    const more = `m=${at === chunks.length - 1 ? 0 : 1}`;
    return `${ESC}_G${at === 0 ? `${keys},${more}` : `q=2,${more}`};${chunk}${ESC}\\`;
  });
  return `${SYNC_ON}${ESC}7${ESC}[${rows + 1}A${ESC}[${left}G${sent.join("")}${ESC}8${SYNC_OFF}`;
}

const ESC = "\u001b";

/** Takes the picture and its data away, wherever it stands. */
export const DELETE_PICTURE = `${ESC}_Ga=d,d=I,i=${IMAGE_ID},q=2${ESC}\\`;
