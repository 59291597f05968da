import { stemOf, type Terms } from "./terms.ts";

/** A line that a search found. */
export interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Hits of one file that are shown at most, so that one file does not fill the answer. */
const MOST_OF_A_FILE = 3;

/** The hits in the results of some searches, best first, each line once. */
export function hitsIn(results: readonly string[], terms: Terms): readonly Hit[] {
  const found = new Map<string, Hit>();
  for (const text of results) {
    for (const line of text.split("\n")) {
      const hit = hitOf(line);
      if (hit !== null) found.set(`${hit.path}:${hit.line}`, hit);
    }
  }
  const scoreOf = createScore(terms);
  const scored = [...found.values()].map((hit) => ({ hit, score: scoreOf(hit) }));
  return spread(scored.toSorted((a, b) => b.score - a.score).map(({ hit }) => hit));
}

/** `path:line: text`. */
function hitOf(line: string): Hit | null {
  const [, path, number, text] = /^(.+?):(\d+): ?(.*)$/.exec(line) ?? [];
  if (path === undefined || number === undefined || text === undefined) return null;
  return { path, line: Number(number), text: text.trim() };
}

function spread(hits: readonly Hit[]): readonly Hit[] {
  const counts = new Map<string, number>();
  return hits.filter(({ path }) => {
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    return count <= MOST_OF_A_FILE;
  });
}

const DEFINES = /\b(?:function|class|interface|type|struct|enum|trait|impl|def|fn|func|const|module)\b/;
const ASIDE =
  /(?:^|\/)(?:tests?|__tests__|fixtures?|docs?|examples?|dist|vendor)\/|\.(?:test|spec)\.|\.(?:md|lock|json|ya?ml)$/i;

/**
 * How well a line fits: words in the line and in the path count, all of them together and side by side count more,
 * definitions a little, and tests, documents and data come behind code.
 */
function createScore({ words, phrase }: Terms): (hit: Hit) => number {
  const scorers = words.filter((word) => stemOf(word) !== "").map(createWordScore);
  const sideBySide = phrase === null ? null : sideBySideOf(phrase);
  return (hit) => {
    const scores = scorers.map((wordScore) => wordScore(hit));
    const sum = scores.reduce((score, each) => score + each, ASIDE.test(hit.path) ? -8 : 0);
    const hasAll = scores.length > 1 && scores.every((score) => score > MENTION);
    return sum + (hasAll ? 4 : 0) + (sideBySide?.test(hit.text) === true ? 4 : 0);
  };
}

/** A word that stands only inside another one. */
const MENTION = 1;

function createWordScore(word: string): (hit: Hit) => number {
  const stem = stemOf(word);
  const begins = wordStart(stem);
  // A definition of the word itself, not any definition that mentions it.
  const defined = new RegExp(`\\b\\w*${quote(stem)}\\w*\\s*[(:={<]`, "i");
  const ofPath = (path: string) => {
    const name = path.replace(/^.*\//, "").replace(/\..*$/, "");
    if (name === stem) return 4;
    return begins.test(path) ? 2 : 0;
  };
  return ({ path, text }) => {
    const score = ofPath(path.toLowerCase());
    if (!begins.test(text)) return text.toLowerCase().includes(stem) ? score + MENTION : score;
    return DEFINES.test(text) && defined.test(text) ? score + 5 : score + 3;
  };
}

const sideBySideOf = ([first, second]: readonly [string, string]): RegExp =>
  new RegExp(`${wordStart(stemOf(first)).source}[a-z]{0,3}[\\s_-]{0,2}${wordStart(stemOf(second)).source}`);

/** The beginning of a word, also inside a name (`runTurn`, `my_turn`), but not inside a word (`return`). */
function wordStart(stem: string): RegExp {
  const either = [...stem.slice(1)].map((letter) =>
    /[a-z]/.test(letter) ? `[${letter}${letter.toUpperCase()}]` : quote(letter),
  );
  const [low, high] = [quote(stem.slice(0, 1)), quote(stem.slice(0, 1).toUpperCase())];
  return new RegExp(`(?:(?<![A-Za-z])${low}|${high})${either.join("")}`);
}

const quote = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
