/** Above these a page is turned into plain text by one linear pass: the Markdown writer walks the tree by recursion. */
const MAX_DEPTH = 300;
const MAX_CHARS = 2_000_000;
const MAX_TAGS = 60_000;

const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const SILENT = new Set(["script", "style", "noscript", "template", "svg", "iframe", "head"]);
const BLOCKS = /^\/?(?:p|div|br|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|pre|blockquote|hr|dd|dt)$/;

/** HTML as Markdown, its title first. Never throws; takes time in proportion to the page. */
export async function htmlToMarkdown(html: string): Promise<string> {
  const title = plainText(/<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1] ?? "");
  const text = (await markdownOf(html)).trim();
  return title === "" || text.startsWith(`# ${title}`) ? text : `title: ${title}\n\n${text}`;
}

async function markdownOf(html: string): Promise<string> {
  if (!isTame(html)) return plainText(html);
  const { NodeHtmlMarkdown } = await import("node-html-markdown");
  try {
    return NodeHtmlMarkdown.translate(html, { ignore: [...SILENT], keepDataImages: false });
  } catch {
    return plainText(html); // a page the writer can't digest is still worth its words
  }
}

function isTame(html: string): boolean {
  if (html.length > MAX_CHARS) return false;
  let depth = 0;
  let tags = 0;
  for (const [, close, name = ""] of html.matchAll(/<(\/?)([a-zA-Z][\w-]{0,40})/g)) {
    if (++tags > MAX_TAGS) return false;
    if (close === "/") depth = Math.max(0, depth - 1);
    else if (!VOID.has(name.toLowerCase()) && ++depth > MAX_DEPTH) return false;
  }
  return true;
}

/** The words of a page without its tags; one pass over it. */
export function plainText(html: string): string {
  let out = "";
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    const tag = open === -1 ? null : tagAt(html, open);
    out += html.slice(at, open === -1 ? html.length : open);
    if (tag?.is_block === true) out += "\n";
    at = tag?.end ?? html.length;
  }
  return decodeEntities(out)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** The tag or comment that begins at `open`, with all that is never shown; null for one that never ends. */
function tagAt(html: string, open: number): { readonly end: number; readonly is_block: boolean } | null {
  const comment = html.startsWith("<!--", open);
  const end = html.indexOf(comment ? "-->" : ">", open);
  if (end === -1) return null;
  if (comment) return { end: end + 3, is_block: false };
  const name = /^\/?[\w-]{1,40}/.exec(html.slice(open + 1, open + 42))?.[0].toLowerCase() ?? "";
  return { end: SILENT.has(name) ? afterClose(html, name, end) : end + 1, is_block: BLOCKS.test(name) };
}

function afterClose(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}[^>]{0,100}>`, "gi");
  close.lastIndex = from;
  return close.exec(html) === null ? html.length : close.lastIndex;
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{2,8}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
