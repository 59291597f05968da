import { stripVTControlCharacters } from "node:util";

/** Characters of a server's own words in a message of ours. */
const MAX_CHARS = 300;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Text of a server as a model and a terminal may be given it: no escapes, no control characters, whole characters only. */
export const cleanText = (text: string): string => stripVTControlCharacters(text).replace(CONTROL, "").toWellFormed();

/** The same on one line, cut, and without the secrets. */
export function quote(text: string, secrets: readonly string[] = [], maxChars = MAX_CHARS): string {
  const masked = secrets.reduce((left, secret) => left.replaceAll(secret, "***"), text.slice(0, 20_000));
  const line = cleanText(masked).replace(/\s+/g, " ").trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`;
}

/** What a server sent, its texts without these. */
export function without<T>(keys: readonly string[], sent: T): T {
  if (keys.length === 0) return sent;
  const mask = (value: unknown): unknown => {
    if (typeof value === "string") return keys.reduce((left, key) => left.replaceAll(key, "***"), value);
    if (Array.isArray(value)) return value.map(mask);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mask(inner)]));
  };
  return mask(sent) as T; // of the same shape: only texts were changed
}

/** A value of unknown shape in a message: its text, or what it is. (Turned into text, one of a server's could throw.) */
export const nameOf = (value: unknown): string => (typeof value === "string" ? value : typeof value);

/** `12 B`, `3.4 KB`, `5.6 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
