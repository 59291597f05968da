import type { ToolContext, ToolOutcome } from "@smith/contract/tool";
import { answering, printable, refusal } from "../fault.ts";
import { decodeBody } from "./charset.ts";
import { type Answer, exchange, parseUrl, shownUrl } from "./exchange.ts";
import { guardOf } from "./guard.ts";
import { htmlToMarkdown } from "./html.ts";
import { type FetchedPage, WEB_MAX_BYTES, WEB_TIMEOUT_S, type WebOptions } from "./options.ts";
import { asData, cutTo } from "./show.ts";

const HEADERS = {
  "user-agent": "Mozilla/5.0 (compatible; Smith)",
  accept: "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.8, */*;q=0.5",
};
/** Types that hold no text; `image/svg+xml` too: what is drawn is not what is written. */
const NO_TEXT =
  /^(?:image|audio|video|font)\/|^application\/(?:octet-stream|pdf|zip|gzip|wasm|x-(?:tar|7z|rar|gzip)|vnd\.)/;

export function fetchPage(
  { url, max_chars }: { url: string; max_chars: number },
  context: ToolContext,
  options: WebOptions,
): Promise<ToolOutcome> {
  return answering("the page", async () => {
    const backend = options.fetch ?? ((address, { signal }) => load(parseUrl(address), signal, options));
    const page = await backend(url, { signal: context.signal });
    const { status, type, bytes } = page;
    const shown = URL.canParse(page.url) ? shownUrl(new URL(page.url)) : page.url;
    const header = `${status} ${printable(type)} (${bytes} bytes) ${shown}`;
    const content = asData(header, cutTo(page.text, max_chars, page.cut ?? null));
    const metadata = { summary: `${header.slice(0, 200)}`, status, bytes, url: shown };
    if (status >= 200 && status < 300) return { ok: true, content, metadata };
    const error = { code: `http_${status}`, message: `http_${status}: ${shown} answered ${status}.` };
    return { ok: false, content, error, metadata };
  });
}

async function load(url: URL, signal: AbortSignal, options: WebOptions): Promise<FetchedPage> {
  const timeout_ms = (options.timeout_s ?? WEB_TIMEOUT_S) * 1000;
  const request = { url, method: "GET", headers: HEADERS, body: null, follow: true, signal };
  const answer = await exchange({ ...request, max_bytes: WEB_MAX_BYTES, timeout_ms }, guardOf(options));
  const type = typeOf(answer);
  const text = await textOf(answer);
  return { status: answer.status, type, bytes: answer.body.length, url: answer.url, text, cut: answer.cut };
}

export const typeOf = ({ headers }: Answer): string =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() || "unknown";

/** The body as text, HTML as Markdown. @throws {AgentError} `unsupported_content_type` for what holds none. */
async function textOf(answer: Answer): Promise<string> {
  const { body, headers } = answer;
  const type = typeOf(answer);
  const full = headers["content-type"] ?? "";
  const isWide = /utf-?16|utf-?32/i.test(full) || (body[0] ?? 0) >= 0xfe;
  if (body.length > 0 && (NO_TEXT.test(type) || (!isWide && body.subarray(0, 1024).includes(0)))) {
    throw refusal(
      "unsupported_content_type",
      `unsupported_content_type: ${answer.url} is ${printable(type)}, which is no text. Download it with bash: curl -o.`,
    );
  }
  const looksHtml = type === "unknown" && /^\s*<(?:!doctype html|html)/i.test(body.subarray(0, 200).toString("latin1"));
  const text = decodeBody(body, looksHtml ? "text/html" : full, answer.cut !== null);
  return looksHtml || /html/.test(type) ? await htmlToMarkdown(text) : text;
}
