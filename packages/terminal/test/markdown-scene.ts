import { createMarkdownStream, createTheme, type MarkdownStream, renderMarkdown } from "../src/index.ts";

export const plain = createTheme({ colour: false, kind: "none" });
export const dark = createTheme({ colour: true, kind: "dark" });

const ESC = "\u001b";
/** What the theme may put into a text: to find what else is there. */
export const OUR_COLOURS = new RegExp(`${ESC}\\[\\d{1,2}m`, "g");

/** A stream whose writes are kept. */
export function collecting(columns: () => number, theme = plain): { stream: MarkdownStream; writes: string[] } {
  const writes: string[] = [];
  return { writes, stream: createMarkdownStream({ columns, theme, write: (text) => void writes.push(text) }) };
}

/** What a stream writes of the pieces, together. */
export async function drawn(pieces: Iterable<string>, columns = 80, theme = plain): Promise<string> {
  const { stream, writes } = collecting(() => columns, theme);
  for (const piece of pieces) stream.write(piece);
  await stream.end();
  return writes.join("");
}

export const whole = (text: string, columns = 80, theme = plain): Promise<string> =>
  renderMarkdown(text, { columns, theme });
