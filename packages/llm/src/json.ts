/** Half a surrogate pair, as JSON text has it: escaped, behind no or an even number of backslashes. */
const LONE_SURROGATE = /(?<=(?<!\\)(?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

/**
 * A value as JSON text that every endpoint accepts: half a surrogate pair, which has no UTF-8 form, becomes U+FFFD, in
 * keys too.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes("\\ud") ? text.replace(LONE_SURROGATE, "\\ufffd") : text;
}

/** The text of a JSON object with its own spelling kept; `{}` for anything else. */
export function objectText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "{}";
    // Escapes of whole pairs are fine as they stand, half ones are not: writing the text anew tells them apart.
    return /\\u[dD][89a-fA-F]|\p{Surrogate}/u.test(text) ? jsonText(value) : text.trim();
  } catch {
    return "{}"; // no JSON, or nested too deep to be written: the call's result tells what was wrong with it
  }
}

/** Parsers in use stop at 128 levels; the request around it has some of its own. */
const MAX_DEPTH = 100;
const LEVELS: Readonly<Record<string, number>> = { "{": 1, "[": 1, "}": -1, "]": -1 };

/** Whether objects and lists in a JSON text are nested deeper than endpoints read. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at++) {
    const mark = text.charAt(at);
    if (mark === '"') inString = !inString;
    else if (!inString) depth += LEVELS[mark] ?? 0;
    else if (mark === "\\") at++;
  }
  return depth > MAX_DEPTH;
}

/** Text for a field that must not be blank: endpoints refuse a conversation with blank text for ever after. */
export const orElse = (text: string, placeholder: string): string => (isBlank(text) ? placeholder : text);

export const isBlank = (text: string): boolean => !/\S/.test(text);
