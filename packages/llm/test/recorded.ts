import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");
const STREAMS = join(resolve(ROOT, process.env["SMITH_VECTORS"] ?? "../shared/vectors"), "streams");

/** The names of the recordings that match; none where they are absent. */
export const recordings = (name: RegExp): readonly string[] =>
  existsSync(STREAMS) ? readdirSync(STREAMS).filter((each) => name.test(each)) : [];

export const textOfFile = (name: string): string => readFileSync(join(STREAMS, name), "utf8");

/** One JSON text a line. */
export const linesOf = (name: string): readonly string[] =>
  textOfFile(name)
    .split("\n")
    .filter((line) => line !== "");

/** The bytes cut at 200 places of seeded chance. */
export function cutAnywhere(bytes: Uint8Array, seed: number): readonly Uint8Array[] {
  const chance = seeded(seed);
  const marks = Array.from({ length: 200 }, () => Math.floor(chance() * bytes.length)).sort((a, b) => a - b);
  return [...marks, bytes.length].map((mark, at) => bytes.subarray(marks[at - 1] ?? 0, mark));
}

/** Chance that repeats itself (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
