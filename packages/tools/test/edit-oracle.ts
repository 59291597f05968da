/* What edit is compared with: a naive twin that works on an array of lines, and the random scripts for both. */

/** Random numbers that come the same way each time (xorshift): a failure names its seed. */
export function randomFrom(seed: number) {
  let state = seed * 2654435761 + 1;
  return (below: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

export interface Line {
  text: string;
  /** "" only for the last one. */
  end: string;
}

/** Changes the lines by splice. */
export function oracle(lines: Line[], { op, from, to, given, text }: Step): void {
  const bare = lines.length === 0 ? !text.endsWith("\n") : lines.at(-1)?.end === "";
  const usual = usualEnd(lines);
  const count = op === "insert" ? 0 : to - from + 1;
  const old = lines.slice(from - 1, from - 1 + count);
  const fresh = op === "delete" ? [] : given.map((each, i) => ({ text: each, end: old[i]?.end || usual }));
  lines.splice(from - 1, count, ...fresh);
  // Only the last line may lack an end, and does so when the file's last one did.
  for (const line of lines.slice(0, -1)) line.end ||= fresh[0]?.end ?? usual;
  const last = lines.at(-1);
  if (last !== undefined) last.end = bare && last.text !== "" ? "" : last.end || usual;
}

/** The end that most lines have. */
function usualEnd(lines: readonly Line[]): string {
  const ends = lines.map(({ end }) => end).filter((end) => end !== "");
  return ends.filter((end) => end === "\r\n").length * 2 > ends.length ? "\r\n" : "\n";
}

export type Random = ReturnType<typeof randomFrom>;

export interface Step {
  readonly op: "replace" | "insert" | "delete";
  readonly from: number;
  readonly to: number;
  readonly given: readonly string[];
  readonly text: string;
}

const pick = <T>(random: Random, of: readonly [T, ...T[]]): T => of[random(of.length)] ?? of[0];

const word = (random: Random): string =>
  Array.from({ length: random(5) }, () => pick(random, ["a", "é", "\t", "🌍", "}", "$&", "\ufffd", "x y"])).join("");

/** A file of one kind of line ends, of the other, or of both; with or without a mark and a last line end. */
export function randomFile(random: Random): { readonly mark: string; readonly lines: Line[] } {
  const style = pick<readonly [string, ...string[]]>(random, [["\n"], ["\r\n"], ["\n", "\r\n"]]);
  const lines = Array.from({ length: 1 + random(30) }, () => ({ text: word(random), end: pick(random, style) }));
  const last = lines.at(-1);
  if (last !== undefined && last.text !== "" && random(2) === 0) last.end = "";
  return { mark: random(5) === 0 ? "\ufeff" : "", lines };
}

export function randomStep(random: Random, count: number): Step {
  const op = count === 0 ? "insert" : pick<Step["op"]>(random, ["replace", "insert", "delete"]);
  const from = 1 + random(op === "insert" ? count + 1 : count);
  const to = op === "insert" ? from : from + random(count - from + 1);
  const given = Array.from({ length: 1 + random(3) }, () => word(random));
  const text = given.join("\n") + (given.at(-1) === "" ? "\n" : pick(random, ["", "\n"]));
  return { op, from, to, given, text };
}

export const argumentsOf = ({ op, from, to, text }: Step) => ({
  ...{ op, start_line: from },
  ...(op === "insert" ? {} : { end_line: to }),
  ...(op === "delete" ? {} : { text }),
});

export const bytesOf = (mark: string, lines: readonly Line[]): string =>
  mark + lines.map(({ text, end }) => text + end).join("");
