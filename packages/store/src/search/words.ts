/** One word or quoted phrase of a query. */
export interface Word {
  readonly text: string;
  /** It is the beginning of a word. */
  readonly isPrefix: boolean;
}

/** Words of a query that count; a pasted page is looked for by its beginning. */
const MAX_WORDS = 32;
const MAX_WORD_CHARS = 200;

/** Scripts that are written without blanks between words: each of their characters is a word of its own. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;
const MAY_BE_UNSPACED = /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\u{20000}-\u{3ffff}]/u;

/** The text as the tokenizer gets it, from entries and queries alike. */
export const spaced = (text: string): string => (MAY_BE_UNSPACED.test(text) ? text.replace(UNSPACED, " $& ") : text);

/** What the tokenizer takes for a part of a word. */
const WORDLIKE = /[\p{L}\p{N}\p{Co}]/u;

/** The words of a query; none of its signs has a meaning but double quotes around a phrase and a `*` behind a word. */
export function wordsOf(query: string): readonly Word[] {
  const text = query.toWellFormed().replaceAll("\0", " ");
  return Array.from(text.matchAll(/"([^"]*)"(\*?)|\S+/g), ([all, phrase, star]) => {
    const word = phrase ?? all;
    return {
      text: word.slice(0, MAX_WORD_CHARS).toWellFormed(),
      isPrefix: star === "*" || (phrase === undefined && /[^*]\*$/.test(word)),
    };
  })
    .filter((word) => WORDLIKE.test(word.text))
    .slice(0, MAX_WORDS);
}

/** A word as SQLite's query language has it, where everything between quotes is text. */
export const matchOf = ({ text, isPrefix }: Word): string =>
  `"${spaced(text).replaceAll('"', " ")}"${isPrefix ? " *" : ""}`;
