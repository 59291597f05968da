import { spaced, type Word } from "./words.ts";

const BEFORE = 60;
/** Characters of a snippet, the marks of its cuts counted in. */
const LENGTH = 200;

/** One line of the text around the first of the words that stands in it; `…` where it is cut. */
export function snippetOf(text: string, words: readonly Word[]): string {
  const from = Math.max(0, firstPlace(text, words) - BEFORE);
  // More than is shown: blanks are folded afterwards.
  const part = text
    .slice(from, from + LENGTH * 4)
    .toWellFormed()
    .replaceAll("\ufffd", "")
    .replace(/\s+/gu, " ")
    .trim();
  const head = from === 0 ? "" : "…";
  const isWhole = from + LENGTH * 4 >= text.length && head.length + part.length <= LENGTH;
  return isWhole
    ? head + part
    : `${head}${part
        .slice(0, LENGTH - 2)
        .toWellFormed()
        .replace(/\ufffd$/, "")}…`;
}

/** Where the first word stands that is found; 0 when none is: the tokenizer knows more ways to write a letter than we do. */
function firstPlace(text: string, words: readonly Word[]): number {
  const folded = fold(text);
  for (const word of words) {
    const pattern = patternOf(word);
    const found = pattern === null ? -1 : folded.search(pattern);
    if (found >= 0) return found;
  }
  return 0;
}

function patternOf(word: Word): RegExp | null {
  const tokens = fold(spaced(word.text)).match(/[\p{L}\p{N}\p{Co}]+/gu);
  if (tokens === null) return null;
  const isUnspaced = spaced(word.text) !== word.text;
  const [before, after] = isUnspaced ? ["", ""] : ["(?<![\\p{L}\\p{N}])", word.isPrefix ? "" : "(?![\\p{L}\\p{N}])"];
  return new RegExp(before + tokens.join("[^\\p{L}\\p{N}]*") + after, "u");
}

/** Small letters without marks, place for place. */
function fold(text: string): string {
  const small = text.toLowerCase();
  const base = small.length === text.length ? small : text; // a letter that becomes two would move all that follow
  return base.replace(/[\u00c0-\u024f\u1e00-\u1eff\u0370-\u04ff]/g, (letter) => letter.normalize("NFD").charAt(0));
}
