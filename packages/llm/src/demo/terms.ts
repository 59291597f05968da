/** What a question is searched by. */
export interface Terms {
  /** The telling words, at most three, as they were written. */
  readonly words: readonly string[];
  /** Two telling words that stood side by side, or null. */
  readonly phrase: readonly [string, string] | null;
  /** One regular expression a search, for searching without regard to case; the most telling first. */
  readonly patterns: readonly string[];
}

/** Words that a question is made of and code is not searched by. */
const STOP_WORDS = new Set(
  `a about all also an and any are as ask at be been but by can change changes code could defined do does done
  each every exactly explain file files find for from function functions get give had handle handled handles has have
  help here hi hello how i if implement implemented implementation in inside into is it its just kind know let like list
  live lives look located made make makes many me mean method might module my need no not of on one only or our out please project
  repo repository run runs see should show so some something tell that the their them then there these they thing things
  this to up us use used uses using want was we were what when where which who why will with work works would you your`.split(
    /\s+/,
  ),
);

const MOST_WORDS = 3;
/** Characters that may stand between the two words of a phrase. */
const NEAR = 24;

/** The words of a question that are worth a search: what is quoted first, then identifiers, then plain words. */
export function termsOf(question: string): Terms {
  const quoted = [...question.matchAll(/[`"“]([^`"“”\n]{2,80})[`"”]|(?<!\w)'([^'\n]{2,80})'(?!\w)/gu)];
  const tokens = (question.match(/[\p{L}\p{N}_$][\p{L}\p{N}_$./-]*/gu) ?? []).map((token) =>
    token.replace(/[./-]+$/, ""),
  );
  const phrase = quoted.length > 0 ? null : phraseIn(tokens);
  const ranked = [
    ...quoted.map(([, double, single]) => (double ?? single ?? "").trim()),
    ...tokens.filter(isIdentifier),
    ...(phrase ?? []),
    ...tokens.filter((token) => isTelling(token)),
  ];
  const words = unique(ranked.filter((word) => word.length > 1)).slice(0, MOST_WORDS);
  const patterns = words.map(patternOf);
  return { words, phrase, patterns: phrase === null ? patterns : unique([nearPattern(phrase), ...patterns]) };
}

const isTelling = (token: string): boolean => token.length > 1 && !STOP_WORDS.has(token.toLowerCase());

/** A name as code has them: `read_all`, `readAll`, `read.ts`, `src/read`, `B36`. */
const isIdentifier = (token: string): boolean =>
  isTelling(token) && /[_$/]|\p{L}\.\p{L}|\p{Ll}\p{Lu}|\p{L}\p{N}/u.test(token);

function phraseIn(tokens: readonly string[]): readonly [string, string] | null {
  const isPlain = (token: string) => isTelling(token) && !isIdentifier(token);
  for (const [at, word] of tokens.entries()) {
    const next = tokens[at + 1];
    if (next !== undefined && isPlain(word) && isPlain(next)) return [word, next];
  }
  return null;
}

/** Finds the singular too; what follows the word is free, so endings need no pattern. */
function patternOf(word: string): string {
  const literal = word.replace(/[.*+?^${}()|[\]\\/-]/g, (mark) => (mark === "/" || mark === "-" ? mark : `\\${mark}`));
  if (/^\p{L}{2,}ies$/iu.test(word)) return `${literal.slice(0, -3)}(?:y|ies)`;
  return /^\p{L}{3,}[^s\P{L}]s$/iu.test(word) ? literal.slice(0, -1) : literal;
}

/** The words side by side (`read all`, `read_all`, `readAll`), or either a little after the other. */
const nearPattern = ([first, second]: readonly [string, string]): string => {
  const [a, b] = [patternOf(first), patternOf(second)];
  return `${a}.{0,${NEAR}}${b}|${b}.{0,${NEAR}}${a}`;
};

/** Each once, whatever its case; the first spelling stays. */
function unique(words: readonly string[]): string[] {
  const seen = new Set<string>();
  return words.filter((word) => {
    const key = word.toLowerCase();
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

/** The part of a word by which it is recognised in lines and paths: lower case, without the plural's ending. */
export const stemOf = (word: string): string => word.toLowerCase().replace(/(?:ies|y|(?<=\p{L}{3})s)$/u, "");
