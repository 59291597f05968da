import type { MarkdownRenderer } from "./markdown-render.ts";
import { createMarkdownTail } from "./markdown-tail.ts";
import { createSafeStream, safeText } from "./safe.ts";
import type { Theme } from "./theme.ts";

/** Characters of a message that are drawn as Markdown; what follows them is passed on as plain safe text. */
export const MARKDOWN_MAX = 256 * 1024;

export interface MarkdownOptions {
  /** Columns of the terminal now; asked for each block. */
  columns(): number;
  readonly theme: Theme;
  /** Takes whole lines that end in a line feed (pieces of lines only beyond {@link MARKDOWN_MAX}). */
  write(text: string): void;
}

/** One answer on its way from the model to the screen. Text of any kind goes in, text that is safe to draw comes out. */
export interface MarkdownStream {
  /** Takes the next piece. Blocks that it finishes are drawn and written, once; they are never drawn again. */
  write(delta: string): void;
  /** What is not drawn yet, as safe plain text: for an area below the scrollback that is redrawn. */
  pending(): string;
  /** Draws what is left and resolves when it is written. After that the stream may be used for another message. */
  end(): Promise<void>;
}

/**
 * Draws Markdown as it comes. The lines decide, not the pieces they came in: any cutting writes the same. The
 * libraries are loaded when the first block is finished; till then everything is pending. Never throws: what can't be
 * drawn is written as plain text.
 */
export function createMarkdownStream(options: MarkdownOptions): MarkdownStream {
  let message = createMessage(options);
  return Object.freeze({
    write: (delta: string) => message.write(delta),
    pending: () => message.pending(),
    async end() {
      await message.end();
      message = createMessage(options);
    },
  });
}

/** Loads the libraries ahead of the first block: 0.2 s of work that fits in the time a model takes to answer. */
export async function warmMarkdown(): Promise<void> {
  await import("./markdown-render.ts");
}

/** A whole text drawn at once, safe, each line ended. */
export async function renderMarkdown(
  text: string,
  { columns, theme }: { columns: number; theme: Theme },
): Promise<string> {
  const { createMarkdownRenderer } = await import("./markdown-render.ts");
  const { drawn } = createMarkdownRenderer(theme).take(safeText(text), columns, "all");
  return drawn.map((block) => `${block.text}\n`).join("\n");
}

function createMessage({ columns, theme, write }: MarkdownOptions): MarkdownStream {
  const safe = createSafeStream();
  const tail = createMarkdownTail();
  /** Lines the tail has not seen, and what is beyond the limit. */
  let queue = "";
  let beyond = "";
  let taken = 0;
  let renderer: MarkdownRenderer | null = null;
  let loading: Promise<void> | null = null;
  let plain = false;
  let wroteBlock = false;
  let lineOpen = false;

  const load = () => {
    loading ??= import("./markdown-render.ts").then(
      ({ createMarkdownRenderer }) => {
        renderer = createMarkdownRenderer(theme);
        look("finished");
        pump();
      },
      () => goPlain(), // an installation without the libraries still shows the answer
    );
    return loading;
  };
  const look = (extent: "finished" | "all") => {
    if (renderer === null) return;
    const source = extent === "all" ? tail.text() + queue : tail.text();
    const { drawn, rest } = renderer.take(source, columns(), extent);
    tail.keep(rest);
    if (extent === "all") queue = "";
    const text = drawn.reduce((all, block, at) => {
      const apart = !block.joined && (wroteBlock || at > 0);
      return `${all}${apart ? "\n" : ""}${block.text}\n`;
    }, "");
    wroteBlock ||= drawn.length > 0;
    if (text !== "") write(text);
  };
  const pump = () => {
    for (let end = queue.indexOf("\n"); end >= 0; end = queue.indexOf("\n")) {
      const due = tail.add(queue.slice(0, end));
      queue = queue.slice(end + 1);
      if (due && renderer === null) return void load();
      if (due) look("finished");
    }
    if (beyond !== "") goPlain();
  };
  const goPlain = () => {
    const rest = tail.text() + queue + beyond;
    plain = true;
    tail.keep("");
    queue = beyond = "";
    pass(wroteBlock ? `\n${rest}` : rest);
  };
  const pass = (text: string) => {
    if (text === "") return;
    lineOpen = !text.endsWith("\n");
    write(text);
  };
  const accept = (text: string) => {
    if (plain) return pass(text);
    const room = MARKDOWN_MAX - taken;
    taken += Math.min(room, text.length);
    queue += text.slice(0, room);
    beyond += text.slice(room);
    if (loading === null || renderer !== null) pump();
  };

  return Object.freeze({
    write: (delta: string) => accept(safe.write(delta)),
    pending: () => tail.text() + queue + beyond,
    async end() {
      accept(safe.end());
      if (!plain && (tail.text() + queue).trim() !== "") await load();
      if (plain) return pass(lineOpen ? "\n" : "");
      look("all");
    },
  });
}
