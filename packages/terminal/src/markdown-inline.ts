import type { Tokens } from "marked";
import { safeLine, safeText } from "./safe.ts";
import type { Theme } from "./theme.ts";
import { cut } from "./width.ts";

/** A link as `text (target)`, or its target alone where the text says the same; never an OSC 8 link. */
export function drawLink(text: string, { href, autolink, text: source }: Tokens.Link, theme: Theme): string {
  const target = targetOf(href);
  if (autolink === true || isSame(decodeEntities(source), target.shown)) return theme.link(target.shown);
  return text === "" ? target.paint(theme) : `${text} (${target.paint(theme)})`;
}

/** An image as its description and where it is. */
export const drawImage = ({ href, text }: Tokens.Image, theme: Theme): string =>
  `${theme.dim("image:")} ${safeLine(decodeEntities(text))} (${targetOf(href).paint(theme)})`;

interface Target {
  readonly shown: string;
  paint(theme: Theme): string;
}

/** Columns of a link's target that are shown. */
const TARGET_COLUMNS = 2000;

/** What is shown of where a link leads. A target that would run something (`javascript:`) is named and left out. */
function targetOf(href: string): Target {
  const shown = cut(safeLine(decodeEntities(href)), TARGET_COLUMNS, "…");
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(unescapePercent(shown).replace(/[\s\p{Cf}]/gu, ""))?.[1]?.toLowerCase();
  if (scheme === undefined || !ACTIVE.has(scheme)) return { shown, paint: (theme) => theme.link(shown) };
  return { shown: `${scheme} link left out`, paint: (theme) => theme.warn(`${scheme} link left out`) };
}

const ACTIVE: ReadonlySet<string> = new Set(["javascript", "vbscript", "data", "blob", "filesystem"]);

const isSame = (text: string, target: string): boolean =>
  text === target || [`http://${text}`, `https://${text}`, `mailto:${text}`].includes(target);

const unescapePercent = (text: string): string =>
  text.replace(/%([0-7][0-9a-f])/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/**
 * Character references as characters: the numeric ones and those that models write. What they hide is made safe, also
 * where marked has resolved them before, which it does in plain text.
 */
export function decodeEntities(text: string): string {
  return safeText(text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, decodeOne));
}

function decodeOne(all: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return (Object.hasOwn(NAMED, name) ? NAMED[name] : undefined) ?? all;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const drawable = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return drawable ? String.fromCodePoint(code) : "\ufffd";
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  trade: "™",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  larr: "←",
  rarr: "→",
  times: "×",
  deg: "°",
  colon: ":",
  Tab: "\t",
  NewLine: "\n",
};
