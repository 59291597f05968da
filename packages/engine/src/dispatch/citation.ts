import type { Evidence } from "@smith/contract/dispatch";

/** A file with an extension, a directory before it or not, and behind it the lines in any of the ways people write them. */
const NAME = String.raw`[\p{L}\p{N}_@.+-]`;
const PATH = String.raw`(?:~?[\\/])?(?:${NAME}+[\\/])*${NAME}*[\p{L}\p{N}_@-]\.[A-Za-z][A-Za-z0-9]*`;
const RANGE = String.raw`(\d+)(?:\s*(?:-|–|to|,)\s*L?(\d+))?`;
const PLACE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_@.+/\\-])(${PATH})(?:(?::|#L?|,?\s*\(?(?:L|lines?\s+))${RANGE})?`,
  "gu",
);
const LINES = new RegExp(String.raw`\blines?\s+${RANGE}`, "iu");
const RECEIPT = /(?<![\w./-])r(\d+)(?![\w./-]*\w)/;
const TICKED = /`([^`]+)`/g;
const ADDRESS = /https?:\/\/\S+/g;
/** Abbreviations that look like a file with an extension. */
const NO_FILE = /^(?:e\.g|i\.e)$/i;
/** A citation is a sentence; what is longer is read no further. */
const READ_CHARS = 2000;

/** `src/a.ts:10-14`, `a.ts#L12`, `r7`, and quotes in back-ticks, out of one sentence. The sentence stays as the note. */
export function readCitation(text: string): Evidence {
  const sentence = text.slice(0, READ_CHARS).replaceAll(ADDRESS, " ");
  const ticked = [...sentence.matchAll(TICKED)].map((match) => match[1] ?? "");
  const quote = ticked.find((each) => !isPlace(each) && !isReceipt(each));
  // Code in ticks is full of dots; only what is wholly a place is read as one there.
  const prose = sentence.replaceAll(TICKED, (_match, each: string) => (isPlace(each) || isReceipt(each) ? each : " "));
  const place = placeIn(prose);
  const receipt = RECEIPT.exec(prose)?.[0];
  const lines = place?.lines ?? rangeOf(LINES.exec(prose), 1);
  return {
    ...(receipt === undefined ? {} : { receipt }),
    ...(place === undefined ? {} : { path: place.path }),
    ...(lines === undefined ? {} : { lines }),
    ...(quote === undefined ? {} : { quote }),
    note: text,
  };
}

/** The first place that has lines, else the first in a directory, else the first. */
function placeIn(text: string): { readonly path: string; readonly lines: string | undefined } | undefined {
  const places = [...text.matchAll(PLACE)]
    .map((match) => ({ path: (match[1] ?? "").replaceAll("\\", "/"), lines: rangeOf(match, 2) }))
    .filter(({ path }) => !NO_FILE.test(path));
  return places.find(({ lines }) => lines !== undefined) ?? places.find(({ path }) => path.includes("/")) ?? places[0];
}

function rangeOf(match: RegExpMatchArray | null, at: number): string | undefined {
  const [from, to] = [match?.[at], match?.[at + 1]];
  return from === undefined || to === undefined || from === to ? from : `${from}-${to}`;
}

const isPlace = (text: string): boolean => [...text.matchAll(PLACE)][0]?.[0] === text.trim();

const isReceipt = (text: string): boolean => /^r\d+$/.test(text.trim());
