import { MARKDOWN_MAX } from "../markdown.ts";
import { safeLine, safeText } from "../safe.ts";
import type { Theme } from "../theme.ts";
import { wrap } from "../width.ts";
import type { PagerSection, RowsOf } from "./pages.ts";
import type { Manner } from "./state.ts";

/** Draws a safe Markdown text in rows of at most so many columns. */
export type DrawMarkdown = (text: string, columns: number) => readonly string[];

/** Loads what draws Markdown; without the libraries texts stay as they are. */
export async function loadMarkdown(theme: Theme): Promise<DrawMarkdown> {
  const found = await import("../markdown-render.ts").catch(() => null);
  if (found === null) return wrap;
  return (text, columns) => {
    const { drawn } = found.createMarkdownRenderer(theme).take(text, columns, "all");
    // Code is not broken by the renderer: a terminal would break it, a page has to.
    return drawn.flatMap((block, at) => [
      ...(at > 0 && !block.joined ? [""] : []),
      ...block.text.split("\n").flatMap((line) => wrap(line, columns)),
    ]);
  };
}

/** Lays out each section once; when the manner changes, what was laid out in the one before is still known. */
export function createLayOut(look: LayOutLook): (manner: Manner) => RowsOf {
  let known: readonly { readonly manner: Manner; readonly rowsOf: RowsOf }[] = [];
  return (manner) => {
    const { columns, raw } = manner;
    const found = known.find((each) => each.manner.columns === columns && each.manner.raw === raw);
    if (found !== undefined) return found.rowsOf;
    const rowsOf = remembering((section) => layOutSection(section, { columns, raw, ...look }));
    known = [{ manner, rowsOf }, ...known.slice(0, 1)];
    return rowsOf;
  };
}

function remembering(rowsOf: RowsOf): RowsOf {
  const known = new WeakMap<PagerSection, readonly string[]>();
  return (section) => {
    const rows = known.get(section) ?? rowsOf(section);
    known.set(section, rows);
    return rows;
  };
}

export interface LayOutLook {
  readonly theme: Theme;
  /** False: marks of ASCII. */
  readonly unicode: boolean;
  readonly drawMarkdown: DrawMarkdown;
}

type Drawing = Manner & LayOutLook;

function layOutSection(
  section: PagerSection,
  { columns, raw, theme, unicode, drawMarkdown }: Drawing,
): readonly string[] {
  const { title, markdown } = section;
  const text = safeText(section.text).replace(/\n+$/, "");
  const head = title === "" ? [] : wrap(paintTitle(section, { theme, unicode }), columns);
  const asMarkdown = markdown && !raw && text.length <= MARKDOWN_MAX;
  const body = text === "" ? [] : asMarkdown ? drawMarkdown(text, columns) : wrap(text, columns);
  return [...head, ...body, ""];
}

function paintTitle({ title, kind }: PagerSection, { theme, unicode }: Pick<LayOutLook, "theme" | "unicode">): string {
  const text = unicode ? safeLine(title) : safeLine(title).replaceAll("·", "-").replaceAll("×", "x");
  switch (kind) {
    case "user":
      return theme.heading(text);
    case "assistant":
      return theme.bold(theme.ok(text));
    case "call":
      return theme.running(text);
    case "result":
      return theme.dim(text);
    case "note":
      return theme.warn(text);
    default:
      return kind satisfies never;
  }
}
