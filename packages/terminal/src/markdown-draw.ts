/// <reference path="./markdown-terminal.d.ts" />
import { stripVTControlCharacters } from "node:util";
import { Marked, type MarkedOptions, Parser, type RendererObject, type Token, type Tokens } from "marked";
import { markedTerminal } from "marked-terminal";
import { drawCode } from "./markdown-code.ts";
import { decodeEntities, drawImage, drawLink } from "./markdown-inline.ts";
import { drawTable } from "./markdown-table.ts";
import type { Theme } from "./theme.ts";
import { width, wrap } from "./width.ts";

/** Draws blocks that marked has found. */
export interface Drawer {
  /** For a lexer: what marked was told about this drawer. */
  readonly options: MarkedOptions<string, string>;
  /** The block in lines of at most `columns` (code excepted: the terminal breaks it, so that it can be copied). */
  draw(block: Token, columns: number): string;
}

/** What drawing has to know on the way down. */
interface Page {
  readonly theme: Theme;
  /** Columns left beside bullets and quote bars. */
  room: number;
}

export function createDrawer(theme: Theme): Drawer {
  const page: Page = { theme, room: 80 };
  const marked = new Marked<string, string>(markedTerminal(styles(theme)), {
    renderer: { ...blocks(page), ...inlines(theme) },
  });
  const options = marked.defaults;
  return Object.freeze({
    options,
    draw(block: Token, columns: number) {
      page.room = columns;
      const drawn = new Parser<string, string>(options).parse([block]);
      return drawn
        .replace(/^\n+|\s+$/g, "")
        .split("\n")
        .flatMap((line) => fit(line, columns, theme))
        .join("\n");
    },
  });
}

/** Begins a line that must not be wrapped. Content can't hold it: control characters were taken out before. */
const UNBROKEN = "\u0001";

function fit(line: string, columns: number, theme: Theme): readonly string[] {
  if (line.includes(UNBROKEN)) return [line.replaceAll(UNBROKEN, "").replace(/^\s+$/, "")];
  return width(line) <= columns ? [line] : wrap(line, columns, hangOf(line, theme));
}

/** What stands before the lines that continue this one: its quote bars, and blanks for its indentation and bullets. */
function hangOf(line: string, theme: Theme): string {
  const head = LINE_HEAD.exec(stripVTControlCharacters(line))?.[0] ?? "";
  return head.replace(/[^│]/g, " ").replaceAll("│", theme.quote("│"));
}

const LINE_HEAD = /^(?:│ | )*(?:(?:•|\d{1,9}\.|\[[x ]\]) )*/;

/** How marked-terminal paints what it draws itself: headings, paragraphs, emphasis, raw HTML. */
const styles = (theme: Theme) => ({
  html: theme.dim,
  heading: theme.heading,
  firstHeading: (text: string) => theme.underline(theme.heading(text)),
  listitem: same,
  paragraph: same,
  strong: theme.bold,
  em: theme.italic,
  del: theme.strike,
  text: same,
  emoji: false as const,
  unescape: false as const,
  showSectionPrefix: !theme.colour,
});

const same = (text: string): string => text;

/**
 * The blocks that marked-terminal draws unfit for a live terminal: it numbers every list from 1, drops blank lines of
 * code in lists, asks the process for its columns, and lets tables run over the edge.
 */
const blocks = (page: Page): RendererObject<string, string> => ({
  code: ({ text, lang }) => `${unbroken(drawCode(text.replace(/\n+$/, ""), lang, page.theme), "  ")}\n\n`,
  hr: () => `${page.theme.dim("─".repeat(Math.min(page.room, 80)))}\n\n`,
  checkbox: () => "",
  blockquote({ tokens }) {
    const bar = page.theme.quote("│");
    const lines = within(page, 2, () => this.parser.parse(tokens))
      .trim()
      .split("\n");
    return `${lines.map((line) => (line === "" ? bar : `${bar} ${line}`)).join("\n")}\n\n`;
  },
  list(list) {
    const items = list.items.map((item, at) => {
      const bullet = bulletOf(list, at) + (item.task ? `[${item.checked === true ? "x" : " "}] ` : "");
      const lines = within(page, bullet.length, () => drawItem(item, (token) => this.parser.parse([token])));
      return bullet + lines.replaceAll("\n", `\n${" ".repeat(bulletOf(list, at).length)}`);
    });
    return `${items.join("\n")}\n\n`;
  },
  table({ align, header, rows }) {
    const cell = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens).replace(/\s*\n\s*/g, " ");
    const drawn = { align, header: header.map(cell), rows: rows.map((row) => row.map(cell)) };
    return `${unbroken(drawTable(drawn, page.room, page.theme).join("\n"), "")}\n\n`;
  },
});

const unbroken = (text: string, indent: string): string => text.replace(/^/gm, UNBROKEN + indent);

const bulletOf = ({ ordered, start }: Tokens.List, at: number): string =>
  ordered ? `${Number(start === "" ? 1 : start) + at}. ` : "• ";

function within(page: Page, columns: number, draw: () => string): string {
  const before = page.room;
  page.room = Math.max(1, before - columns);
  const drawn = draw();
  page.room = before;
  return drawn;
}

/** The blocks of a list item one below the other; only between two paragraphs stands an empty line. */
function drawItem({ tokens }: Tokens.ListItem, draw: (token: Token) => string): string {
  let text = "";
  let before = "";
  for (const token of tokens) {
    const drawn = draw(token).replace(/^\n+|\s+$/g, "");
    if (drawn === "") continue;
    if (text !== "") text += before === "paragraph" && token.type === "paragraph" ? "\n\n" : "\n";
    text += drawn;
    before = token.type;
  }
  return text;
}

const inlines = (theme: Theme): RendererObject<string, string> => ({
  // Without this, text in tight lists keeps its marks: marked-terminal does not look below a text token.
  text(token) {
    if ("tokens" in token && token.tokens !== undefined) return this.parser.parseInline(token.tokens);
    return token.type === "escape" ? token.text : decodeEntities(token.text);
  },
  codespan: ({ text }) => (theme.colour ? theme.code(text) : `\`${text}\``),
  link(token) {
    return drawLink(this.parser.parseInline(token.tokens), token, theme);
  },
  image: (token) => drawImage(token, theme),
});
