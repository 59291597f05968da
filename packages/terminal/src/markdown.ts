import type { DrawnBlock, MarkdownRenderer } from "./markdown-render.ts";
import { createMarkdownTail } from "./markdown-tail.ts";
import { createSafeStream, safeText } from "./safe.ts";
import type { Theme } from "./theme.ts";

/** Characters of a message that are drawn as Markdown; what follows them is passed on as plain safe text. */
export const MARKDOWN_MAX = 256 * 1024;

export interface MarkdownOptions {
  /** Columns of the terminal now; asked for each block. */
  columns(): number;
  readonly theme: Theme;
  /** Takes whole lines that end in a line feed (pieces of lines only beyond {@link MARKDOWN_MAX}). Must not throw. */
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
  const intake = createIntake();
  const pen = createPen(write);
  let renderer: MarkdownRenderer | null = null;
  let loading: Promise<void> | null = null;
  let plain = false;

  const goPlain = () => {
    plain = true;
    pen.pass(intake.drain());
  };
  const draw = (extent: "finished" | "all") => {
    if (renderer === null) return;
    const { drawn, rest } = renderer.take(extent === "all" ? intake.drain() : intake.lines(), columns(), extent);
    if (extent === "finished") intake.keep(rest);
    pen.blocks(drawn);
  };
  const load = () => {
    loading ??= import("./markdown-render.ts").then(
      ({ createMarkdownRenderer }) => {
        renderer = createMarkdownRenderer(theme);
        draw("finished");
        pump();
      },
      () => goPlain(), // an installation without the libraries still shows the answer
    );
    return loading;
  };
  const pump = () => {
    for (let due = intake.line(); due !== null; due = intake.line()) {
      if (due && renderer === null) return void load();
      if (due) draw("finished");
    }
    if (intake.isOver()) goPlain();
  };
  const accept = (text: string) => {
    if (plain) return pen.pass(text);
    intake.add(text);
    if (loading === null || renderer !== null) pump();
  };

  return Object.freeze({
    write: (delta: string) => accept(safe.write(delta)),
    pending: () => intake.pending(),
    async end() {
      accept(safe.end());
      if (intake.pending().trim() !== "") await load();
      if (plain) pen.endLine();
      else draw("all");
    },
  });
}

/** What came in and is not drawn: lines the tail has seen, text it has not, and what is beyond the limit. */
function createIntake() {
  const tail = createMarkdownTail();
  let queue = "";
  let beyond = "";
  let taken = 0;
  const pending = () => tail.text() + queue + beyond;
  return Object.freeze({
    add(text: string) {
      const room = MARKDOWN_MAX - taken;
      taken += Math.min(room, text.length);
      queue += text.slice(0, room);
      beyond += text.slice(room);
    },
    /** Shows the tail one more line: whether a look is due after it; null when no whole line is there. */
    line(): boolean | null {
      const end = queue.indexOf("\n");
      if (end < 0) return null;
      const due = tail.add(queue.slice(0, end));
      queue = queue.slice(end + 1);
      return due;
    },
    lines: () => tail.text(),
    keep: (rest: string) => tail.keep(rest),
    isOver: () => beyond !== "",
    pending,
    drain() {
      const all = pending();
      tail.keep("");
      queue = beyond = "";
      return all;
    },
  });
}

/** Puts empty lines between blocks, and knows whether the last line is ended. */
function createPen(write: (text: string) => void) {
  let begun = false;
  let lineOpen = false;
  const put = (text: string) => {
    if (text === "") return;
    begun = true;
    lineOpen = !text.endsWith("\n");
    write(text);
  };
  let passing = false;
  return Object.freeze({
    blocks(drawn: readonly DrawnBlock[]) {
      const apart = (block: DrawnBlock, at: number) => (!block.joined && (begun || at > 0) ? "\n" : "");
      put(drawn.map((block, at) => `${apart(block, at)}${block.text}\n`).join(""));
    },
    /** Plain text, as it is. */
    pass(text: string) {
      put(begun && !passing && text !== "" ? `\n${text}` : text);
      passing ||= text !== "";
    },
    endLine: () => put(lineOpen ? "\n" : ""),
  });
}
