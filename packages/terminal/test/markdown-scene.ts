import { createMarkdownStream, createTheme, renderMarkdown } from "../src/index.ts";

export const plain = createTheme({ colour: false, kind: "none" });
export const dark = createTheme({ colour: true, kind: "dark" });

/** What a stream writes of the pieces, together. */
export async function drawn(pieces: Iterable<string>, columns = 80, theme = plain): Promise<string> {
  let written = "";
  const stream = createMarkdownStream({ columns: () => columns, theme, write: (text) => void (written += text) });
  for (const piece of pieces) stream.write(piece);
  await stream.end();
  return written;
}

export const whole = (text: string, columns = 80, theme = plain): Promise<string> =>
  renderMarkdown(text, { columns, theme });
