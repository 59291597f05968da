import type { ToolContext, ToolOutcome } from "@smith/contract/tool";
import { answering, printable, refusal } from "../fault.ts";
import { decodeBody } from "./charset.ts";
import { type Answer, exchange, parseUrl } from "./exchange.ts";
import { guardOf } from "./guard.ts";
import { type RequestArguments, WEB_MAX_BYTES, type WebOptions } from "./options.ts";
import { asData, cutTo } from "./show.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** What the answer's headers tell beside the status. */
const REPORTED = [
  "content-type",
  "content-length",
  "location",
  "x-ratelimit-remaining",
  "ratelimit-remaining",
  "retry-after",
];
/** The connection's own: set by hand they would let a request say one thing and be another. */
const RESERVED =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/i;

export function requestHttp(args: RequestArguments, context: ToolContext, options: WebOptions): Promise<ToolOutcome> {
  return answering("the request", async () => {
    const method = args.method.toUpperCase();
    if (!METHODS.includes(method)) {
      throw refusal("invalid_method", `invalid_method: ${printable(args.method)}; use one of ${METHODS.join(", ")}.`);
    }
    const reserved = Object.keys(args.headers).find((name) => RESERVED.test(name));
    if (reserved !== undefined) {
      throw refusal("reserved_header", `The header ${reserved} is set by the connection itself. Leave it out.`);
    }
    const reads = method === "GET" || method === "HEAD";
    const answer = await exchange(
      {
        url: parseUrl(args.url),
        method,
        headers: { "user-agent": "Smith", ...lowered(args.headers) },
        body: reads ? null : (args.body ?? null),
        follow: reads, // sending a body on to another address is the model's to decide
        max_bytes: WEB_MAX_BYTES,
        timeout_ms: args.timeout_ms,
        signal: context.signal,
      },
      guardOf(options),
    );
    return show(answer, args.max_chars);
  });
}

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function show({ status, headers, url, body, cut }: Answer, maxChars: number): ToolOutcome {
  const told = REPORTED.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [`${name}: ${printable(String(value))}`];
  });
  const isBinary = body.subarray(0, 1024).includes(0) && !/utf-?16|utf-?32/i.test(headers["content-type"] ?? "");
  const text = isBinary
    ? `(${body.length} bytes that are no text)`
    : decodeBody(body, headers["content-type"] ?? "", cut !== null);
  const header = [`${status} ${url}`, ...told, ""].join("\n");
  return {
    ok: true,
    content: asData(header, cutTo(text, maxChars, cut)),
    metadata: { summary: `${status} (${body.length} bytes)`, status, bytes: body.length, url },
  };
}
