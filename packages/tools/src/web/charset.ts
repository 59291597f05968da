import { isUtf8 } from "node:buffer";

/** Where a page names its own charset, in bytes from its start. */
const SNIFF_BYTES = 2048;

/**
 * The text of a body: by its byte order mark, the header's charset, the page's own, else UTF-8, and what is none of it as
 * windows-1252. A charset nobody knows is passed over. Never throws. `isCut`: the last character may be a half one.
 */
export function decodeBody(body: Buffer, contentType: string, isCut: boolean): string {
  const named = [markOf(body), /charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1], ownCharset(body, contentType)];
  for (const label of named) {
    const decoder = label === undefined ? null : decoderOf(label);
    if (decoder !== null) return decoder.decode(body);
  }
  return new TextDecoder(isUtf8(isCut ? wholeChars(body) : body) ? "utf-8" : "windows-1252").decode(body);
}

function markOf(body: Buffer): string | undefined {
  if (body[0] === 0xff && body[1] === 0xfe) return "utf-16le";
  if (body[0] === 0xfe && body[1] === 0xff) return "utf-16be";
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? "utf-8" : undefined;
}

/** `<meta charset>`, `<meta http-equiv>` or the XML declaration. A page that could be read so is not UTF-16. */
function ownCharset(body: Buffer, contentType: string): string | undefined {
  if (!/html|xml/i.test(contentType)) return undefined;
  const head = body.subarray(0, SNIFF_BYTES).toString("latin1");
  const found =
    /<meta[^>]{0,500}charset\s*=\s*["']?([\w-]+)/i.exec(head) ?? /<\?xml[^>]*encoding=["']([\w-]+)/.exec(head);
  return found?.[1]?.replace(/^utf-16.*/i, "utf-8");
}

function decoderOf(label: string) {
  try {
    return new TextDecoder(label);
  } catch {
    return null; // a label that nobody knows
  }
}

/** Without the last character, which the ceiling may have halved. */
function wholeChars(body: Buffer): Buffer {
  let end = body.length;
  for (let back = 1; back <= 3 && back <= body.length; back++) {
    const byte = body[body.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      end = body.length - back;
      break;
    }
  }
  return body.subarray(0, end);
}
