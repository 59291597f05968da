/**
 * Text from a model, a tool, a file or a repository, made safe to draw: escape sequences (CSI, OSC, DCS and their C1
 * forms), other control characters and bidirectional overrides are dropped; a lone carriage return becomes a line end.
 * Letters, tabs and line ends stay. What is drawn on a terminal goes through here; what goes into a pipe does not.
 */
export function safeText(text: string): string {
  return text.replace(SEQUENCE, "").replace(/\r\n?/g, "\n").replace(CONTROL, "");
}

/** The same on one line: line ends become a blank. */
export const safeLine = (text: string): string =>
  safeText(text)
    .replace(/\s*\n\s*/g, " ")
    .trim();

// Sequences as ECMA-48 has them; one that never ends is dropped to the end of the text.
const ESC = String.raw`\u001b`;
const STRING_END = String.raw`(?:${ESC}\\|\u009c|$)`;
const OSC = String.raw`(?:${ESC}\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|${STRING_END})`;
const DCS_AND_KIN = String.raw`(?:${ESC}[PX^_]|[\u0090\u0098\u009e\u009f])[^\u001b\u009c]*${STRING_END}`;
const CSI = String.raw`(?:${ESC}\[|\u009b)[0-?]*[ -/]*(?:[@-~]|$)`;
const SHORT = `${ESC}[ -/]*[0-~]?`;
const SEQUENCE = new RegExp([OSC, DCS_AND_KIN, CSI, SHORT].join("|"), "g");

/** C0 but tab and line feed, DEL with C1, and the marks that reorder text. */
const CONTROL_RANGES = [
  "\\u0000-\\u0008",
  "\\u000b-\\u001f",
  "\\u007f-\\u009f",
  "\\u200e\\u200f",
  "\\u202a-\\u202e",
  "\\u2066-\\u2069",
];
const CONTROL = new RegExp(`[${CONTROL_RANGES.join("")}]`, "g");
