/** Lines and characters of a long text that are shown where it only has to be recognised. */
const LINES = 10;
const CHARS = 2000;

/** A text as it was typed, or its beginning and how much more there is. Further lines are indented as the editor does. */
export function brief(text: string): string {
  const lines = text.slice(0, CHARS).toWellFormed().split("\n");
  const shown = lines.slice(0, LINES).join("\n  ");
  const isWhole = text.length <= CHARS && lines.length <= LINES;
  return isWhole ? shown : `${shown}\n  … ${countOf(text)} in all`;
}

function countOf(text: string): string {
  const lines = text.split("\n").length;
  return lines > 1 ? `${lines.toLocaleString("en-US")} lines` : `${text.length.toLocaleString("en-US")} characters`;
}
