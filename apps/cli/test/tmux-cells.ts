/** Cells side by side that look the same. */
export interface Span {
  /** Of its first cell, from 0. */
  readonly column: number;
  readonly text: string;
  /** `plain`, or `bold green` and the like. */
  readonly look: string;
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const WEIGHTS: Readonly<Record<number, string>> = { 1: "bold", 2: "dim", 3: "italic", 4: "underline", 9: "strike" };
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences are what is looked for
const SGR = /\u001b\[([0-9;]*)m/g;

/** Rows as `capture-pane -e` gives them, each in pieces of one look; blanks at its end are left out. */
export function parseRows(rows: readonly string[]): readonly (readonly Span[])[] {
  let look: Look = { weights: [], colour: "" }; // goes on from row to row: only changes are told
  return rows.map((row) => {
    const spans: Span[] = [];
    let at = 0;
    for (const found of row.matchAll(SGR)) {
      put(spans, row.slice(at, found.index), look);
      at = found.index + found[0].length;
      look = changed(look, (found[1] ?? "").split(";").map(Number));
    }
    put(spans, row.slice(at).trimEnd(), look);
    return spans;
  });
}

function put(spans: Span[], text: string, { weights, colour }: Look): void {
  if (text === "") return;
  const look = [...weights, colour].filter((word) => word !== "").join(" ") || "plain";
  const before = spans.at(-1);
  const column = before === undefined ? 0 : before.column + columnsOf(before.text);
  if (before?.look === look) spans[spans.length - 1] = { ...before, text: before.text + text };
  else spans.push({ column, text, look });
}

interface Look {
  readonly weights: readonly string[];
  readonly colour: string;
}

function changed(look: Look, codes: readonly number[]): Look {
  let { weights, colour } = look;
  for (const code of codes) {
    const weight = WEIGHTS[code];
    if (code === 0) [weights, colour] = [[], ""];
    else if (code === 39) colour = "";
    else if (weight !== undefined) weights = [...weights, weight];
    else if (code >= 30 && code <= 37) colour = COLOURS[code - 30] ?? "";
    else if (code >= 90 && code <= 97) colour = `bright ${COLOURS[code - 90]}`;
  }
  return { weights, colour };
}

/** Wide characters take two cells; what joins to one before takes none. */
const columnsOf = (text: string): number =>
  [...new Intl.Segmenter().segment(text)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
