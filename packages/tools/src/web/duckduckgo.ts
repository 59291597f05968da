import { refusal } from "../fault.ts";
import { plainText } from "./html.ts";
import type { SearchBackend, SearchGround, SearchHit } from "./options.ts";

const ENDPOINT = "https://html.duckduckgo.com/html/";

/** DuckDuckGo's page without scripts: needs no key. */
export const createDuckDuckGo =
  ({ config, ask }: SearchGround): SearchBackend =>
  async ({ query, max_results }) => {
    const url = new URL(config.endpoint ?? ENDPOINT);
    url.searchParams.set("q", query);
    const headers = { "user-agent": "Mozilla/5.0 (compatible; Smith)", accept: "text/html" };
    const html = await ask({ url: url.href, method: "GET", headers, body: null });
    const hits = hitsOf(html).slice(0, max_results);
    if (hits.length === 0 && /anomaly-modal|challenge-form/.test(html)) {
      throw refusal("search_failed", "duckduckgo asks for a captcha. Try again later, or set LINKUP_API_KEY.");
    }
    return { answer: null, hits };
  };

/** One piece of the page per title link; its snippet stands before the next one. */
function hitsOf(html: string): readonly SearchHit[] {
  const [, ...pieces] = html.split(/<a(?=[^>]{0,1000}\bclass="[^"]{0,200}\bresult__a\b)/);
  return pieces.flatMap((piece) => {
    const [, attributes = "", title = ""] = /^([^>]{0,4000})>([\s\S]{0,2000}?)<\/a>/.exec(piece) ?? [];
    const url = targetOf(plainText(/href="([^"]{0,4000})"/.exec(attributes)?.[1] ?? ""));
    if (url === null) return [];
    const snippet = /class="[^"]{0,200}\bresult__snippet\b[^>]{0,4000}>([\s\S]{0,4000}?)<\/(?:a|div|td|span)>/.exec(
      piece,
    );
    return [{ title: oneLine(title), url, snippet: oneLine(snippet?.[1] ?? "") }];
  });
}

const oneLine = (html: string): string => plainText(html).replace(/\s+/g, " ");

/** Where a result leads: the redirect is unwrapped; null for an advertisement and what is no address. */
function targetOf(href: string): string | null {
  if (!URL.canParse(href, ENDPOINT)) return null;
  const link = new URL(href, ENDPOINT);
  const isOwn = /(?:^|\.)duckduckgo\.com$/.test(link.hostname);
  if (!isOwn) return /^https?:$/.test(link.protocol) ? link.href : null;
  const target = link.searchParams.get("uddg");
  return link.pathname === "/l/" && target !== null && /^https?:\/\//.test(target) ? target : null;
}
